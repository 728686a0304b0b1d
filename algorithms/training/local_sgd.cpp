#include "algorithms/training/local_sgd.hpp"

#include "algorithms/training/communication_stream.hpp"
#include "algorithms/training/model_arithmetic.hpp"
#include "algorithms/training/trainer.hpp"

namespace starling {
namespace {

constexpr Tag average_tag = 1;

}  // namespace

LocalSgd::LocalSgd(const LocalSgdOptions& options, const Workload& workload,
                   const CollectiveChoice& collective)
    : synchronisation_period_(options.synchronisation_period),
      allreduce_(collective.allreduce(workload.parameters())) {}

void LocalSgd::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Trainer trainer(worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) {
    trainer.begin_iteration();
    trainer.forward();
    trainer.backward();
    trainer.update(replica.all(), 1);
    if ((iteration + 1) % synchronisation_period_ == 0) {
      run_traced(worker, *allreduce_, replica.parameters(), average_tag, "average",
                 static_cast<int>(iteration), job.executor);
      scale_model(replica.parameters(), 1.0 / worker.world_size());
      if (job.participation != nullptr && worker.rank() == 0) {
        job.participation->add_operation(worker.world_size());
      }
    }
    trainer.end_iteration();
  }
}

}  // namespace starling

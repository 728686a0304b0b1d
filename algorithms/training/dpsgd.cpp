#include "algorithms/training/dpsgd.hpp"

#include <utility>

#include "algorithms/training/model_arithmetic.hpp"
#include "algorithms/training/neighbour_averaging.hpp"
#include "algorithms/training/trainer.hpp"
#include "sim/event.hpp"

namespace starling {
namespace {

constexpr Tag model_tag = 1;

}  // namespace

Dpsgd::Dpsgd(const DpsgdOptions& options, std::shared_ptr<const MixingSchedule> mixing)
    : options_(options), mixing_(std::move(mixing)) {}

/// One worker's run.
class Dpsgd::Run {
 public:
  Run(const Dpsgd& dpsgd, Worker& worker, Replica& replica, const TrainingJob& job)
      : overlaps_(dpsgd.options_.overlap),
        participation_(job.participation),
        trainer_(worker, replica, job),
        averaging_(worker, *dpsgd.mixing_, replica.parameters(), model_tag),
        averaged_(worker, "the neighbours' models") {}

  void iterate(std::int64_t iteration) {
    if (overlaps_) start_averaging(iteration);
    trainer_.begin_iteration();
    trainer_.forward();
    trainer_.backward();
    if (overlaps_)
      averaged_.wait();
    else
      average(iteration);
    const Buffer model = trainer_.replica().parameters();
    copy_model(averaging_.mixed(), model);
    trainer_.update(trainer_.replica().all(), 1);
    trainer_.end_iteration();
  }

 private:
  void start_averaging(std::int64_t iteration) {
    averaged_.reset();
    trainer_.worker().spawn("communication", [this, iteration] {
      average(iteration);
      averaged_.set();
    });
  }

  void average(std::int64_t iteration) {
    const double start_s = trainer_.worker().now();
    averaging_.average(iteration, trainer_.replica().parameters());
    if (participation_ != nullptr) participation_->add_operation(averaging_.members());
    if (trainer_.worker().is_traced()) trainer_.worker().trace("average with neighbours", start_s);
  }

  bool overlaps_;
  ParticipationLog* participation_;
  Trainer trainer_;
  NeighbourAveraging averaging_;
  Event averaged_;
};

void Dpsgd::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  const auto run = std::make_unique<Run>(*this, worker, replica, job);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) run->iterate(iteration);
}

}  // namespace starling

#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"

#include <utility>

#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/trainer.hpp"

namespace starling {
namespace {

constexpr Tag allreduce_tag = 1;

}  // namespace

WaitFreeBackpropagation::WaitFreeBackpropagation(const Workload& workload, std::vector<Bucket> buckets,
                                                 const CollectiveChoice& collective)
    : buckets_(std::move(buckets)) {
  const Replica sizes(workload);
  for (const Bucket& bucket : buckets_) {
    allreduces_.push_back(collective.allreduce(sizes.elements(bucket.tensors)));
  }
}

void WaitFreeBackpropagation::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Trainer trainer(worker, replica, job);
  CommunicationStream stream(worker, allreduce_tag, job.executor);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) {
    trainer.begin_iteration();
    trainer.forward();
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      trainer.backward_to(buckets_[b].ready_layer);
      stream.issue(*allreduces_[b], replica.gradients(buckets_[b].tensors), "all-reduce",
                   static_cast<int>(b));
    }
    trainer.backward();
    stream.wait_for_all();
    trainer.update(replica.all());
    trainer.end_iteration();
  }
  stream.close();
}

std::vector<const Schedule*> WaitFreeBackpropagation::only_traffic() const {
  std::vector<const Schedule*> schedules;
  for (const auto& allreduce : allreduces_) schedules.push_back(allreduce.get());
  return schedules;
}

}  // namespace starling

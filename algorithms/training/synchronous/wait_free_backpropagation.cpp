#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"

#include <utility>

#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/message_size.hpp"
#include "algorithms/training/shared/trainer.hpp"

namespace starling {
namespace {

constexpr Tag stream_tag = 1;

}  // namespace

WaitFreeBackpropagation::WaitFreeBackpropagation(const Workload& workload, std::vector<Bucket> buckets,
                                                 const CollectiveChoice& collective,
                                                 std::optional<AllreduceTime> planned)
    : buckets_(std::move(buckets)), planned_(planned) {
  const Replica sizes(workload);
  for (const Bucket& bucket : buckets_) {
    allreduces_.push_back(collective.allreduce(sizes.elements(bucket.tensors)));
  }
}

void WaitFreeBackpropagation::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Trainer trainer(worker, replica, job);
  CommunicationStream stream(worker, stream_tag, job.executor);
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) {
    trainer.begin_iteration();
    trainer.forward();
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      trainer.backward_to(buckets_[b].ready_layer);
      const TensorRange tensors = buckets_[b].tensors;
      stream.issue(*allreduces_[b], replica.gradients(tensors),
                   {"all-reduce", static_cast<int>(b), &job.workload.model, tensors});
    }
    trainer.backward();
    stream.wait_for_all();
    trainer.update(replica.all());
    trainer.end_iteration();
  }
  stream.close();
}

std::vector<const Schedule*> WaitFreeBackpropagation::sequential_collectives() const {
  return pointers_to(allreduces_);
}

std::vector<Choice> WaitFreeBackpropagation::choices() const {
  if (!planned_ || planned_->s_per_byte == 0) return {};
  return {{.option = "planned_start_up", .value = planned_->start_up_s},
          {.option = "planned_bandwidth", .value = 1 / planned_->s_per_byte}};
}

namespace {

std::unique_ptr<TrainingAlgorithm> wait_free(const Workload& workload, std::vector<Bucket> buckets,
                                             const CollectiveChoice& collective,
                                             std::optional<AllreduceTime> planned = {}) {
  return std::make_unique<WaitFreeBackpropagation>(workload, std::move(buckets), collective, planned);
}

}  // namespace

void describe(AllreduceOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor);
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const AllreduceOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return wait_free(workload, single_bucket(workload.model), choice_of(options, workload, facts));
}

void describe(WfbpOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor);
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const WfbpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return wait_free(workload, bucket_per_tensor(workload.model), choice_of(options, workload, facts));
}

void describe(DdpOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor);
  describe_message_size(
      {"bucket_bytes",
       "a bucket closes with the tensor that brings it to this size, in bytes as they are sent (PyTorch "
       "counts bytes of parameters: give half of its value where a hook sends fp32 gradients in 16 bits)"},
      options.bucket_bytes, visitor, sizes_from(1));
  describe_message_size({"first_bucket_bytes", "as `bucket_bytes`, but for the bucket that is sent first"},
                        options.first_bucket_bytes, visitor, sizes_from(1));
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const DdpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return wait_free(workload, ddp_buckets(workload, options.bucket_bytes, options.first_bucket_bytes),
                   choice_of(options, workload, facts));
}

void describe(MgWfbpOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor);
  visitor.time({"planned_start_up",
                "start-up time of an all-reduce that the merging assumes; needs `planned_bandwidth`",
                "that of the cost formula of its collective"},
               options.planned_start_up_s);
  visitor.rate({"planned_bandwidth",
                "bytes per second of an all-reduce that the merging assumes; needs `planned_start_up`",
                "that of the cost formula of its collective"},
               options.planned_bandwidth_Bps);
  visitor.together("planned_start_up", "planned_bandwidth");
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const MgWfbpOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  const CollectiveChoice collective = choice_of(options, workload, facts);
  if (!options.planned_bandwidth_Bps) {
    const AllreduceTime planned = collective.allreduce_time(workload.model.parameters());
    return wait_free(workload, merged_buckets(workload, planned), collective, planned);
  }
  const AllreduceTime given{.start_up_s = *options.planned_start_up_s,
                            .s_per_byte = 1 / *options.planned_bandwidth_Bps};
  return wait_free(workload, merged_buckets(workload, given), collective);
}

}  // namespace starling

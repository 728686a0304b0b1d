#include "algorithms/training/gossip/local_sgd.hpp"

#include "algorithms/training/gossip/backward_exchange.hpp"
#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"

namespace starling {
namespace {

constexpr Tag average_tag = 1;

}  // namespace

LocalSgd::LocalSgd(const LocalSgdOptions& options, const Workload& workload,
                   const CollectiveChoice& collective)
    : sync_period_(options.sync_period), buckets_(model_buckets(workload, options.bucket_bytes)) {
  Replica sizes(workload);
  for (const Buffer model : bucket_models(sizes, buckets_)) {
    allreduces_.push_back(collective.allreduce(model.count()));
  }
}

void LocalSgd::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Trainer trainer(worker, replica, job);
  const auto average = [&](std::size_t bucket, TensorRange tensors) {
    const Buffer model = replica.parameters(tensors);
    run_traced(worker, *allreduces_[bucket], model, average_tag,
               {"average", static_cast<int>(bucket), &job.workload.model, tensors}, job.executor);
    scale_model(model, 1.0 / worker.world_size());
    trainer.participation().add_average_of_all(worker.rank(), worker.world_size());
  };
  const auto average_bucket = [&](std::size_t bucket) { average(bucket, buckets_[bucket].tensors); };
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) {
    const bool averages = (iteration + 1) % sync_period_ == 0;
    trainer.begin_iteration();
    trainer.forward();
    if (averages)
      exchange_during_backward(trainer, buckets_, average_bucket);
    else
      trainer.backward();
    trainer.update(replica.all(), 1);
    if (averages && buckets_.empty()) average(0, replica.all());
    trainer.end_iteration();
  }
}

std::vector<const Schedule*> LocalSgd::sequential_collectives() const { return pointers_to(allreduces_); }

TypicalTraffic LocalSgd::typical_traffic(const Workload&) const {
  TypicalTraffic traffic;
  for (const auto& allreduce : allreduces_) traffic.add(*allreduce, 1.0 / sync_period_);
  return traffic;
}

void describe(LocalSgdOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor, "the collective that averages models");
  visitor.integer({"period",
                   "τ: models are averaged at the end of every τ-th iteration (`sync_period` of wagma, "
                   "`model_sync_iterations` of eager_solo and eager_majority)"},
                  options.sync_period, {1});
  describe_model_buckets(options.bucket_bytes,
                         "absent: the whole model is averaged, after the optimizer's step", visitor);
}

std::int64_t pattern_period(const LocalSgdOptions& options, const ClusterFacts&) {
  return options.sync_period;
}

std::int64_t model_averaging_period(const LocalSgdOptions& options) { return options.sync_period; }

std::unique_ptr<TrainingAlgorithm> make_algorithm(const LocalSgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return std::make_unique<LocalSgd>(options, workload, choice_of(options, workload, facts));
}

}  // namespace starling

#include "algorithms/training/partial/eager_sgd.hpp"

#include <algorithm>
#include <limits>

#include "algorithms/collectives/schedules/recursive_doubling.hpp"
#include "algorithms/training/shared/communication_stream.hpp"
#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/numbers/common_period.hpp"
#include "base/reject.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

constexpr Tag model_tag = 1;
constexpr Tag first_partial_tag = 2;

void check(const EagerOptions& options, int workers) {
  if (options.kind != EagerOptions::solo && options.kind != EagerOptions::majority)
    reject("{}: kind is {}; it must be eager_solo or eager_majority", options.kind, options.kind);
  require_power_of_two(options.kind, workers);
}

}  // namespace

EagerSgd::EagerSgd(const EagerOptions& options, const Workload& workload, const CollectiveChoice& collective)
    : options_(options), workers_(collective.workers()) {
  check(options, workers_);
  buckets_ = ddp_buckets(workload, options.bucket_bytes, options.bucket_bytes);
  const Replica sizes(workload);
  for (const Bucket& bucket : buckets_) {
    allreduces_.push_back(
        std::make_unique<RecursiveDoublingAllReduce>(workers_, sizes.elements(bucket.tensors)));
  }
  model_allreduce_ = collective.allreduce(sizes.elements());
}

VersionStart eager_start(const EagerOptions& options, int workers, std::int64_t version, std::uint64_t seed) {
  // With a limiter l: version l, and every (l + 1)-th after it.
  if (options.limiter > 0 && version >= options.limiter &&
      (version - options.limiter) % (options.limiter + 1) == 0) {
    return {.by = VersionStart::By::everyone};
  }
  if (options.kind == EagerOptions::solo) return {.by = VersionStart::By::anyone};
  const std::uint64_t initiator =
      CounterRandom(seed, Purpose::initiator)
          .below(static_cast<std::uint64_t>(workers), 0, static_cast<std::uint64_t>(version));
  return {.by = VersionStart::By::initiator, .initiator = static_cast<Rank>(initiator)};
}

PartialCollectivePlan EagerSgd::plan(std::int64_t iterations, std::uint64_t seed) const {
  PartialCollectivePlan plan{
      .counts = {},
      .versions = iterations,
      .start = [this, seed](std::int64_t version) { return eager_start(options_, workers_, version, seed); },
      .schedule = [this](int operation, std::int64_t) -> const Schedule& {
        return *allreduces_[static_cast<std::size_t>(operation)];
      },
      .is_serialized = options_.serialized,
      .empties_send_buffers = true,
      .call_s = options_.operation_cost_s};
  for (const auto& allreduce : allreduces_) plan.counts.push_back(allreduce->count());
  return plan;
}

void EagerSgd::contribute(PartialCollectives& collectives, int operation, Buffer gradient) const {
  if (options_.late_gradients == LateGradients::drop && collectives.is_late(operation)) {
    collectives.skip(operation);
    return;
  }
  add_elements(collectives.send_buffer(operation).data(), gradient.data());
  collectives.contribute(operation);
}

/// Every worker is activated by one message per operation.
TypicalTraffic EagerSgd::typical_traffic(const Workload&) const {
  TypicalTraffic traffic;
  for (const auto& allreduce : allreduces_) traffic.add(*allreduce);
  traffic.messages = static_cast<double>(allreduces_.size());
  if (options_.model_sync_iterations > 0)
    traffic.add(*model_allreduce_, 1.0 / static_cast<double>(options_.model_sync_iterations));
  return traffic;
}

std::vector<const Schedule*> EagerSgd::configured_collectives() const {
  if (options_.model_sync_iterations == 0) return {};
  return {model_allreduce_.get()};
}

bool EagerSgd::synchronizes(std::int64_t iteration) const {
  return options_.model_sync_iterations > 0 && (iteration + 1) % options_.model_sync_iterations == 0;
}

void EagerSgd::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Trainer trainer(worker, replica, job);
  PartialCollectives collectives(worker,
                                 with_layers(plan(job.iterations, job.seed), job.workload.model, buckets_),
                                 replica.gradients(), first_partial_tag, job.participation);
  const auto buckets = static_cast<int>(buckets_.size());
  const auto gradient = [&](int b) {
    return replica.gradients(buckets_[static_cast<std::size_t>(b)].tensors);
  };
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) {
    trainer.begin_iteration();
    trainer.forward();
    for (int b = 0; b < buckets; ++b) {
      trainer.backward_to(buckets_[static_cast<std::size_t>(b)].ready_layer);
      contribute(collectives, b, gradient(b));
    }
    trainer.backward();
    for (int b = 0; b < buckets; ++b) collectives.wait(b, gradient(b));
    trainer.update(replica.all());
    if (synchronizes(iteration)) {
      run_traced(worker, *model_allreduce_, replica.parameters(), model_tag,
                 {"model synchronization", 0, &job.workload.model, replica.all()});
      scale_model(replica.parameters(), 1.0 / workers_);
    }
    trainer.end_iteration();
  }
}

namespace {

std::string warning_about_collective(const EagerOptions& options) {
  if (options.model_sync_iterations > 0 || options.collective == EagerOptions().collective) return "";
  return "has no effect, as models are never averaged unless \"model_sync_iterations\" is above 0; gradients "
         "are always summed by recursive doubling";
}

}  // namespace

void describe(EagerOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor,
                      "the collective of the model synchronization");
  visitor.integer({"limiter",
                   "number of iterations in a row that do not wait for late workers, after which one waits "
                   "for all; 0: none waits (published code of solo: 32)"},
                  options.limiter);
  visitor.choice({"late_gradients",
                  "what happens to a late gradient: it is added to the worker's next one (the paper) or "
                  "discarded (the published code)"},
                 options.late_gradients,
                 {{"accumulate", LateGradients::accumulate}, {"drop", LateGradients::drop}});
  visitor.integer({"model_sync_iterations",
                   "period after which all workers average their models, at the end of an iteration; 0: "
                   "never (`sync_period` of wagma, `period` of local_sgd and slowmo)"},
                  options.model_sync_iterations);
  visitor.warning("collective", [&options] { return warning_about_collective(options); });
  describe_operations(options.bucket_bytes, options.serialized, options.operation_cost_s, visitor);
}

std::int64_t pattern_period(const EagerOptions& options, const ClusterFacts&) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() - 1;
  return common_period(std::min(options.limiter, most) + 1,
                       std::max<std::int64_t>(options.model_sync_iterations, 1));
}

std::int64_t model_averaging_period(const EagerOptions& options) { return options.model_sync_iterations; }

std::unique_ptr<TrainingAlgorithm> make_algorithm(const EagerOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return std::make_unique<EagerSgd>(options, workload, choice_of(options, workload, facts));
}

}  // namespace starling

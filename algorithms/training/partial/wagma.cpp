#include "algorithms/training/partial/wagma.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/training/shared/model_arithmetic.hpp"
#include "algorithms/training/shared/trainer.hpp"
#include "base/numbers/common_period.hpp"
#include "base/numbers/power_of_two.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

constexpr Tag first_averaging_tag = 1;

void check(const WagmaOptions& options, int workers) {
  require_power_of_two(options.kind, workers);
  const int group_size = options.group_size.value_or(1);
  if (!is_power_of_two(group_size) || group_size > workers)
    reject("{}: group_size is {}; it must be a power of two from 1 to {}, or \"sqrt\" for √P", options.kind,
           group_size, workers);
}

/// The group size S for this number of workers.
int group_size_of(const WagmaOptions& options, int workers) {
  return options.group_size.value_or(1 << ((log2_of(workers) + 1) / 2));
}

/// The number of iterations after which the groups repeat.
int distinct_groups(const WagmaOptions& options, int workers, int group_size) {
  const int dimensions = log2_of(workers);
  if (options.fixed_groups || group_size == 1) return 1;
  if (options.published_code) return dimensions / log2_of(group_size);
  return dimensions / std::gcd(log2_of(group_size), dimensions);
}

}  // namespace

Wagma::Wagma(const WagmaOptions& options, const Workload& workload, const CollectiveChoice& collective)
    : options_(options), workers_(collective.workers()) {
  check(options, workers_);
  group_size_ = group_size_of(options, workers_);
  buckets_ = ddp_buckets(workload, options.bucket_bytes, options.bucket_bytes);
  const int groups = distinct_groups(options, workers_, group_size_);
  const Replica sizes(workload);
  for (const Bucket& bucket : buckets_) {
    const std::int64_t count = sizes.elements(bucket.tensors);
    allreduces_.push_back(collective.allreduce(count));
    auto& schedules = group_allreduces_.emplace_back();
    for (int iteration = 0; iteration < groups; ++iteration) {
      schedules.push_back(make_group_allreduce(workers_, count, group_size_, iteration));
    }
  }
}

/// Versions count the iterations that average.
std::int64_t Wagma::version_of(std::int64_t iteration) const {
  return group_size_ == 1 ? iteration / options_.sync_period : iteration;
}

VersionStart Wagma::start(std::int64_t version) const {
  return {.by = is_of_all(version) ? VersionStart::By::everyone : VersionStart::By::anyone};
}

const Schedule& Wagma::schedule(int operation, std::int64_t version) const {
  const auto bucket = static_cast<std::size_t>(operation);
  if (is_of_all(version)) return *allreduces_[bucket];
  const auto& groups = group_allreduces_[bucket];
  return *groups[static_cast<std::size_t>(version) % groups.size()];
}

PartialCollectivePlan Wagma::plan(std::int64_t iterations) const {
  PartialCollectivePlan plan{.counts = {},
                             .versions = version_of(iterations),
                             .start = [this](std::int64_t version) { return start(version); },
                             .schedule = [this](int operation, std::int64_t version) -> const Schedule& {
                               return schedule(operation, version);
                             },
                             .is_serialized = options_.serialized,
                             .empties_send_buffers = false,
                             .call_s = options_.operation_cost_s};
  for (const auto& allreduce : allreduces_) plan.counts.push_back(allreduce->count());
  return plan;
}

/// The group all-reduces of a period take turns. Every worker is activated by one message per operation.
TypicalTraffic Wagma::typical_traffic(const Workload&) const {
  const double synchronous = 1.0 / static_cast<double>(options_.sync_period);
  TypicalTraffic traffic;
  for (const auto& allreduce : allreduces_) traffic.add(*allreduce, synchronous);
  if (group_size_ == 1) return traffic;
  for (const auto& groups : group_allreduces_)
    for (const auto& of_turn : groups)
      traffic.add(*of_turn, (1 - synchronous) / static_cast<double>(groups.size()));
  traffic.messages = (1 - synchronous) * static_cast<double>(buckets_.size());
  return traffic;
}

std::vector<Choice> Wagma::choices() const {
  if (options_.group_size) return {};
  return {{.option = "group_size", .value = group_size_}};
}

void Wagma::average(Buffer model, Buffer sum, std::int64_t iteration, bool is_fresh) const {
  const std::span<float> own = model.data();
  const std::span<const float> others = sum.data();
  const auto members = static_cast<float>(synchronizes(iteration) ? workers_ : group_size_);
  const bool adds_own = !is_fresh || (options_.published_code && !synchronizes(iteration));
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i] = adds_own ? (others[i] + own[i]) / (members + 1) : others[i] / members;
  }
}

void Wagma::run(Worker& worker, Replica& replica, const TrainingJob& job) const {
  Trainer trainer(worker, replica, job);
  PartialCollectives collectives(worker, with_layers(plan(job.iterations), job.workload.model, buckets_),
                                 replica.parameters(), first_averaging_tag, job.participation);
  const OwnedBuffer sums(replica.parameters(), replica.elements());
  std::vector<bool> is_fresh(buckets_.size());
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    copy_model(replica.parameters(buckets_[b].tensors), collectives.send_buffer(static_cast<int>(b)));
  }
  for (std::int64_t iteration = 0; iteration < job.iterations; ++iteration) {
    const bool is_averaged = averages(iteration);
    trainer.begin_iteration();
    trainer.forward();
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      trainer.backward_to(buckets_[b].ready_layer);
      if (!options_.published_code) trainer.update(buckets_[b].tensors, 1.0);
      if (!is_averaged) continue;
      copy_model(replica.parameters(buckets_[b].tensors), collectives.send_buffer(static_cast<int>(b)));
      is_fresh[b] = collectives.contribute(static_cast<int>(b));
    }
    trainer.backward();
    for (std::size_t b = 0; is_averaged && b < buckets_.size(); ++b) {
      const Buffer model = replica.parameters(buckets_[b].tensors);
      const Buffer sum = sums.first(model.count());
      collectives.wait(static_cast<int>(b), sum);
      average(model, sum, iteration, is_fresh[b]);
    }
    if (options_.published_code) trainer.update(replica.all(), 1.0);
    trainer.end_iteration();
  }
}

void describe(WagmaOptions& options, OptionVisitor& visitor) {
  describe_collective(options.kind, options.collective, visitor,
                      "the collective that averages the models of all workers");
  visitor.integer({.key = "group_size",
                   .meaning = "S, the number of workers in a group, a power of two up to P; sqrt: √P, "
                              "rounded up to a power of two; 1: no group averages, which is local SGD",
                   .word = "sqrt"},
                  options.group_size, {1, 1 << 20});
  visitor.integer(
      {"sync_period",
       "τ: in every τ-th iteration all workers wait for each other and average their models (`period` of "
       "local_sgd and slowmo, `model_sync_iterations` of eager_solo and eager_majority)"},
      options.sync_period, {1});
  visitor.flag({"fixed_groups", "whether all iterations have the groups of the first one"},
               options.fixed_groups);
  visitor.flag(
      {"published_code",
       "whether to follow the released program where it differs from the paper: group averages count a "
       "worker's own model twice and divide by S + 1, the optimizer's step follows the average, groups do "
       "not wrap around; that program ran with sync_period 11 and bucket_bytes 0"},
      options.published_code);
  describe_operations(options.bucket_bytes, options.serialized, options.operation_cost_s, visitor);
}

std::int64_t pattern_period(const WagmaOptions& options, const ClusterFacts& facts) {
  check(options, facts.workers);
  return common_period(options.sync_period,
                       distinct_groups(options, facts.workers, group_size_of(options, facts.workers)));
}

std::int64_t model_averaging_period(const WagmaOptions& options) { return options.sync_period; }

std::unique_ptr<TrainingAlgorithm> make_algorithm(const WagmaOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return std::make_unique<Wagma>(options, workload, choice_of(options, workload, facts));
}

}  // namespace starling

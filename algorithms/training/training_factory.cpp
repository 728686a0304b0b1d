#include "algorithms/training/training_factory.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "algorithms/training/gossip/gossip_factory.hpp"
#include "algorithms/training/partial/partial_factory.hpp"
#include "algorithms/training/synchronous/bytescheduler.hpp"
#include "algorithms/training/synchronous/dear.hpp"
#include "algorithms/training/synchronous/horovod.hpp"
#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"

namespace starling {
namespace {

/// Their numbers travel as floats, which are exact up to 2²⁴.
constexpr double most_partitions = 1e6;

using Algorithm = std::unique_ptr<TrainingAlgorithm>;

void require_positive(std::string_view algorithm, std::string_view option, double value) {
  if (value > 0 && std::isfinite(value)) return;
  throw std::invalid_argument(
      fmt::format("{}: {} is {}; it must be finite and above 0", algorithm, option, value));
}

void require_not_negative(std::string_view algorithm, std::string_view option, double value) {
  if (value >= 0 && std::isfinite(value)) return;
  throw std::invalid_argument(
      fmt::format("{}: {} is {}; it must be finite and not negative", algorithm, option, value));
}

void require_at_least_one(std::string_view algorithm, std::string_view option, int value) {
  if (value >= 1) return;
  throw std::invalid_argument(fmt::format("{}: {} is {}; it must be 1 or more", algorithm, option, value));
}

double model_bytes(const Workload& workload) {
  return static_cast<double>(workload.model.parameters()) * workload.bytes_per_element;
}

Algorithm wait_free(const Workload& workload, std::vector<Bucket> buckets,
                    const CollectiveChoice& collective) {
  return std::make_unique<WaitFreeBackpropagation>(workload, std::move(buckets), collective);
}

Algorithm make(const AllreduceOptions&, const Workload& workload, const CollectiveChoice& collective) {
  return wait_free(workload, single_bucket(workload.model), collective);
}

Algorithm make(const WfbpOptions&, const Workload& workload, const CollectiveChoice& collective) {
  return wait_free(workload, bucket_per_tensor(workload.model), collective);
}

Algorithm make(const DdpOptions& options, const Workload& workload, const CollectiveChoice& collective) {
  require_positive(options.kind, "bucket_bytes", options.bucket_bytes);
  require_positive(options.kind, "first_bucket_bytes", options.first_bucket_bytes);
  return wait_free(workload, ddp_buckets(workload, options.bucket_bytes, options.first_bucket_bytes),
                   collective);
}

Algorithm make(const HorovodOptions& options, const Workload& workload, const CollectiveChoice& collective) {
  require_positive(options.kind, "cycle_time_s", options.cycle_time_s);
  require_not_negative(options.kind, "fusion_bytes", options.fusion_bytes);
  return std::make_unique<Horovod>(options, workload, collective);
}

Algorithm make(const MgWfbpOptions& options, const Workload& workload, const CollectiveChoice& collective) {
  if (options.planned_start_up_s.has_value() != options.planned_bandwidth.has_value()) {
    throw std::invalid_argument(
        fmt::format("{}: planned_start_up_s and planned_bandwidth go together", options.kind));
  }
  if (!options.planned_bandwidth)
    return wait_free(workload,
                     merged_buckets(workload, collective.allreduce_time(workload.model.parameters())),
                     collective);
  require_not_negative(options.kind, "planned_start_up_s", *options.planned_start_up_s);
  require_positive(options.kind, "planned_bandwidth", *options.planned_bandwidth);
  const AllreduceTime planned{.start_up_s = *options.planned_start_up_s,
                              .s_per_byte = 1 / *options.planned_bandwidth};
  return wait_free(workload, merged_buckets(workload, planned), collective);
}

Algorithm make(const ByteSchedulerOptions& options, const Workload& workload,
               const CollectiveChoice& collective) {
  require_positive(options.kind, "partition_bytes", options.partition_bytes);
  require_positive(options.kind, "credit_bytes", options.credit_bytes);
  require_at_least_one(options.kind, "streams", options.streams);
  const double partitions = model_bytes(workload) / options.partition_bytes;
  if (partitions > most_partitions) {
    throw std::invalid_argument(
        fmt::format("{}: partition_bytes is {}; that makes {:.0f} partitions, and {:.0f} are the most",
                    options.kind, options.partition_bytes, partitions, most_partitions));
  }
  return std::make_unique<ByteScheduler>(options, workload, collective);
}

Algorithm make(const DearOptions& options, const Workload& workload, const CollectiveChoice& collective) {
  require_not_negative(options.kind, "bucket_bytes", options.bucket_bytes);
  require_at_least_one(options.kind, "prefetch_depth", options.prefetch_depth);
  if (!collective.has_halves()) {
    throw std::invalid_argument(
        fmt::format("{}: collective is \"{}\"; it must be one of ring, halving_doubling, auto", options.kind,
                    options.collective));
  }
  return std::make_unique<Dear>(options, workload, collective);
}

template <typename Options>
Algorithm make(const Options& options, const Workload& workload, const ClusterFacts& facts) {
  return make(options, workload,
              CollectiveChoice(options.kind, options.collective, facts, workload.bytes_per_element));
}

Algorithm make(const EagerOptions& options, const Workload& workload, const ClusterFacts& facts) {
  return make_eager_sgd(options, workload, facts);
}

Algorithm make(const WagmaOptions& options, const Workload& workload, const ClusterFacts& facts) {
  return make_wagma(options, workload, facts);
}

Algorithm make(const LocalSgdOptions& options, const Workload& workload, const ClusterFacts& facts) {
  return make_local_sgd(options, workload, facts);
}

Algorithm make(const DpsgdOptions& options, const Workload&, const ClusterFacts& facts) {
  return make_dpsgd(options, facts);
}

Algorithm make(const AdpsgdOptions& options, const Workload&, const ClusterFacts& facts) {
  return make_adpsgd(options, facts);
}

Algorithm make(const SgpOptions& options, const Workload& workload, const ClusterFacts& facts) {
  return make_sgp(options, workload, facts);
}

Algorithm make(const DecentralizedAdamOptions& options, const Workload& workload, const ClusterFacts& facts) {
  return make_decentralized_adam(options, workload, facts);
}

}  // namespace

Algorithm make_training_algorithm(const TrainingOptions& options, const Workload& workload,
                                  const ClusterFacts& facts) {
  return std::visit(
      [&](const auto& chosen) {
        require_at_least_one(chosen.kind, "workers", facts.workers);
        return make(chosen, workload, facts);
      },
      options);
}

}  // namespace starling

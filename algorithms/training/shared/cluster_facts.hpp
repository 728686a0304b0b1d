#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/training/shared/bucket.hpp"
#include "base/options/option_visitor.hpp"

namespace starling {

/// What a training algorithm knows of the cluster before it starts.
struct ClusterFacts {
  int workers = 1;
  /// Ranks of one host are consecutive; 1 where they are not.
  int workers_per_host = 1;
  /// As in CollectiveOptions.
  double interfaces_per_host = 1;
  /// Whether hosts hold several workers whose ranks are not consecutive.
  bool is_scattered = false;
  /// The placements under which they would be; of a job none is named, as its own ranks decide that, too.
  std::vector<std::string> consecutive_placements = {};
  /// What a message costs between two hosts.
  LinearCosts costs = {};
  /// The same between two workers of one host; by default as between hosts.
  std::optional<LinearCosts> intra_host_costs = {};
  /// As in CollectiveOptions.
  double eager_bytes = std::numeric_limits<double>::infinity();
  double handshake_s = 0;
  /// Finds what messages cost that are sent at once; by default as the above says. O(P) looks at routes.
  StepCostsFinder step_costs = {};
};

/// @throws std::invalid_argument, beginning with `what`, where hosts hold ranks that are not consecutive.
void require_consecutive_ranks(std::string_view what, const ClusterFacts& facts);

/// What `members` know if they are all workers, member i as rank i.
ClusterFacts facts_of_members(ClusterFacts facts, std::span<const Rank> members);

/// The names of all collectives.
std::vector<std::string> collective_names();

/// The key "collective" of an algorithm: one of collective_names(), or of those that it can use; auto takes,
/// for every message size, the one whose cost formula is least.
void describe_collective(std::string_view algorithm, std::string& collective, OptionVisitor& visitor,
                         std::string_view meaning = "how gradients are summed",
                         const std::vector<std::string>& usable = collective_names());

/// The collective an algorithm was told to use, on the cluster it will run on.
class CollectiveChoice {
 public:
  /// @throws std::invalid_argument, beginning with `algorithm`, for a name that no collective has.
  CollectiveChoice(std::string_view algorithm, const std::string& collective, const ClusterFacts& facts,
                   double bytes_per_element);

  int workers() const { return workers_; }
  /// Schedules over all workers for `count` elements.
  std::unique_ptr<Schedule> allreduce(std::int64_t count) const;
  std::unique_ptr<Schedule> reduce_scatter(std::int64_t count) const;
  std::unique_ptr<Schedule> allgather(std::int64_t count) const;

  /// The line through the cost formula at `largest_count` elements whose start-up is that of its messages.
  AllreduceTime allreduce_time(std::int64_t largest_count) const;

 private:
  CollectiveKind kind_;
  int workers_;
  CollectiveOptions options_;
};

/// What the options of an algorithm say of it. @throws as the constructor.
template <typename Options>
CollectiveChoice choice_of(const Options& options, const Workload& workload, const ClusterFacts& facts) {
  return CollectiveChoice(options.kind, options.collective, facts, workload.bytes_per_element);
}

}  // namespace starling

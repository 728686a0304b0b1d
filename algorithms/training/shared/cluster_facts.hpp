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
  /// The number of workers on a host, whose ranks are consecutive; 1 where ranks of a host are not
  /// consecutive.
  int workers_per_host = 1;
  /// As in CollectiveOptions.
  double interfaces_per_host = 1;
  /// Whether some host has several workers whose ranks are not consecutive.
  bool is_scattered = false;
  /// The placements that would make the ranks of every host consecutive, for error messages. Empty for one
  /// job of several, where the job's own list of ranks matters, too.
  std::vector<std::string> consecutive_placements = {};
  /// What a message costs between two hosts.
  LinearCosts costs = {};
  /// What a message costs between two workers of one host; if not set, as much as between hosts.
  std::optional<LinearCosts> intra_host_costs = {};
  /// As in CollectiveOptions.
  double eager_bytes = std::numeric_limits<double>::infinity();
  double handshake_s = 0;
  /// Finds the cost of messages that are sent at the same time and may share links; by default it follows
  /// from the costs above. Looks up O(P) routes.
  StepCostsFinder step_costs = {};
};

/// Checks that the ranks of every host are consecutive.
/// @throws std::invalid_argument with a message that begins with `what` if they are not.
void require_consecutive_ranks(std::string_view what, const ClusterFacts& facts);

/// The facts of a cluster that consists of `members` only, member i being rank i.
ClusterFacts facts_of_members(ClusterFacts facts, std::span<const Rank> members);

/// The names of all collectives.
std::vector<std::string> collective_names();

/// Describes the key "collective" of an algorithm: one of the names that it can use, of collective_names().
/// "auto" takes, for every message size, the collective with the lowest cost formula.
void describe_collective(std::string_view algorithm, std::string& collective, OptionVisitor& visitor,
                         std::string_view meaning = "the collective that sums gradients",
                         const std::vector<std::string>& usable = collective_names());

/// The collective that an algorithm's options name, on the cluster on which the algorithm will run.
class CollectiveChoice {
 public:
  /// @throws std::invalid_argument with a message that begins with `algorithm`, if there is no collective of
  /// that name, or if it is hierarchical and the ranks of a host are not consecutive.
  CollectiveChoice(std::string_view algorithm, const std::string& collective, const ClusterFacts& facts,
                   double bytes_per_element);

  int workers() const { return workers_; }
  /// Schedules of the collective over all workers, for `count` elements. @throws std::invalid_argument if the
  /// collective has no reduce-scatter or all-gather, or does not fit the number of workers.
  std::unique_ptr<Schedule> allreduce(std::int64_t count) const;
  std::unique_ptr<Schedule> reduce_scatter(std::int64_t count) const;
  std::unique_ptr<Schedule> allgather(std::int64_t count) const;

  /// The linear model a + b·m of the all-reduce's cost formula: a is the start-up time of its messages, and
  /// the line meets the formula at `largest_count` elements.
  AllreduceTime allreduce_time(std::int64_t largest_count) const;

 private:
  CollectiveKind kind_;
  int workers_;
  CollectiveOptions options_;
};

/// The collective that the options of an algorithm name. @throws as the constructor.
template <typename Options>
CollectiveChoice choice_of(const Options& options, const Workload& workload, const ClusterFacts& facts) {
  return CollectiveChoice(options.kind, options.collective, facts, workload.bytes_per_element);
}

}  // namespace starling

#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/collectives/collective_kind.hpp"
#include "algorithms/collectives/collective_steps.hpp"
#include "algorithms/collectives/cost.hpp"
#include "algorithms/collectives/schedules/schedule.hpp"
#include "sim/worker.hpp"

namespace starling {

/// "ring", "recursive_doubling", "halving_doubling", "double_tree", "hierarchical", "auto".
std::string_view name_of(CollectiveKind kind);
std::optional<CollectiveKind> collective_kind(std::string_view name);
/// Every kind, in the order of the enumeration.
std::span<const CollectiveKind> collective_kinds();
/// Those of the kinds that have a reduce-scatter and an all-gather.
std::vector<std::string> half_collective_names();

/// What a schedule may depend on beside ranks and elements.
struct CollectiveOptions {
  /// Ranks of one host are consecutive. Matters to `hierarchical` and `automatic`.
  int workers_per_host = 1;
  /// How many of them can send to another host at once, each as fast as one alone: network cards.
  double interfaces_per_host = 1;
  /// Costs between workers of different hosts; the segments of `double_tree` follow from them.
  LinearCosts costs = {};
  /// Costs between workers of one host; by default as between hosts.
  std::optional<LinearCosts> intra_host_costs = {};
  /// What an element is on the wire.
  double bytes_per_element = 4;
  /// Larger messages wait until their receiver has answered, so much longer.
  double eager_bytes = std::numeric_limits<double>::infinity();
  double handshake_s = 0;
  /// What messages cost that are sent at once; by default as the above says, where workers of a host that
  /// send to others at once share its interfaces.
  StepCostsFinder step_costs = {};
  /// What `automatic` and predictions go by; by default as steps_of() finds it.
  std::shared_ptr<const CollectiveSteps> steps = {};
};

/// Schedules are immutable: build one, let all ranks and all calls of equal size share it.
///
/// `double_tree` takes n segments per tree, n = √((D−2)·m(2β+γ)/(8α)) rounded, 1 to 512, which minimizes its
/// cost formula; where these are above eager_bytes, what costs less of the fewest that are not, and n with
/// the handshake in α; where α or β is unknown (0), segments of 256 KiB. `hierarchical` has a ring between
/// hosts.
///
/// `automatic` takes the kind whose cost formula is lowest for these options, ties in the order of the
/// enumeration; hierarchical takes part where is_hierarchical_possible().
/// @throws std::invalid_argument for ranks < 1, count < 0, or hierarchical where hosts would have unequal
/// numbers of workers; the message names the numbers.
std::unique_ptr<Schedule> make_allreduce(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options = {});

/// Whether a hierarchical all-reduce is possible, and no plain ring.
bool is_hierarchical_possible(int ranks, int workers_per_host);

/// What make_allreduce(kind, …) should take where nothing else uses the network, by the cost formula that
/// `automatic` goes by. Formulas count what the messages of each step cost that are sent at once: recursive
/// doubling and halving-doubling take the slowest of each exchange, folds included; rings as
/// unlike_ring_allreduce; a double tree for each step the mean over its colors, up and down, of the slowest.
/// @throws std::invalid_argument as make_allreduce.
double predicted_allreduce_s(CollectiveKind kind, int ranks, std::int64_t count,
                             const CollectiveOptions& options);

/// The part of it that is start-ups of messages, as those of so many elements have them; of a double tree in
/// one segment. Of `automatic` the least of any kind.
double predicted_start_up_s(CollectiveKind kind, int ranks, std::int64_t count,
                            const CollectiveOptions& options);

/// The steps that a kind goes by: those of the options, or as step_costs finds them, in O(P log P) looks at
/// routes. Keep them in the options to ask repeatedly.
std::shared_ptr<const CollectiveSteps> steps_of(CollectiveKind kind, int ranks,
                                                const CollectiveOptions& options);

/// Leaves the sum of chunk r of EvenPartition(count, ranks) on rank r, halving_doubling that of the chunk
/// left with it (chunk_left_with); the rest of the buffer is scratch afterwards. ring for any P;
/// halving_doubling for powers of two; automatic is halving_doubling where P is one and costs less, else
/// ring.
/// @throws std::invalid_argument for other kinds.
std::unique_ptr<Schedule> make_reduce_scatter(CollectiveKind kind, int ranks, std::int64_t count,
                                              const CollectiveOptions& options = {});

/// Gives everyone the chunks that make_reduce_scatter of that kind leaves. Kinds as there.
std::unique_ptr<Schedule> make_allgather(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options = {});

/// Binomial trees. After a reduce only the root's buffer means something.
std::unique_ptr<Schedule> make_broadcast(int ranks, std::int64_t count, Rank root = 0);
std::unique_ptr<Schedule> make_reduce(int ranks, std::int64_t count, Rank root = 0);

/// Sums within the groups of size S of iteration t (algorithms of wait-avoiding group averaging), all groups
/// in one schedule of P ranks. @throws std::invalid_argument unless P and S are powers of two and S ≤ P.
std::unique_ptr<Schedule> make_group_allreduce(int ranks, std::int64_t count, int group_size,
                                               std::int64_t iteration);

/// Returns when every rank has called it. Costs ⌈log₂P⌉α: its messages are empty.
void barrier(Worker& worker, Tag tag);

/// Sums `buffer` over all ranks of the world, in place. For repeated use build the schedule once and run
/// that.
void allreduce(Worker& worker, Buffer buffer, Tag tag, CollectiveKind kind = CollectiveKind::ring,
               const CollectiveOptions& options = {});

/// Copies the root's buffer to everyone.
void broadcast(Worker& worker, Buffer buffer, Rank root, Tag tag);

}  // namespace starling

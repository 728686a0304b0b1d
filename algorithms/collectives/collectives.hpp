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

/// "ring", "recursive_doubling", "halving_doubling", "double_tree", "hierarchical" or "auto".
std::string_view name_of(CollectiveKind kind);
/// The kind of that name; empty if there is none.
std::optional<CollectiveKind> collective_kind(std::string_view name);
/// Every kind, in the order of the enumeration.
std::span<const CollectiveKind> collective_kinds();
/// The names of the kinds that make_reduce_scatter() and make_allgather() accept.
std::vector<std::string> half_collective_names();

/// The properties of the cluster that a schedule may depend on, beside the numbers of ranks and elements.
struct CollectiveOptions {
  /// Ranks of one host are consecutive. Used by `hierarchical`, `double_tree` and the cost formulas.
  int workers_per_host = 1;
  /// The number of network cards: so many workers of a host can send to other hosts at the same time, each at
  /// full bandwidth.
  double interfaces_per_host = 1;
  /// Costs between workers of different hosts. The number of segments of `double_tree` follows from them.
  LinearCosts costs = {};
  /// Costs between workers of one host; by default the same as between hosts.
  std::optional<LinearCosts> intra_host_costs = {};
  /// Size of an element on the wire.
  double bytes_per_element = 4;
  /// Larger messages are sent by rendezvous, which adds handshake_s to their α.
  double eager_bytes = std::numeric_limits<double>::infinity();
  double handshake_s = 0;
  /// Finds the costs of messages that are sent at the same time. By default they follow from the members
  /// above: workers of a host that send to other hosts at the same time share its interfaces.
  StepCostsFinder step_costs = {};
  /// The steps on which `automatic` and predictions are based; by default steps_of() finds them.
  std::shared_ptr<const CollectiveSteps> steps = {};
};

/// Makes an all-reduce. Schedules are immutable: build one and share it among all ranks and all calls of
/// equal size.
///
/// `double_tree` uses n segments per tree, n = √((D−2)·m(2β+γ)/(8α)) rounded, 1 to 512, which minimizes its
/// cost formula. If these segments are larger than eager_bytes, it uses the cheaper of two numbers: the
/// least number of segments that are not larger, and the best n with the handshake in α. If α or β is
/// unknown (0), it uses segments of 256 KiB. `hierarchical` has a ring between hosts.
///
/// `automatic` uses the kind whose cost formula is lowest for these options; ties go to the first kind in the
/// order of the enumeration. `hierarchical` is a candidate only if is_hierarchical_possible().
/// @throws std::invalid_argument for ranks < 1, count < 0, or `hierarchical` if workers_per_host does not
/// divide ranks; the message names the numbers.
std::unique_ptr<Schedule> make_allreduce(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options = {});

/// Whether `ranks` divide into at least two hosts of at least two workers each; a hierarchical all-reduce
/// would be a plain ring otherwise, if possible at all.
bool is_hierarchical_possible(int ranks, int workers_per_host);

/// Predicts the seconds of make_allreduce(kind, …) if nothing else uses the network, by the cost formula that
/// `automatic` compares. Formulas sum the costs of steps, whose messages are sent at the same time: recursive
/// doubling and halving-doubling count the slowest message of each exchange and fold; rings are as in
/// unlike_ring_allreduce; a step of a double tree counts the mean, over both colors and both directions, of
/// the slowest message.
/// @throws std::invalid_argument as make_allreduce.
double predicted_allreduce_s(CollectiveKind kind, int ranks, std::int64_t count,
                             const CollectiveOptions& options);

/// The part of predicted_allreduce_s() that is start-ups of messages, with those of messages of this size; a
/// double tree counts as one segment. For `automatic`, the least of any kind.
double predicted_start_up_s(CollectiveKind kind, int ranks, std::int64_t count,
                            const CollectiveOptions& options);

/// The costs of the steps of `kind`: options.steps if given, else found by options.step_costs, which looks up
/// O(P log P) routes. To ask repeatedly, store the result in options.steps.
std::shared_ptr<const CollectiveSteps> steps_of(CollectiveKind kind, int ranks,
                                                const CollectiveOptions& options);

/// Makes a reduce-scatter. It leaves the sum of chunk r of EvenPartition(count, ranks) on rank r
/// (`halving_doubling`: the sum of chunk chunk_left_with(r, ranks)); the rest of the buffer is scratch
/// afterwards. `automatic` is halving_doubling if P is a power of two and its all-reduce is predicted to be
/// faster than the ring's, else ring.
/// @throws std::invalid_argument for other kinds, and for halving_doubling if P is not a power of two.
std::unique_ptr<Schedule> make_reduce_scatter(CollectiveKind kind, int ranks, std::int64_t count,
                                              const CollectiveOptions& options = {});

/// Makes an all-gather of the chunks that make_reduce_scatter() of the same kind leaves. Kinds and exceptions
/// as there.
std::unique_ptr<Schedule> make_allgather(CollectiveKind kind, int ranks, std::int64_t count,
                                         const CollectiveOptions& options = {});

/// Binomial trees. After a reduce, only the root's buffer is meaningful.
/// @throws std::invalid_argument if `root` is not a rank.
std::unique_ptr<Schedule> make_broadcast(int ranks, std::int64_t count, Rank root = 0);
std::unique_ptr<Schedule> make_reduce(int ranks, std::int64_t count, Rank root = 0);

/// Makes an all-reduce within each of the groups of size S of iteration t (wait-avoiding group averaging, see
/// Butterfly), with all groups in one schedule of P ranks.
/// @throws std::invalid_argument unless P and S are powers of two and S ≤ P.
std::unique_ptr<Schedule> make_group_allreduce(int ranks, std::int64_t count, int group_size,
                                               std::int64_t iteration);

/// Returns once every rank has called it. Costs ⌈log₂P⌉α, as its messages are empty.
void barrier(Worker& worker, Tag tag);

/// Sums `buffer` over all ranks of the world, in place. For repeated use, build the schedule once and call
/// run_schedule().
void allreduce(Worker& worker, Buffer buffer, Tag tag, CollectiveKind kind = CollectiveKind::ring,
               const CollectiveOptions& options = {});

/// Copies the root's buffer to all ranks.
void broadcast(Worker& worker, Buffer buffer, Rank root, Tag tag);

}  // namespace starling

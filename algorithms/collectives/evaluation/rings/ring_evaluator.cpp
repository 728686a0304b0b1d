#include "algorithms/collectives/evaluation/rings/ring_evaluator.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "algorithms/collectives/evaluation/rings/ring_of_arrays.hpp"
#include "algorithms/collectives/evaluation/rings/ring_of_ranks.hpp"
#include "algorithms/collectives/evaluation/rings/ring_of_runs.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

/// Hop r leads from rank r to the next one.
std::vector<Hop> hops_of_ring(const FreeRoutes& network) {
  const int workers = network.routes().workers();
  std::vector<Hop> hops;
  for (Rank rank = 0; rank < workers; ++rank) {
    hops.push_back(network.hop(rank, Ring(rank, workers).right()));
    hops.back().is_of_ring = true;
  }
  return hops;
}

/// Computes all steps from `step` to before `end_step`, and returns the states after them. Steps that only
/// repeat the previous one are computed at once.
template <typename RingOf>
std::vector<RankState> after_each_step(RingOf& ring, const ChunkSizes& chunks, const FreeRoutes& network,
                                       int step, int end_step) {
  const int workers = network.routes().workers();
  for (; step < end_step; ++step) {
    ring.step(step, reduction_of_step(network, step, workers));
    const int left_in_phase = steps_of_phase(workers, step, end_step) - 1;
    if (chunks.larger_chunks > 0 || left_in_phase <= 0 || !ring.advanced_evenly()) continue;
    ring.repeat(left_in_phase);
    step += left_in_phase;
  }
  return ring.ranks();
}

/// The same rank by rank: over arrays if possible.
std::vector<RankState> after_each_step(StepRules& rules, const RingHops& hops, const FreeRoutes& network,
                                       std::vector<RankState> ranks, int step, int end_step) {
  if (std::optional<RingOfArrays> ring = RingOfArrays::make(rules.chunks(), hops.hops, network, ranks))
    return after_each_step(*ring, rules.chunks(), network, step, end_step);
  RingOfRanks ring(rules, hops, network, std::move(ranks));
  return after_each_step(ring, rules.chunks(), network, step, end_step);
}

/// Whether some hop soon paces all ranks. Rank by rank, one step then determines the rest of its
/// phase, whereas with runs, whose hops change from step to step, it does not.
bool soon_advances_evenly(const ChunkSizes& chunks, const RingHops& hops, const FreeRoutes& network,
                          std::span<const RankState> ranks, int step, int end_step) {
  constexpr int few_steps = 16;
  if (hops.changes().empty() || chunks.larger_chunks > 0) return false;
  std::optional<RingOfArrays> ring = RingOfArrays::make(chunks, hops.hops, network, ranks);
  if (!ring) return false;
  for (const int end = std::min(end_step, step + few_steps); step < end; ++step) {
    ring->step(step, reduction_of_step(network, step, network.routes().workers()));
    if (ring->advanced_evenly()) return true;
  }
  return false;
}

/// Computes all steps from `step` to before `end_step`, and returns the states after them: as runs while
/// there are few of them, else rank by rank.
std::vector<RankState> after_steps(StepRules& rules, const RingHops& hops, const FreeRoutes& network,
                                   std::vector<RankState> ranks, int step, int end_step) {
  if (soon_advances_evenly(rules.chunks(), hops, network, ranks, step, end_step))
    return after_each_step(rules, hops, network, std::move(ranks), step, end_step);
  return after_steps(
      rules, hops, network, std::move(ranks), step, end_step,
      [&](RingOfRuns& runs, int from) { return runs.go(from, end_step, nullptr); },
      [&](std::vector<RankState> all, int from, int to) {
        return after_each_step(rules, hops, network, std::move(all), from, to);
      });
}

}  // namespace

bool are_ring_hops_disjoint(const Routes& routes) {
  std::vector<bool> is_used(routes.links().size());
  for (Rank rank = 0; routes.workers() > 1 && rank < routes.workers(); ++rank)
    for (const LinkIndex link : routes.route(rank, Ring(rank, routes.workers()).right())) {
      if (is_used[static_cast<std::size_t>(link)]) return false;
      is_used[static_cast<std::size_t>(link)] = true;
    }
  return true;
}

RingEvaluator::RingEvaluator(FreeRoutes& network, std::vector<Hop> hops)
    : network_(network),
      hops_(std::move(hops)),
      last_free_s_(hops_.size(), FreeRoutes::never_s),
      last_departure_s_(hops_.size(), FreeRoutes::never_s) {}

std::optional<RingEvaluator> RingEvaluator::make(FreeRoutes& network) {
  if (network.routes().workers() < 2 || !are_ring_hops_disjoint(network.routes())) return std::nullopt;
  return RingEvaluator(network, hops_of_ring(network));
}

bool RingEvaluator::can_follow(const RingSchedule& schedule, double bytes_per_element) const {
  if (static_cast<std::size_t>(schedule.ranks()) != hops_.size()) return false;
  const ChunkSizes chunks(schedule, bytes_per_element);
  const bool is_first_small = network_.leg(chunks.most_bytes(), hops_.hops.front()).is_small;
  return std::ranges::all_of(hops_.kinds, [&](const Hop& hop) {
    const Leg most = network_.leg(chunks.most_bytes(), hop);
    if (hops_.size() == 2 && most.is_rendezvous) return false;
    return !network_.rules().take_links ||
           (most.is_small == is_first_small && network_.leg(chunks.bytes[0], hop).is_small == is_first_small);
  });
}

Rank RingEvaluator::right(std::size_t rank) const {
  return Ring(static_cast<Rank>(rank), static_cast<int>(hops_.size())).right();
}

std::span<const LinkIndex> RingEvaluator::route(std::size_t rank) const {
  return network_.routes().route(static_cast<Rank>(rank), right(rank));
}

namespace {

/// The numbers of messages and bytes of a ring, without end times.
Evaluation counted(const RingSchedule& schedule, const ChunkSizes& chunks, const FreeRoutes& network,
                   const Hop& hop) {
  Evaluation counted;
  const std::uint64_t rounds = static_cast<std::uint64_t>(schedule.rounds(0));
  const std::uint64_t larger = static_cast<std::uint64_t>(chunks.larger_chunks);
  const std::array<std::uint64_t, 2> numbers = {static_cast<std::uint64_t>(schedule.ranks()) - larger,
                                                larger};
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}}) {
    if (chunks.bytes[size] == 0) continue;
    const std::uint64_t messages = rounds * numbers[size];
    counted.messages += messages;
    if (network.leg(chunks.bytes[size], hop).is_rendezvous) counted.rendezvous_messages += messages;
    counted.bytes += static_cast<double>(messages) * chunks.bytes[size];
  }
  return counted;
}

}  // namespace

/// The state of each rank when it enters a ring. Clears `is_in_order` if it is not known when a rank's hop is
/// free, or if its small messages might overtake earlier ones.
std::vector<RankState> RingEvaluator::states(std::span<const double> begin_s, bool& is_in_order) const {
  std::vector<RankState> states;
  for (std::size_t rank = 0; rank < hops_.size(); ++rank) {
    const bool knows_start = network_.knows_start(route(rank), static_cast<Rank>(rank), right(rank),
                                                  begin_s[rank] + network_.costs().overhead_s);
    const double free_s = knows_start ? network_.free_s(route(rank), static_cast<Rank>(rank), right(rank))
                                      : FreeRoutes::never_s;
    const double start_s = free_s == last_free_s_[rank] ? last_departure_s_[rank] : free_s;
    const std::optional<double> small_gone_s =
        network_.small_gone_s(static_cast<Rank>(rank), right(rank), begin_s[rank]);
    is_in_order = is_in_order && small_gone_s.has_value() && knows_start;
    states.push_back({begin_s[rank], free_s, start_s, small_gone_s.value_or(FreeRoutes::never_s)});
  }
  return states;
}

Evaluation RingEvaluator::evaluate(const RingSchedule& schedule, std::span<const double> begin_s,
                                   double bytes_per_element) {
  STARLING_INVARIANT(begin_s.size() == hops_.size() && can_follow(schedule, bytes_per_element));
  const ChunkSizes chunks(schedule, bytes_per_element);
  StepRules rules(network_, chunks);
  const int first_step = schedule.first_step();
  bool is_in_order = true;
  std::vector<RankState> before = states(begin_s, is_in_order);
  std::vector<RankState> after =
      after_steps(rules, hops_, network_, before, first_step, first_step + schedule.rounds(0));
  Evaluation evaluation = counted(schedule, chunks, network_, hops_.hops.front());
  for (const RankState& state : after) evaluation.end_s.push_back(state.begin_s);
  evaluation.is_exact = take_links(chunks, before, after) && rules.is_exact() && is_in_order;
  note_small(after);
  last_ = {chunks, first_step, first_step + schedule.rounds(0), std::move(before), std::move(after)};
  return evaluation;
}

/// Whether all messages are small and do not take links, so that they queue only behind their own connection.
bool RingEvaluator::are_all_small(const ChunkSizes& chunks) const {
  return !network_.rules().take_links && std::ranges::all_of(hops_.kinds, [&](const Hop& hop) {
    return network_.leg(chunks.most_bytes(), hop).is_small;
  });
}

/// Whether small messages of a rank have waited behind earlier messages of its hop, and so have taken links.
bool RingEvaluator::have_waited(const RankState& before, const RankState& after) const {
  const double launch_s = before.begin_s + network_.costs().overhead_s;
  return network_.rules().keep_order && after.free_s != before.free_s && before.free_s > launch_s;
}

/// Records in the network which links the ring used, and when. Returns false if other connections used them
/// meanwhile.
bool RingEvaluator::take_links(const ChunkSizes& chunks, std::span<const RankState> before,
                               std::span<const RankState> after) {
  const bool pass = are_all_small(chunks);
  bool is_alone = true;
  for (std::size_t rank = 0; rank < hops_.size(); ++rank) {
    const RankState& now = after[rank];
    if (pass && !have_waited(before[rank], now)) continue;
    // never_s: the hop was free before the rank completed the ring, so this is an upper bound of its use.
    const bool is_over = now.free_s == FreeRoutes::never_s;
    const double end_s = is_over ? now.begin_s : now.free_s;
    const double first_s = std::max(before[rank].begin_s + network_.costs().overhead_s, before[rank].free_s);
    last_free_s_[rank] = end_s;
    last_departure_s_[rank] = now.start_s;
    is_alone = network_.take(route(rank), static_cast<Rank>(rank), right(rank), std::min(first_s, end_s),
                             end_s, is_over) &&
               is_alone;
  }
  return is_alone;
}

/// Records in the network the last small message of each rank.
void RingEvaluator::note_small(std::span<const RankState> after) {
  for (std::size_t rank = 0; rank < hops_.size(); ++rank)
    if (after[rank].small_gone_s > FreeRoutes::never_s)
      network_.note_small(static_cast<Rank>(rank), right(rank), after[rank].small_gone_s);
}

}  // namespace starling

#include "algorithms/collectives/evaluation/ring_evaluator.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "algorithms/collectives/schedules/chunks.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

/// Hop r leads from rank r to the next one. Empty if two share a link.
std::vector<Hop> separate_hops(const FreeRoutes& network) {
  const Routes& routes = network.routes();
  std::vector<Hop> hops;
  std::vector<bool> is_used(routes.links().size(), false);
  for (Rank rank = 0; rank < routes.workers(); ++rank) {
    const Rank right = Ring(rank, routes.workers()).right();
    for (const LinkIndex index : routes.route(rank, right)) {
      if (is_used[static_cast<std::size_t>(index)]) return {};
      is_used[static_cast<std::size_t>(index)] = true;
    }
    hops.push_back(network.hop(rank, right));
  }
  return hops;
}

using RankState = RingEvaluator::RankState;

/// What a rank has sent in a step.
struct Sent {
  double launch_s;
  double arrival_s;
  double complete_s;
};

/// The sizes of chunks: the first `larger_chunks` have one element more.
struct ChunkSizes {
  ChunkSizes(const RingSchedule& schedule, double bytes_per_element)
      : larger_chunks(static_cast<int>(schedule.count() % schedule.ranks())) {
    const double smaller = static_cast<double>(schedule.count() / schedule.ranks());
    bytes = {smaller * bytes_per_element, (smaller + 1) * bytes_per_element};
  }
  /// 1 for the larger ones.
  std::size_t size_of(int chunk) const { return chunk < larger_chunks ? 1 : 0; }

  int larger_chunks;
  std::array<double, 2> bytes;  // of a smaller, of a larger one
};

/// What a chunk takes on a hop, by its size.
using Legs = std::array<Leg, 2>;

/// The equations of a step.
class StepRules {
 public:
  StepRules(const FreeRoutes& network, const ChunkSizes& chunks)
      : network_(network), chunks_(chunks), overhead_s_(network.costs().overhead_s) {}

  const ChunkSizes& chunks() const { return chunks_; }
  double overhead_s() const { return overhead_s_; }
  bool is_exact() const { return is_exact_; }
  void note_ambiguity() { is_exact_ = false; }

  bool is_sent(std::size_t size) const { return chunks_.bytes[size] > 0; }
  /// When a rank whose message is not there yet begins to send.
  double launch_s(double begin_s, std::size_t size) const {
    return is_sent(size) ? begin_s + overhead_s_ : begin_s;
  }

  /// A rank sends at `launch_s`, to one whose step begins at `receiver_begin_s`. Updates its hop.
  Sent send(RankState& own, const Leg& leg, double launch_s, double receiver_begin_s) {
    double ready_s = launch_s;
    if (leg.is_rendezvous) {
      const double request_s = network_.control_arrival_s(in_order(own, launch_s), leg.latency_s, own.free_s);
      ready_s = std::max(request_s, receiver_begin_s) + leg.back_latency_s;
    }
    Passage passage = network_.passage(leg, launch_s, ready_s, own.free_s);
    if (passage.passes) {
      passage.arrival_s = in_order(own, passage.gone_s) + leg.latency_s;
      if (network_.rules().take_links) take_links(own, ready_s, leg.transmission_s);
    } else {
      own.start_s = passage.start_s;
      own.free_s = passage.gone_s;
    }
    return {launch_s, passage.arrival_s, passage.complete_s};
  }

  /// When a rank's step ends that began at `begin_s`; sizes are those of what it sends and receives.
  double end_s(double begin_s, std::size_t sent_size, const Sent& sent, std::size_t received_size,
               const Leg& leg, double arrival_s, double reduction_s_per_byte) const {
    const double launch_s = is_sent(sent_size) ? sent.launch_s : begin_s;
    const double complete_s = is_sent(sent_size) ? std::max(launch_s, sent.complete_s) : begin_s;
    if (!is_sent(received_size)) return complete_s;
    const double received_s = network_.received_s(leg, begin_s, launch_s, arrival_s);
    return std::max(complete_s, received_s) + chunks_.bytes[received_size] * reduction_s_per_byte;
  }

 private:
  /// When a small message that might leave then does: where small ones do not overtake each other, after those
  /// before it.
  double in_order(RankState& own, double gone_s) const {
    if (network_.rules().take_links) return gone_s;
    return own.small_gone_s = std::max(own.small_gone_s, gone_s);
  }
  /// A message that waits its turn before the first link of its hop would meet those that slip past it on
  /// the next link, which one link for the whole hop does not show.
  void take_links(RankState& own, double ready_s, double transmission_s) {
    if (ready_s <= own.start_s || are_simultaneous(ready_s, own.start_s)) is_exact_ = false;
    own.free_s = std::max(ready_s, own.free_s) + transmission_s;
  }

  const FreeRoutes& network_;
  ChunkSizes chunks_;
  double overhead_s_;
  bool is_exact_ = true;
};

/// All ranks of a ring between two steps, each for itself.
class RingOfRanks {
 public:
  RingOfRanks(StepRules& rules, std::span<const Hop> hops, const FreeRoutes& network,
              std::vector<RankState> ranks);

  void step(int step, double reduction_s_per_byte);
  /// True if the last step took every rank and every hop equally long, but for rounding.
  bool advanced_evenly() const;
  /// Repeats the last step `times` times; only where it advanced evenly and all chunks are alike.
  void repeat(int times);
  const std::vector<RankState>& ranks() const { return ranks_; }

 private:
  std::size_t left_of(std::size_t rank) const { return rank == 0 ? ranks_.size() - 1 : rank - 1; }
  std::size_t right_of(std::size_t rank) const { return rank + 1 == ranks_.size() ? 0 : rank + 1; }
  /// Of the chunk that rank sends in that step.
  std::size_t size_sent(std::size_t rank, int step) const;
  const Leg& leg(std::size_t rank, std::size_t size) const { return legs_[kinds_[rank]][size]; }
  void send(std::size_t rank, double launch_s);
  std::size_t early_arrivals() const;
  void delay_by_early_arrivals();

  StepRules& rules_;
  std::vector<RankState> ranks_;
  std::vector<RankState> before_;
  std::vector<Sent> sent_;
  std::vector<std::uint8_t> sizes_;  // of the chunks that ranks send in this step
  std::vector<std::uint32_t> kinds_;
  std::vector<Legs> legs_;  // by the kind of hop
};

RingOfRanks::RingOfRanks(StepRules& rules, std::span<const Hop> hops, const FreeRoutes& network,
                         std::vector<RankState> ranks)
    : rules_(rules), ranks_(std::move(ranks)), before_(ranks_), sent_(ranks_.size()), sizes_(ranks_.size()) {
  std::vector<Hop> found;
  for (const Hop& hop : hops) {
    const auto place = std::ranges::find(found, hop);
    kinds_.push_back(static_cast<std::uint32_t>(place - found.begin()));
    if (place != found.end()) continue;
    found.push_back(hop);
    legs_.push_back({network.leg(rules.chunks().bytes[0], hop), network.leg(rules.chunks().bytes[1], hop)});
  }
}

std::size_t RingOfRanks::size_sent(std::size_t rank, int step) const {
  const int ranks = static_cast<int>(ranks_.size());
  return rules_.chunks().size_of(Ring(static_cast<Rank>(rank), ranks).behind(step % ranks + 1));
}

void RingOfRanks::send(std::size_t rank, double launch_s) {
  ranks_[rank] = before_[rank];
  sent_[rank] = rules_.send(ranks_[rank], leg(rank, sizes_[rank]), launch_s, before_[right_of(rank)].begin_s);
}

/// How many messages are there when their receivers begin, or within rounding of it.
std::size_t RingOfRanks::early_arrivals() const {
  std::size_t early = 0;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const double begin_s = before_[rank].begin_s;
    if (rules_.is_sent(sizes_[left_of(rank)]) && sent_[left_of(rank)].arrival_s <= begin_s * (1 + rounding))
      ++early;
  }
  return early;
}

/// A rank whose message is already there receives it first, which delays its own message by o. So fewer
/// messages are early than it seemed: ranks are gone through around the ring, after one that waits, in the
/// order of cause and effect.
void RingOfRanks::delay_by_early_arrivals() {
  const auto is_early = [this](std::size_t rank) {
    return rules_.is_sent(sizes_[left_of(rank)]) && sent_[left_of(rank)].arrival_s <= before_[rank].begin_s;
  };
  std::size_t rank = 0;
  while (rank < ranks_.size() && is_early(rank)) ++rank;
  if (rank == ranks_.size()) return rules_.note_ambiguity();
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    rank = right_of(rank);
    const double begin_s = before_[rank].begin_s;
    if (rules_.is_sent(sizes_[left_of(rank)]) && are_simultaneous(sent_[left_of(rank)].arrival_s, begin_s))
      rules_.note_ambiguity();
    if (is_early(rank) && rules_.is_sent(sizes_[rank])) send(rank, begin_s + 2 * rules_.overhead_s());
  }
}

void RingOfRanks::step(int step, double reduction_s_per_byte) {
  before_.swap(ranks_);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    sizes_[rank] = static_cast<std::uint8_t>(size_sent(rank, step));
    if (rules_.is_sent(sizes_[rank]))
      send(rank, before_[rank].begin_s + rules_.overhead_s());
    else
      ranks_[rank] = before_[rank];
  }
  if (rules_.overhead_s() > 0 && early_arrivals() > 0) delay_by_early_arrivals();
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const std::size_t left = left_of(rank);
    ranks_[rank].begin_s = rules_.end_s(before_[rank].begin_s, sizes_[rank], sent_[rank], sizes_[left],
                                        leg(left, sizes_[left]), sent_[left].arrival_s, reduction_s_per_byte);
  }
}

bool RingOfRanks::advanced_evenly() const {
  const double advance_s = ranks_[0].begin_s - before_[0].begin_s;
  const auto is_alike = [&](double now_s, double before_s) {
    return now_s == before_s || std::abs(now_s - before_s - advance_s) <= 4e-16 * now_s;
  };
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].begin_s == before_[rank].begin_s) return false;
    if (!is_alike(ranks_[rank].begin_s, before_[rank].begin_s)) return false;
    if (!is_alike(ranks_[rank].free_s, before_[rank].free_s)) return false;
  }
  return true;
}

void RingOfRanks::repeat(int times) {
  const double advance_s = times * (ranks_[0].begin_s - before_[0].begin_s);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    const auto advance = [&](double RankState::*time) {
      if (ranks_[rank].*time != before_[rank].*time) ranks_[rank].*time += advance_s;
    };
    for (const auto time :
         {&RankState::begin_s, &RankState::free_s, &RankState::start_s, &RankState::small_gone_s})
      advance(time);
  }
}

/// All ranks of a ring whose hops are alike, in the order of the chunks that they send next: the one who
/// sends chunk c receives chunk c−1, and sends that in the next step. So everyone stands still with respect
/// to chunks but moves on by one, and neighbors that are in the same state are kept as one.
class RingOfRuns {
 public:
  RingOfRuns(StepRules& rules, const Legs& legs, int ranks) : rules_(rules), legs_(legs), ranks_(ranks) {}

  /// Takes up the ranks before that step. False if they are too many different ones.
  bool begin(const std::vector<RankState>& ranks, int step);
  /// False if there are too many different ones, or some message is early with o > 0: the state is that
  /// before the step then.
  bool step(double reduction_s_per_byte);
  std::vector<RankState> ranks(int step) const;

 private:
  struct Run {
    int length;
    std::size_t size;  // of the chunks they send
    RankState state;
  };

  std::size_t most_runs() const { return static_cast<std::size_t>(ranks_) / 16 + 4; }
  void append(std::vector<Run>& runs, const RankState& state, int position, int length) const;
  /// The state after a step.
  RankState next(const Run& left, const Run& own, const Run& right);

  StepRules& rules_;
  Legs legs_;
  int ranks_;
  double reduction_s_per_byte_ = 0;
  bool is_early_ = false;
  std::vector<Run> runs_;
  std::vector<Run> next_runs_;
};

void RingOfRuns::append(std::vector<Run>& runs, const RankState& state, int position, int length) const {
  if (length == 0) return;
  const std::size_t size = rules_.chunks().size_of(position);
  if (!runs.empty() && runs.back().size == size && runs.back().state == state)
    runs.back().length += length;
  else
    runs.push_back({length, size, state});
}

bool RingOfRuns::begin(const std::vector<RankState>& ranks, int step) {
  runs_.clear();
  for (int chunk = 0; chunk < ranks_ && runs_.size() <= most_runs(); ++chunk)
    append(runs_, ranks[static_cast<std::size_t>((chunk + 1 + step) % ranks_)], chunk, 1);
  return runs_.size() <= most_runs();
}

std::vector<RankState> RingOfRuns::ranks(int step) const {
  std::vector<RankState> ranks(static_cast<std::size_t>(ranks_));
  int chunk = 0;
  for (const Run& run : runs_)
    for (int i = 0; i < run.length; ++i, ++chunk)
      ranks[static_cast<std::size_t>((chunk + 1 + step) % ranks_)] = run.state;
  return ranks;
}

RankState RingOfRuns::next(const Run& left, const Run& own, const Run& right) {
  RankState next = own.state;
  RankState of_left = left.state;
  Sent sent{};
  Sent received{};
  if (rules_.is_sent(own.size))
    sent =
        rules_.send(next, legs_[own.size], rules_.launch_s(own.state.begin_s, own.size), right.state.begin_s);
  if (rules_.is_sent(left.size))
    received = rules_.send(of_left, legs_[left.size], rules_.launch_s(left.state.begin_s, left.size),
                           own.state.begin_s);
  if (rules_.is_sent(left.size) && rules_.overhead_s() > 0 &&
      received.arrival_s <= own.state.begin_s * (1 + rounding))
    is_early_ = true;
  next.begin_s = rules_.end_s(own.state.begin_s, own.size, sent, left.size, legs_[left.size],
                              received.arrival_s, reduction_s_per_byte_);
  return next;
}

bool RingOfRuns::step(double reduction_s_per_byte) {
  reduction_s_per_byte_ = reduction_s_per_byte;
  next_runs_.clear();
  int position = 0;
  RankState wrapped;  // of the one who sends chunk 0, and the last chunk next
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const Run& left = runs_[i == 0 ? runs_.size() - 1 : i - 1];
    const Run& right = runs_[i + 1 == runs_.size() ? 0 : i + 1];
    const RankState first = next(left, run, run.length > 1 ? run : right);
    if (i == 0)
      wrapped = first;
    else
      append(next_runs_, first, position - 1, 1);
    if (run.length > 2) append(next_runs_, next(run, run, run), position, run.length - 2);
    if (run.length > 1) append(next_runs_, next(run, run, right), position + run.length - 2, 1);
    position += run.length;
  }
  append(next_runs_, wrapped, ranks_ - 1, 1);
  if (is_early_ || next_runs_.size() > most_runs()) return false;
  runs_.swap(next_runs_);
  return true;
}

/// All steps from `step` to before `end_step`: of all ranks as few, while there are few different ones.
std::vector<RankState> after_steps(StepRules& rules, std::span<const Hop> hops, const FreeRoutes& network,
                                   std::vector<RankState> ranks, int step, int end_step) {
  const int workers = static_cast<int>(hops.size());
  const auto reduction_s_per_byte = [&](int of_step) {
    return of_step < workers - 1 ? network.costs().reduction_s_per_byte : 0;
  };
  if (std::ranges::adjacent_find(hops, std::not_equal_to<>()) == hops.end()) {
    const std::array<double, 2>& bytes = rules.chunks().bytes;
    RingOfRuns runs(rules, {network.leg(bytes[0], hops[0]), network.leg(bytes[1], hops[0])}, workers);
    if (runs.begin(ranks, step)) {
      while (step < end_step && runs.step(reduction_s_per_byte(step))) ++step;
      ranks = runs.ranks(step);
    }
  }
  RingOfRanks ring(rules, hops, network, std::move(ranks));
  for (; step < end_step; ++step) {
    ring.step(step, reduction_s_per_byte(step));
    const int left_in_phase = (step < workers - 1 ? workers - 1 : end_step) - step - 1;
    if (rules.chunks().larger_chunks > 0 || left_in_phase <= 0 || !ring.advanced_evenly()) continue;
    ring.repeat(left_in_phase);
    step += left_in_phase;
  }
  return ring.ranks();
}

}  // namespace

RingEvaluator::RingEvaluator(FreeRoutes& network, std::vector<Hop> hops)
    : network_(network),
      hops_(std::move(hops)),
      last_free_s_(hops_.size(), FreeRoutes::never_s),
      last_departure_s_(hops_.size(), FreeRoutes::never_s) {}

std::optional<RingEvaluator> RingEvaluator::make(FreeRoutes& network) {
  if (network.routes().workers() < 2) return std::nullopt;
  std::vector<Hop> hops = separate_hops(network);
  if (hops.empty()) return std::nullopt;
  return RingEvaluator(network, std::move(hops));
}

bool RingEvaluator::can_follow(const RingSchedule& schedule, double bytes_per_element) const {
  if (static_cast<std::size_t>(schedule.ranks()) != hops_.size()) return false;
  const ChunkSizes chunks(schedule, bytes_per_element);
  const double most_bytes = chunks.bytes[chunks.larger_chunks > 0 ? 1 : 0];
  const bool is_first_small = network_.leg(most_bytes, hops_.front()).is_small;
  return std::ranges::all_of(hops_, [&](const Hop& hop) {
    const Leg most = network_.leg(most_bytes, hop);
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

/// What is sent, by number and bytes.
Evaluation counted(const RingSchedule& schedule, const ChunkSizes& chunks, const FreeRoutes& network,
                   const Hop& hop) {
  Evaluation counted;
  const std::uint64_t rounds = static_cast<std::uint64_t>(schedule.rounds(0));
  const std::uint64_t larger = static_cast<std::uint64_t>(chunks.larger_chunks);
  const std::array<std::uint64_t, 2> numbers = {static_cast<std::uint64_t>(schedule.ranks()) - larger,
                                                larger};
  for (const std::size_t size : {0, 1}) {
    if (chunks.bytes[size] == 0) continue;
    const std::uint64_t messages = rounds * numbers[size];
    counted.messages += messages;
    if (network.leg(chunks.bytes[size], hop).is_rendezvous) counted.rendezvous_messages += messages;
    counted.bytes += static_cast<double>(messages) * chunks.bytes[size];
  }
  return counted;
}

}  // namespace

/// Where each rank is when it comes to a ring; whether its small messages come behind those sent before.
std::vector<RankState> RingEvaluator::states(std::span<const double> begin_s, bool& is_in_order) const {
  std::vector<RankState> states;
  for (std::size_t rank = 0; rank < hops_.size(); ++rank) {
    const double free_s = network_.free_s(route(rank), static_cast<Rank>(rank), right(rank));
    const double start_s = free_s == last_free_s_[rank] ? last_departure_s_[rank] : free_s;
    const std::optional<double> small_gone_s =
        network_.small_gone_s(static_cast<Rank>(rank), right(rank), begin_s[rank]);
    is_in_order = is_in_order && small_gone_s.has_value();
    states.push_back({begin_s[rank], free_s, start_s, small_gone_s.value_or(FreeRoutes::never_s)});
  }
  return states;
}

Evaluation RingEvaluator::evaluate(const RingSchedule& schedule, std::span<const double> begin_s,
                                   double bytes_per_element) {
  STARLING_INVARIANT(begin_s.size() == hops_.size() && can_follow(schedule, bytes_per_element));
  const ChunkSizes chunks(schedule, bytes_per_element);
  StepRules rules(network_, chunks);
  const int first_step = schedule.phase() == RingSchedule::Phase::allgather ? schedule.ranks() - 1 : 0;
  bool is_in_order = true;
  const std::vector<RankState> before = states(begin_s, is_in_order);
  const std::vector<RankState> after =
      after_steps(rules, hops_, network_, before, first_step, first_step + schedule.rounds(0));
  Evaluation evaluation = counted(schedule, chunks, network_, hops_.front());
  for (const RankState& state : after) evaluation.end_s.push_back(state.begin_s);
  evaluation.is_exact = take_links(before, after) && rules.is_exact() && is_in_order;
  return evaluation;
}

/// Notes in the network what the ring used. False if others used it meanwhile.
bool RingEvaluator::take_links(std::span<const RankState> before, std::span<const RankState> after) {
  bool is_alone = true;
  for (std::size_t rank = 0; rank < hops_.size(); ++rank) {
    last_free_s_[rank] = after[rank].free_s;
    last_departure_s_[rank] = after[rank].start_s;
    if (after[rank].small_gone_s > FreeRoutes::never_s)
      network_.note_small(static_cast<Rank>(rank), right(rank), after[rank].small_gone_s);
    if (after[rank].free_s == before[rank].free_s) continue;
    const double first_s = std::max(before[rank].begin_s + network_.costs().overhead_s, before[rank].free_s);
    is_alone =
        network_.take(route(rank), static_cast<Rank>(rank), right(rank), first_s, after[rank].free_s) &&
        is_alone;
  }
  return is_alone;
}

}  // namespace starling

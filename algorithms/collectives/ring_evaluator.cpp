#include "algorithms/collectives/ring_evaluator.hpp"

#include <algorithm>

#include "algorithms/collectives/chunks.hpp"

namespace starling {
namespace {

using Times = std::vector<double>;

/// The route from each rank to the next as one link.
struct Hops {
  Times latency_s;
  Times s_per_byte;
};

std::optional<Hops> separate_hops(int ranks, std::span<const Rank> members, const Routes& routes) {
  Hops hops;
  std::vector<bool> is_used(routes.links().size(), false);
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Rank next = rank + 1 == ranks ? 0 : rank + 1;
    const auto world_rank = [&](Rank r) {
      return members.empty() ? r : members[static_cast<std::size_t>(r)];
    };
    double latency_s = 0;
    double s_per_byte = 0;
    for (const LinkIndex index : routes.route(world_rank(rank), world_rank(next))) {
      const std::size_t i = static_cast<std::size_t>(index);
      if (is_used[i]) return std::nullopt;
      is_used[i] = true;
      latency_s += routes.links()[i].latency_s;
      s_per_byte = std::max(s_per_byte, 1 / routes.links()[i].bandwidth_Bps);
    }
    hops.latency_s.push_back(latency_s);
    hops.s_per_byte.push_back(s_per_byte);
  }
  return hops;
}

/// All ranks of a ring between two steps.
class RingState {
 public:
  RingState(Hops hops, std::span<const double> begin_s, const EndCosts& costs)
      : hops_(std::move(hops)),
        costs_(costs),
        ranks_(begin_s.size()),
        begin_s_(begin_s.begin(), begin_s.end()),
        next_begin_s_(ranks_),
        free_s_(ranks_, 0.0),
        next_free_s_(ranks_),
        arrival_s_(ranks_ + 1) {}

  /// bytes[r] is what rank r sends, for r = −1 … P−1.
  void step(const double* bytes, double reduction_s_per_byte);
  /// True if the last step took every rank and every hop equally long.
  bool advanced_evenly() const;
  /// Repeats the last step `times` times; only where it advanced evenly and all chunks are alike.
  void repeat(int times);

  const Times& begin_s() const { return begin_s_; }
  bool is_exact() const { return is_exact_; }

 private:
  void send_all(const double* bytes);
  double least_lead_s() const;
  void send_with_early_arrivals(const double* bytes);
  void send(std::size_t rank, double launch_s, double bytes) {
    next_free_s_[rank] = std::max(launch_s, free_s_[rank]) + bytes * hops_.s_per_byte[rank];
    arrival_s_[rank + 1] = next_free_s_[rank] + hops_.latency_s[rank];
  }

  Hops hops_;
  EndCosts costs_;
  std::size_t ranks_;
  Times begin_s_;
  Times next_begin_s_;
  Times free_s_;  // when the hop from each rank is free
  Times next_free_s_;
  Times arrival_s_;  // of the message to each rank; entry P is that of entry 0
  bool is_exact_ = true;
};

void RingState::send_all(const double* bytes) {
  const double* __restrict begin = begin_s_.data();
  const double* __restrict free = free_s_.data();
  const double* __restrict latency = hops_.latency_s.data();
  const double* __restrict s_per_byte = hops_.s_per_byte.data();
  double* __restrict next_free = next_free_s_.data();
  double* __restrict arrival = arrival_s_.data();
  const double overhead_s = costs_.overhead_s;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const double launch_s = begin[rank] + overhead_s;
    next_free[rank] = (launch_s > free[rank] ? launch_s : free[rank]) + bytes[rank] * s_per_byte[rank];
    arrival[rank + 1] = next_free[rank] + latency[rank];
  }
  arrival_s_[0] = arrival_s_[ranks_];
}

/// How long after the beginning of its receiver's round a message arrives, at least; negative if one is there
/// before.
double RingState::least_lead_s() const {
  double least_s = arrival_s_[0] - begin_s_[0];
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const double lead_s = arrival_s_[rank] - begin_s_[rank];
    least_s = lead_s < least_s ? lead_s : least_s;
  }
  return least_s;
}

/// A rank whose message is already there receives it first, which delays its own message by o. The rank that
/// begins first has none waiting; from there the order around the ring is the order of cause and effect.
void RingState::send_with_early_arrivals(const double* bytes) {
  const std::size_t first = static_cast<std::size_t>(std::ranges::min_element(begin_s_) - begin_s_.begin());
  for (std::size_t i = 0; i < ranks_; ++i) {
    const std::size_t rank = first + i < ranks_ ? first + i : first + i - ranks_;
    const bool is_early = i > 0 && arrival_s_[rank] <= begin_s_[rank];
    is_exact_ = is_exact_ && (i == 0 || !are_simultaneous(arrival_s_[rank], begin_s_[rank]));
    send(rank, begin_s_[rank] + (is_early ? 2 : 1) * costs_.overhead_s, bytes[rank]);
    if (rank + 1 == ranks_) arrival_s_[0] = arrival_s_[ranks_];
  }
}

void RingState::step(const double* bytes, double reduction_s_per_byte) {
  send_all(bytes);
  if (costs_.overhead_s > 0 && least_lead_s() < costs_.overhead_s) send_with_early_arrivals(bytes);

  const double* __restrict begin = begin_s_.data();
  const double* __restrict arrival = arrival_s_.data();
  double* __restrict next_begin = next_begin_s_.data();
  const double overhead_s = costs_.overhead_s;
  // A rank with an early arrival ends its round 2o after it began, as does one whose message comes during its
  // o.
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    const double launch_s = begin[rank] + overhead_s;
    const double received_s = (arrival[rank] > launch_s ? arrival[rank] : launch_s) + overhead_s;
    next_begin[rank] = received_s + bytes[static_cast<std::ptrdiff_t>(rank) - 1] * reduction_s_per_byte;
  }
  begin_s_.swap(next_begin_s_);
  free_s_.swap(next_free_s_);
}

bool RingState::advanced_evenly() const {
  const double advance_s = begin_s_[0] - next_begin_s_[0];
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    if (begin_s_[rank] - next_begin_s_[rank] != advance_s) return false;
    if (free_s_[rank] - next_free_s_[rank] != advance_s) return false;
  }
  return true;
}

void RingState::repeat(int times) {
  const double advance_s = times * (begin_s_[0] - next_begin_s_[0]);
  for (double& begin : begin_s_) begin += advance_s;
  for (double& free : free_s_) free += advance_s;
}

/// The bytes of chunk i mod P at place i+1, i = −1 … 2P−1.
Times chunk_bytes(const RingSchedule& schedule, double bytes_per_element) {
  const EvenPartition chunks(schedule.count(), schedule.ranks());
  Times bytes;
  for (int i = -1; i < 2 * schedule.ranks(); ++i) {
    const int chunk = (i + schedule.ranks()) % schedule.ranks();
    bytes.push_back(static_cast<double>(chunks.chunk(chunk).count) * bytes_per_element);
  }
  return bytes;
}

}  // namespace

std::optional<Evaluation> evaluate_ring(const RingSchedule& schedule, std::span<const double> begin_s,
                                        double bytes_per_element, std::span<const Rank> members,
                                        const Routes& routes, const EndCosts& costs) {
  const int ranks = schedule.ranks();
  if (ranks < 2 || schedule.count() < ranks) return std::nullopt;
  std::optional<Hops> hops = separate_hops(ranks, members, routes);
  if (!hops) return std::nullopt;

  RingState state(std::move(*hops), begin_s, costs);
  const Times bytes = chunk_bytes(schedule, bytes_per_element);
  const bool is_even = schedule.count() % ranks == 0;
  const int first_step = schedule.phase() == RingSchedule::Phase::allgather ? ranks - 1 : 0;
  const int end_step = first_step + schedule.rounds(0);
  for (int step = first_step; step < end_step; ++step) {
    // Rank r sends chunk r−1−step.
    const double* sent = &bytes[static_cast<std::size_t>(1 + ranks - 1 - step % ranks)];
    const bool reduces = step < ranks - 1;
    state.step(sent, reduces ? costs.reduction_s_per_byte : 0);
    const int left_in_phase = (reduces ? ranks - 1 : end_step) - step - 1;
    if (is_even && left_in_phase > 0 && state.advanced_evenly()) {
      state.repeat(left_in_phase);
      step += left_in_phase;
    }
  }
  return Evaluation{
      .end_s = state.begin_s(),
      .is_exact = state.is_exact(),
      .messages = static_cast<std::uint64_t>(ranks) * static_cast<std::uint64_t>(schedule.rounds(0))};
}

}  // namespace starling

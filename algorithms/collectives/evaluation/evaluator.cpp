#include "algorithms/collectives/evaluation/evaluator.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "algorithms/collectives/evaluation/ring_evaluator.hpp"
#include "base/errors.hpp"
#include "sim/agenda.hpp"
#include "sim/networks/small_message.hpp"

namespace starling {
namespace {

constexpr double never = -std::numeric_limits<double>::infinity();

/// A link as messages find it. Serves in the order of asking; knows when that is not the order of their
/// heads.
class BusyLink {
 public:
  explicit BusyLink(const Link& link) : s_per_byte_(1 / link.bandwidth_Bps), latency_s_(link.latency_s) {}

  double s_per_byte() const { return s_per_byte_; }
  double latency_s() const { return latency_s_; }

  /// Returns how long a message with its head here at head_s waits, given its bytes and the slowest link so
  /// far.
  double wait(double head_s, double bytes, double slowest_s_per_byte, bool& is_exact) {
    const double service_s = bytes * s_per_byte_;
    if (head_s <= last_head_s_) {
      if (head_s >= earlier_busy_until_s_ && head_s + service_s <= busy_from_s_) return 0;
      if (head_s < last_head_s_ || service_s > 0) is_exact = false;
    }
    last_head_s_ = std::max(last_head_s_, head_s);
    const bool is_busy = busy_until_s_ > head_s;
    if (!is_busy) {
      earlier_busy_until_s_ = busy_until_s_;
      busy_from_s_ = head_s;
    }
    busy_until_s_ = (is_busy ? busy_until_s_ : head_s) + service_s;
    if (!is_busy || bytes <= small_message_bytes) return 0;
    return std::max(0.0, busy_until_s_ - head_s - bytes * slowest_s_per_byte);
  }

 private:
  double s_per_byte_;
  double latency_s_;
  double last_head_s_ = never;
  double earlier_busy_until_s_ = never;
  double busy_from_s_ = never;
  double busy_until_s_ = never;
};

struct Arrival {
  Rank source;
  double at_s;
};

class Run;

/// A rank, on the agenda while it is about to begin a round.
struct RankProgress final : TimedAction {
  void happen() override;

  Run* run = nullptr;
  Rank rank = 0;
  int rounds = 0;
  int next_round = 0;
  double launch_s = 0;  // of the round that waits for its message
  bool is_waiting = false;
  Round round;
  std::vector<Arrival> arrived;
};

class Run {
 public:
  Run(const Routes& routes, const EndCosts& costs, const Schedule& schedule, double bytes_per_element,
      std::span<const Rank> members)
      : routes_(routes),
        costs_(costs),
        schedule_(schedule),
        bytes_per_element_(bytes_per_element),
        members_(members),
        links_(routes.links().begin(), routes.links().end()),
        ranks_(static_cast<std::size_t>(schedule.ranks())) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      progress(rank).run = this;
      progress(rank).rank = rank;
      progress(rank).rounds = schedule.rounds(rank);
    }
    result_.end_s.assign(ranks_.size(), 0.0);
  }

  Evaluation evaluate(std::span<const double> begin_s) {
    for (Rank rank = 0; rank < schedule_.ranks(); ++rank)
      go_on(rank, begin_s[static_cast<std::size_t>(rank)]);
    while (!beginning_.is_empty()) beginning_.take().happen();
    for (const RankProgress& rank : ranks_) STARLING_INVARIANT(!rank.is_waiting);
    return std::move(result_);
  }

  void begin_round(Rank rank, double begin_s);
  double now_s() const { return beginning_.last_time_s(); }

 private:
  RankProgress& progress(Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  double bytes(const Chunk& chunk) const { return static_cast<double>(chunk.count) * bytes_per_element_; }
  Rank world_rank(Rank rank) const {
    return members_.empty() ? rank : members_[static_cast<std::size_t>(rank)];
  }

  void go_on(Rank rank, double now_s);
  void send(Rank rank, const Transmission& sent, double launch_s);
  void end_round(Rank rank, double received_s);

  const Routes& routes_;
  EndCosts costs_;
  const Schedule& schedule_;
  double bytes_per_element_;
  std::span<const Rank> members_;
  std::vector<BusyLink> links_;
  std::vector<RankProgress> ranks_;
  Agenda beginning_;
  Evaluation result_;
};

void RankProgress::happen() { run->begin_round(rank, run->now_s()); }

/// Finds the rank's next round that has a message.
void Run::go_on(Rank rank, double now_s) {
  RankProgress& own = progress(rank);
  while (own.next_round < own.rounds) {
    own.round = schedule_.round(rank, own.next_round++);
    if (own.round.send.is_present() || own.round.receive.is_present()) {
      beginning_.put(now_s, own);
      return;
    }
  }
  result_.end_s[static_cast<std::size_t>(rank)] = now_s;
}

/// Every message that is not launched yet will be launched now or later, so what has not arrived by now is
/// not early.
void Run::begin_round(Rank rank, double begin_s) {
  RankProgress& own = progress(rank);
  const Transmission received = own.round.receive;
  const auto message = std::ranges::find(own.arrived, received.peer, &Arrival::source);
  const bool is_here = received.is_present() && message != own.arrived.end();
  const bool is_early = is_here && message->at_s <= begin_s;
  if (is_here && costs_.overhead_s > 0 && are_simultaneous(message->at_s, begin_s)) result_.is_exact = false;

  double busy_until_s = begin_s + (is_early ? costs_.overhead_s : 0);
  if (own.round.send.is_present()) {
    busy_until_s += costs_.overhead_s;
    send(rank, own.round.send, busy_until_s);
  }
  if (!received.is_present()) {
    go_on(rank, busy_until_s);
  } else if (is_early) {
    own.arrived.erase(message);
    end_round(rank, busy_until_s);
  } else {
    own.launch_s = busy_until_s;
    own.is_waiting = true;
    if (!is_here) return;
    const double arrival_s = message->at_s;
    own.arrived.erase(message);
    end_round(rank, std::max(arrival_s, own.launch_s) + costs_.overhead_s);
  }
}

void Run::send(Rank rank, const Transmission& sent, double launch_s) {
  const double message_bytes = bytes(sent.chunk);
  double head_s = launch_s;
  double slowest_s_per_byte = 0;
  for (const LinkIndex index : routes_.route(world_rank(rank), world_rank(sent.peer))) {
    BusyLink& link = links_[static_cast<std::size_t>(index)];
    slowest_s_per_byte = std::max(slowest_s_per_byte, link.s_per_byte());
    head_s += link.wait(head_s, message_bytes, slowest_s_per_byte, result_.is_exact) + link.latency_s();
  }
  const double arrival_s = head_s + message_bytes * slowest_s_per_byte;
  ++result_.messages;

  RankProgress& receiver = progress(sent.peer);
  const bool is_expected = receiver.is_waiting && receiver.round.receive.peer == rank;
  if (is_expected) {
    end_round(sent.peer, std::max(arrival_s, receiver.launch_s) + costs_.overhead_s);
  } else {
    receiver.arrived.push_back({rank, arrival_s});
  }
}

void Run::end_round(Rank rank, double received_s) {
  RankProgress& own = progress(rank);
  own.is_waiting = false;
  const bool reduces = own.round.action == Round::Action::reduce;
  go_on(rank, received_s + (reduces ? bytes(own.round.receive.chunk) * costs_.reduction_s_per_byte : 0));
}

}  // namespace

Evaluation Evaluator::evaluate(const Schedule& schedule, std::span<const double> begin_s,
                               double bytes_per_element, std::span<const Rank> members) const {
  STARLING_INVARIANT(begin_s.size() == static_cast<std::size_t>(schedule.ranks()));
  STARLING_INVARIANT(members.empty() || members.size() == begin_s.size());
  STARLING_INVARIANT(!members.empty() || schedule.ranks() <= routes_.workers());
  if (const auto* ring = dynamic_cast<const RingSchedule*>(&schedule)) {
    auto evaluation = evaluate_ring(*ring, begin_s, bytes_per_element, members, routes_, costs_);
    if (evaluation) return std::move(*evaluation);
  }
  return Run(routes_, costs_, schedule, bytes_per_element, members).evaluate(begin_s);
}

}  // namespace starling

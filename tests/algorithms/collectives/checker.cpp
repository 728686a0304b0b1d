#include "tests/algorithms/collectives/checker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "algorithms/collectives/schedules/even_partition.hpp"

namespace starling {
namespace {

/// How often each rank's contribution is in a run of elements.
using Contributions = std::vector<int>;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

/// The elements cut wherever some chunk begins or ends, and at the chunks of an even partition.
class Runs {
 public:
  explicit Runs(const Schedule& schedule) {
    std::set<std::int64_t> cuts{0, schedule.count()};
    const EvenPartition parts(schedule.count(), schedule.ranks());
    for (int part = 0; part < parts.chunks(); ++part) cuts.insert(parts.offset(part));
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
      for (int index = 0; index < schedule.rounds(rank); ++index) {
        const Round round = schedule.round(rank, index);
        for (const Transmission& transmission : {round.send, round.receive}) {
          if (!transmission.is_present()) continue;
          cuts.insert(transmission.chunk.offset);
          cuts.insert(transmission.chunk.offset + transmission.chunk.count);
        }
      }
    }
    begins_.assign(cuts.begin(), cuts.end());
  }

  std::size_t size() const { return begins_.size() - 1; }
  std::int64_t begin(std::size_t run) const { return begins_[run]; }
  /// The run that begins at an element that some chunk begins or ends at.
  std::size_t at_element(std::int64_t element) const {
    return at(std::ranges::lower_bound(begins_, element) - begins_.begin());
  }

 private:
  std::vector<std::int64_t> begins_;
};

struct CheckedRank {
  int round = 0;
  bool has_sent = false;
  bool has_received = false;
  std::vector<Contributions> runs;
  std::vector<Contributions> incoming;
};

class Checker {
 public:
  Checker(const Schedule& schedule, const Expectation& expectation)
      : schedule_(schedule), expectation_(expectation), runs_(schedule), states_(at(schedule.ranks())) {
    for (Rank rank = 0; rank < schedule.ranks(); ++rank) begin(rank);
  }

  std::optional<std::string> find() {
    for (Rank rank = 0; rank < schedule_.ranks() && !violation_; ++rank) check_rounds(rank);
    for (bool advances = true; advances && !violation_;) {
      advances = false;
      for (Rank rank = 0; rank < schedule_.ranks() && !violation_; ++rank) advances |= advance(rank);
    }
    if (!violation_) check_all_ended();
    for (Rank rank = 0; rank < schedule_.ranks() && !violation_; ++rank) check_result(rank);
    return violation_;
  }

 private:
  CheckedRank& state(Rank rank) { return states_[at(rank)]; }
  Round current(Rank rank) { return schedule_.round(rank, state(rank).round); }
  bool has_ended(Rank rank) { return state(rank).round >= schedule_.rounds(rank); }
  void violate(std::string what) {
    if (!violation_) violation_ = schedule_.name() + ": " + std::move(what);
  }

  void begin(Rank rank);
  void check_rounds(Rank rank);
  void check_transmission(Rank rank, int index, const Transmission& transmission);
  bool advance(Rank rank);
  void match(Rank source, Rank destination);
  void complete_round(Rank rank);
  void check_all_ended();
  void check_result(Rank rank);
  void check_run(Rank rank, std::size_t run);

  const Schedule& schedule_;
  const Expectation& expectation_;
  Runs runs_;
  std::vector<CheckedRank> states_;
  std::optional<std::string> violation_;
};

void Checker::begin(Rank rank) {
  state(rank).runs.assign(runs_.size(), Contributions(at(schedule_.ranks()), 0));
  for (Contributions& run : state(rank).runs) run[at(rank)] = 1;
}

void Checker::check_transmission(Rank rank, int index, const Transmission& transmission) {
  const auto& [peer, chunk] = transmission;
  if (peer >= schedule_.ranks() || (transmission.is_present() && peer == rank)) {
    violate(fmt::format("rank {} names peer {} in round {}", rank, peer, index));
  }
  if (chunk.offset < 0 || chunk.count < 0 || chunk.offset + chunk.count > schedule_.count()) {
    violate(fmt::format("rank {} uses elements {} … {} of {} in round {}", rank, chunk.offset,
                        chunk.offset + chunk.count, schedule_.count(), index));
  }
}

void Checker::check_rounds(Rank rank) {
  for (int index = 0; index < schedule_.rounds(rank); ++index) {
    const Round round = schedule_.round(rank, index);
    check_transmission(rank, index, round.send);
    check_transmission(rank, index, round.receive);
    const Chunk& sent = round.send.chunk;
    const Chunk& received = round.receive.chunk;
    const bool overlap =
        sent.offset < received.offset + received.count && received.offset < sent.offset + sent.count;
    const bool copies =
        round.action == Round::Action::copy && expectation_.what != Expectation::What::barrier;
    if (copies && overlap && round.send.is_present() && round.receive.is_present()) {
      violate(fmt::format("rank {} receives into what it sends in round {}", rank, index));
    }
  }
}

/// Matches the receive of the rank's current round if its sender is there, and goes on to the next round if
/// all is done.
bool Checker::advance(Rank rank) {
  if (has_ended(rank)) return false;
  const Round round = current(rank);
  bool advances = false;
  if (round.receive.is_present() && !state(rank).has_received) {
    const Rank source = round.receive.peer;
    if (!has_ended(source) && !state(source).has_sent && current(source).send.is_present() &&
        current(source).send.peer == rank) {
      match(source, rank);
      advances = true;
    }
  }
  if ((state(rank).has_sent || !round.send.is_present()) &&
      (state(rank).has_received || !round.receive.is_present())) {
    complete_round(rank);
    advances = true;
  }
  return advances;
}

void Checker::match(Rank source, Rank destination) {
  const Chunk sent = current(source).send.chunk;
  const Chunk received = current(destination).receive.chunk;
  if (sent.offset != received.offset || sent.count != received.count) {
    violate(fmt::format("rank {} sends elements {} … {} in round {}, but rank {} expects {} … {} in round {}",
                        source, sent.offset, sent.offset + sent.count, state(source).round, destination,
                        received.offset, received.offset + received.count, state(destination).round));
    return;
  }
  state(source).has_sent = true;
  state(destination).has_received = true;
  const std::size_t first = runs_.at_element(sent.offset);
  const std::size_t last = runs_.at_element(sent.offset + sent.count);
  for (std::size_t run = first; run < last; ++run) {
    state(destination).incoming.push_back(state(source).runs[run]);
  }
}

void Checker::complete_round(Rank rank) {
  const Round round = current(rank);
  CheckedRank& own = state(rank);
  const bool adds = round.action == Round::Action::reduce || expectation_.what == Expectation::What::barrier;
  for (std::size_t i = 0; i < own.incoming.size(); ++i) {
    Contributions& run = own.runs[runs_.at_element(round.receive.chunk.offset) + i];
    if (!adds) run.assign(run.size(), 0);
    std::ranges::transform(run, own.incoming[i], run.begin(), std::plus<>());
  }
  own.incoming.clear();
  own.has_sent = own.has_received = false;
  ++own.round;
}

void Checker::check_all_ended() {
  for (Rank rank = 0; rank < schedule_.ranks(); ++rank) {
    if (has_ended(rank)) continue;
    const Round round = current(rank);
    const bool lacks_message = round.receive.is_present() && !state(rank).has_received;
    violate(fmt::format("rank {} waits for ever in round {} to {} rank {}", rank, state(rank).round,
                        lacks_message ? "receive from" : "send to",
                        lacks_message ? round.receive.peer : round.send.peer));
  }
}

void Checker::check_result(Rank rank) {
  using What = Expectation::What;
  if (expectation_.what == What::reduce && rank != expectation_.root) return;
  for (std::size_t run = 0; run < runs_.size() && !violation_; ++run) check_run(rank, run);
}

void Checker::check_run(Rank rank, std::size_t run) {
  using What = Expectation::What;
  const EvenPartition parts(schedule_.count(), schedule_.ranks());
  const std::int64_t element = runs_.begin(run);
  const auto owns = [&](Rank owner) {
    const Chunk part = parts.chunk(expectation_.chunk_of(owner));
    return part.offset <= element && element < part.offset + part.count;
  };
  if (element == schedule_.count()) return;
  if (expectation_.what == What::reduce_scatter && !owns(rank)) return;

  for (Rank source = 0; source < schedule_.ranks(); ++source) {
    int expected = 1;
    if (expectation_.what == What::allgather) expected = owns(source) ? 1 : 0;
    if (expectation_.what == What::broadcast) expected = source == expectation_.root ? 1 : 0;
    if (!expectation_.group.empty()) {
      expected = expectation_.group[at(source)] == expectation_.group[at(rank)] ? 1 : 0;
    }
    int found = state(rank).runs[run][at(source)];
    if (expectation_.what == What::barrier) found = std::min(found, 1);
    if (found == expected) continue;
    violate(fmt::format("rank {} ends with the contribution of rank {} {} times in element {}, not {}", rank,
                        source, found, element, expected));
  }
}

}  // namespace

std::optional<std::string> find_violation(const Schedule& schedule, const Expectation& expectation) {
  return Checker(schedule, expectation).find();
}

}  // namespace starling

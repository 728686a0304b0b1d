#include "algorithms/collectives/evaluation/ring_trains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/collectives/evaluation/ring_of_runs.hpp"
#include "algorithms/collectives/evaluation/ring_record.hpp"

namespace starling {
namespace {

/// When a message is ready, starts and arrives; and whether it passes those that wait for their turn.
struct Passed {
  double ready_s;
  double start_s;
  double arrival_s;
  bool passes;
};

Passed passed(const FreeRoutes& network, const Leg& leg, double ready_s, double free_s, double arrival_s) {
  return {ready_s, network.start_s(leg, ready_s, free_s), arrival_s, network.passes(leg, ready_s, free_s)};
}

/// Whether times are equal but for the rounding of the sums of a train.
bool agree(double one_s, double other_s) {
  constexpr double rounding_of_trains = 1e-12;
  return std::abs(one_s - other_s) <= rounding_of_trains * std::abs(other_s);
}

bool agree(const Passed& one, const Passed& other) {
  return one.passes == other.passes && agree(one.ready_s, other.ready_s) &&
         agree(one.start_s, other.start_s) && agree(one.arrival_s, other.arrival_s);
}

Passed later(const Passed& passed, double by_s) {
  return {passed.ready_s + by_s, passed.start_s + by_s, passed.arrival_s + by_s, passed.passes};
}

Passed message_of(const Train& train, std::int64_t number) {
  return {train.ready.of(number), train.start.of(number), train.arrival.of(number), train.passes};
}

Train train_of(const Passed& first, std::size_t size) {
  return {.messages = 1,
          .size = size,
          .passes = first.passes,
          .ready = {.first_s = first.ready_s},
          .start = {.first_s = first.start_s},
          .arrival = {.first_s = first.arrival_s}};
}

/// Sets the gaps of a train of two messages or more so that its last one is `last`.
void set_last(Train& train, const Passed& last) {
  const auto gaps = static_cast<double>(train.messages - 1);
  train.ready.gap_s = (last.ready_s - train.ready.first_s) / gaps;
  train.start.gap_s = (last.start_s - train.start.first_s) / gaps;
  train.arrival.gap_s = (last.arrival_s - train.arrival.first_s) / gaps;
}

/// Appends a message to the train if it is as far from the last one as those were from each other.
bool append(Train& train, const Passed& next) {
  if (train.messages > 1 ? !agree(message_of(train, train.messages), next) : train.passes != next.passes)
    return false;
  ++train.messages;
  set_last(train, next);
  return true;
}

/// The trains of ranks that are computed one by one.
class TrainsOfRanks {
 public:
  TrainsOfRanks(std::size_t ranks, const RingTrains::See& see) : trains_(ranks), see_(see) {}

  void send(std::size_t rank, std::size_t size, const Passed& message) {
    Train& train = trains_[rank];
    if (train.messages > 0 && train.size == size && append(train, message)) return;
    end(rank);
    train = train_of(message, size);
  }
  void end() {
    for (std::size_t rank = 0; rank < trains_.size(); ++rank) end(rank);
  }

 private:
  void end(std::size_t rank) {
    if (trains_[rank].messages > 0) see_(rank, trains_[rank]);
  }

  std::vector<Train> trains_;
  const RingTrains::See& see_;
};

/// The trains of ranks that are kept as runs: groups of ranks whose trains differ by a shift in time only.
///
/// Ranks are numbered in the order of the chunks that they send. In a step the sender of the first chunk has
/// the number of the step, counted from 1, and the other senders those after it: a rank keeps its number
/// until it has sent the first chunk, and then has one that is P greater.
class TrainsOfRuns final : public RingOfRuns::Watcher {
 public:
  /// All must outlive this object; `step`: the first that is watched.
  TrainsOfRuns(const RingOfRuns& runs, const RingEvaluator& rings, const ChunkSizes& chunks, int step,
               const RingTrains::See& see)
      : runs_(runs),
        network_(rings.network()),
        hops_(rings.hops()),
        chunks_(chunks),
        see_(see),
        next_step_(step),
        since_(hops_.size()),
        trains_(hops_.block()) {}

  void went_a_step() override;
  void went_evenly(int steps) override;
  bool goes_evenly_since(int steps) const override { return even_steps_ >= steps; }
  void end();

 private:
  /// Neighboring ranks whose trains have equally many messages, and are `shift_s` later from block to block.
  /// Ranks of one block or less have no shift.
  struct Group {
    std::int64_t begin;  // numbers of ranks
    std::int64_t end;
    std::size_t size;    // of their chunks: 1 for the larger ones
    std::int64_t block;  // the trains are those of the ranks of this one
    double shift_s;
    std::size_t trains;  // where these begin, one for each hop of a block; empty where no rank has it
  };
  struct Groups {
    std::vector<Group> groups;
    std::vector<Train> trains;
  };

  std::int64_t block_size() const { return static_cast<std::int64_t>(hops_.block()); }
  std::size_t rank_of(std::int64_t number) const { return static_cast<std::size_t>(number) % hops_.size(); }
  bool has_shift(const Group& group) const { return group.end - group.begin > block_size(); }
  std::size_t place(const Group& group, std::int64_t number) const {
    return group.trains + static_cast<std::size_t>(number % block_size());
  }
  double shift_s(const Group& group, std::int64_t number) const {
    return static_cast<double>(number / block_size() - group.block) * group.shift_s;
  }
  /// A message of the rank's train, counted from 0.
  Passed message(const Groups& of, const Group& group, std::int64_t number, std::int64_t message) const {
    return later(message_of(of.trains[place(group, number)], message), shift_s(group, number));
  }
  /// Whether the group has a train for the hop of this rank.
  bool knows(const Groups& of, const Group& group, std::int64_t number) const {
    return of.trains[place(group, number)].messages > 0;
  }

  void find_groups();
  void add_group(const RingOfRuns::Stretch& stretch, std::size_t first_place, std::int64_t ranks,
                 std::size_t size);
  bool join_last_two();
  bool fits(const Group& group, const Group& other) const;
  bool go_on(const Group& before, Group& now);
  bool is_next(const Group& before, const Group& now) const;
  void find_before();
  bool end_others();
  bool begin_others();
  bool follow_hops(const Group& before, const Group& group);
  void end_trains(const Group& group, std::int64_t begin, std::int64_t end);
  void begin_trains(std::int64_t begin, std::int64_t end);

  const RingOfRuns& runs_;
  const FreeRoutes& network_;
  const RingHops& hops_;
  const ChunkSizes& chunks_;
  const RingTrains::See& see_;
  int next_step_;
  int even_steps_ = 0;
  Groups now_;  // of the last step
  Groups next_;
  std::vector<int> since_;  // by rank: the step in which its train began
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> before_;  // of each group: the one of the last step that it continues
  std::vector<Train> trains_;        // of a group that may go on
};

void TrainsOfRuns::went_a_step() {
  find_groups();
  find_before();
  const bool do_all_go_on = end_others();
  even_steps_ = begin_others() && do_all_go_on ? even_steps_ + 1 : 0;
  ++next_step_;
  std::swap(now_, next_);
}

void TrainsOfRuns::find_groups() {
  next_.groups.clear();
  next_.trains.clear();
  runs_.for_each_stretch([this](const RingOfRuns::Stretch& stretch) {
    const std::size_t larger = stretch.first.larger_chunks;
    const std::size_t of_block = stretch.first.ranks;
    const std::int64_t ranks = stretch.blocks * static_cast<std::int64_t>(of_block);
    if (larger == 0 || larger == of_block) return add_group(stretch, 0, ranks, larger == 0 ? 0 : 1);
    add_group(stretch, 0, static_cast<std::int64_t>(larger), 1);
    add_group(stretch, larger, static_cast<std::int64_t>(of_block - larger), 0);
  });
}

void TrainsOfRuns::add_group(const RingOfRuns::Stretch& stretch, std::size_t first_place, std::int64_t ranks,
                             std::size_t size) {
  if (chunks_.bytes[size] == 0) return;
  const std::int64_t first = next_step_ + 1 + static_cast<std::int64_t>(stretch.first_block) * block_size() +
                             static_cast<std::int64_t>(first_place);
  Group group{.begin = first,
              .end = first + ranks,
              .size = size,
              .block = first / block_size(),
              .shift_s = stretch.shift_s,
              .trains = next_.trains.size()};
  next_.trains.resize(group.trains + hops_.block());
  for (std::int64_t i = 0; i < std::min(ranks, block_size()); ++i) {
    const std::size_t at = first_place + static_cast<std::size_t>(i);
    const Sent& sent = stretch.first.sent[at];
    const Passed message = passed(network_, stretch.first.leg(at), sent.ready_s,
                                  stretch.first.before[at].free_s, sent.arrival_s);
    next_.trains[place(group, first + i)] = train_of(later(message, -shift_s(group, first + i)), size);
  }
  next_.groups.push_back(group);
  while (join_last_two()) {
  }
}

/// Makes the last two groups one if their ranks are neighbors and do the same, but for the shift.
bool TrainsOfRuns::join_last_two() {
  std::vector<Group>& groups = next_.groups;
  if (groups.size() < 2) return false;
  Group& first = groups[groups.size() - 2];
  Group& second = groups.back();
  if (first.size != second.size || first.end != second.begin) return false;
  if (has_shift(first) && fits(first, second)) {
    first.end = second.end;
    groups.pop_back();
    next_.trains.resize(groups.back().trains + hops_.block());
    return true;
  }
  if (!has_shift(second) || has_shift(first) || !fits(second, first)) return false;
  second.begin = first.begin;
  groups.erase(groups.end() - 2);
  return true;
}

/// Whether the first messages of the other group's ranks are what those of `group`, which has a shift, would
/// be for these ranks.
bool TrainsOfRuns::fits(const Group& group, const Group& other) const {
  const auto is_as = [&](std::int64_t number) {
    return knows(next_, group, number) &&
           agree(message(next_, group, number, 0), message(next_, other, number, 0));
  };
  for (std::int64_t number = other.begin; number < std::min(other.end, other.begin + block_size()); ++number)
    if (!is_as(number)) return false;
  return is_as(other.end - 1);
}

/// Whether `now` may continue `before`: all its ranks were in that, or its shift tells what they would have
/// done.
bool TrainsOfRuns::is_next(const Group& before, const Group& now) const {
  if (before.size != now.size || now.begin >= before.end || now.end <= before.begin) return false;
  return has_shift(before) || (now.begin >= before.begin && now.end <= before.end);
}

/// Lets the messages of `now` continue the trains of `before`; on hops where they do not fit these, they
/// begin others. False, and nothing is done, if they fit on no hop, or ranks are not as far apart.
bool TrainsOfRuns::go_on(const Group& before, Group& now) {
  if (!is_next(before, now)) return false;
  bool does = false;
  std::ranges::fill(trains_, Train{});
  for (std::int64_t number = now.begin; number < std::min(now.end, now.begin + block_size()); ++number) {
    if (!knows(now_, before, number)) return false;
    const Passed own = later(message(next_, now, number, 0), -shift_s(before, number));
    Train& train = trains_[static_cast<std::size_t>(number % block_size())];
    train = now_.trains[place(before, number)];
    if (append(train, own))
      does = true;
    else
      train = train_of(own, now.size);
  }
  const std::int64_t last = now.end - 1;
  const Train& of_last = trains_[static_cast<std::size_t>(last % block_size())];
  const Passed there = later(message_of(of_last, of_last.messages - 1), shift_s(before, last));
  if (!does || !agree(there, message(next_, now, last, 0))) return false;
  std::ranges::copy(trains_, next_.trains.begin() + static_cast<std::ptrdiff_t>(now.trains));
  now.block = before.block;
  now.shift_s = before.shift_s;
  return true;
}

/// Finds the group of the last step that each group of this one continues, if any.
void TrainsOfRuns::find_before() {
  before_.clear();
  std::size_t first = 0;
  for (Group& group : next_.groups) {
    while (first < now_.groups.size() && now_.groups[first].end <= group.begin) ++first;
    std::size_t before = first;
    const auto may_be = [&] { return before < now_.groups.size() && now_.groups[before].begin < group.end; };
    while (may_be() && !go_on(now_.groups[before], group)) ++before;
    before_.push_back(may_be() ? before : none);
  }
}

/// Ends the trains of ranks that this step does not continue. True if it continues all.
bool TrainsOfRuns::end_others() {
  bool do_all = now_.groups.size() == next_.groups.size();
  std::size_t at = 0;
  for (std::size_t i = 0; i < now_.groups.size(); ++i) {
    const Group& before = now_.groups[i];
    std::int64_t ended = before.begin;
    for (; at < next_.groups.size() && (before_[at] == none || before_[at] == i); ++at) {
      if (before_[at] == none) continue;
      const Group& group = next_.groups[at];
      do_all = do_all && group.begin == before.begin + 1 && group.end == before.end + 1;
      end_trains(before, ended, std::max(group.begin, before.begin));
      ended = std::min(group.end, before.end);
      do_all = follow_hops(before, group) && do_all;
    }
    end_trains(before, ended, before.end);
  }
  return do_all;
}

/// Begins trains for ranks of which this step continues none. True if these are only at ends of groups.
bool TrainsOfRuns::begin_others() {
  for (std::size_t i = 0; i < next_.groups.size(); ++i) {
    const Group& group = next_.groups[i];
    if (before_[i] == none) {
      begin_trains(group.begin, group.end);
    } else {
      begin_trains(group.begin, now_.groups[before_[i]].begin);
      begin_trains(now_.groups[before_[i]].end, group.end);
    }
  }
  return std::ranges::find(before_, none) == before_.end();
}

/// Of the ranks that are in both groups: where go_on() has begun another train on a hop, ends that of its
/// ranks and begins one. True if there is no such hop.
bool TrainsOfRuns::follow_hops(const Group& before, const Group& group) {
  const std::int64_t begin = std::max(group.begin, before.begin);
  const std::int64_t end = std::min(group.end, before.end);
  bool do_all = true;
  for (std::int64_t first = begin; first < std::min(end, begin + block_size()); ++first) {
    if (next_.trains[place(group, first)].messages > 1) continue;
    do_all = false;
    for (std::int64_t number = first; number < end; number += block_size()) {
      end_trains(before, number, number + 1);
      begin_trains(number, number + 1);
    }
  }
  return do_all;
}

void TrainsOfRuns::end_trains(const Group& group, std::int64_t begin, std::int64_t end) {
  for (std::int64_t number = begin; number < end; ++number) {
    const int since = since_[rank_of(number)];
    Train train = now_.trains[place(group, number)];
    const std::int64_t messages = next_step_ - since;
    const Passed first = later(message_of(train, train.messages - messages), shift_s(group, number));
    train.messages = messages;
    train.ready.first_s = first.ready_s;
    train.start.first_s = first.start_s;
    train.arrival.first_s = first.arrival_s;
    see_(rank_of(number), train);
  }
}

void TrainsOfRuns::begin_trains(std::int64_t begin, std::int64_t end) {
  for (std::int64_t number = begin; number < end; ++number) since_[rank_of(number)] = next_step_;
}

void TrainsOfRuns::went_evenly(int steps) {
  for (int step = 0; step < steps; ++step) {
    for (const Group& group : now_.groups) end_trains(group, group.begin, group.begin + 1);
    for (Group& group : now_.groups) {
      begin_trains(group.end, group.end + 1);
      ++group.begin;
      ++group.end;
    }
    for (Train& train : now_.trains)
      if (train.messages > 0) ++train.messages;
    ++next_step_;
  }
}

void TrainsOfRuns::end() {
  for (const Group& group : now_.groups) end_trains(group, group.begin, group.end);
}

}  // namespace

void RingTrains::go_through(const EvaluatedRing& ring, const See& see) const {
  StepRules rules(rings_.network(), ring.chunks);
  after_steps(
      rules, rings_.hops(), rings_.network(), ring.before, ring.first_step, ring.end_step,
      [&](RingOfRuns& runs, int step) {
        TrainsOfRuns trains(runs, rings_, ring.chunks, step, see);
        const int gone_to = runs.go(step, ring.end_step, &trains);
        trains.end();
        return gone_to;
      },
      [&](std::vector<RankState> ranks, int step, int end_step) {
        return go_through_each(ring, std::move(ranks), step, end_step, see);
      });
}

/// Computes the steps from `step` to before `end_step` rank by rank, from the states before the first one to
/// those after the last.
std::vector<RankState> RingTrains::go_through_each(const EvaluatedRing& ring, std::vector<RankState> ranks,
                                                   int step, int end_step, const See& see) const {
  const FreeRoutes& network = rings_.network();
  const RingHops& hops = rings_.hops();
  const std::vector<Legs> legs = legs_of(ring.chunks, hops, network);
  std::vector<double> ready_s(ranks.size());
  std::vector<double> free_s(ranks.size());
  std::vector<double> arrival_s(ranks.size());
  TrainsOfRanks trains(ranks.size(), see);
  RingReplay replay(hops, network, ring, step, std::move(ranks));
  for (; step < end_step; ++step) {
    replay.step([&](const auto& all) { all.note_sent({ready_s.data(), free_s.data(), arrival_s.data()}); });
    replay.for_each_sender([&](std::size_t rank, std::size_t size) {
      const Leg& leg = legs[hops.kind_of[rank]][size];
      trains.send(rank, size, passed(network, leg, ready_s[rank], free_s[rank], arrival_s[rank]));
    });
  }
  trains.end();
  return replay.ranks();
}

}  // namespace starling

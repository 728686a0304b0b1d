#include "algorithms/collectives/evaluation/rings/observation/ring_trains.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "algorithms/collectives/evaluation/rings/observation/ring_record.hpp"
#include "algorithms/collectives/evaluation/rings/ring_of_runs.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

/// A train of one message that is ready at `ready_s`, and whose hop is busy with earlier messages until
/// `free_s`.
Train message(const FreeRoutes& network, const Leg& leg, std::size_t size, double ready_s, double free_s,
              double arrival_s) {
  return {.messages = 1,
          .size = size,
          .passes = network.passes(leg, ready_s, free_s),
          .ready = {.first_s = ready_s},
          .start = {.first_s = network.start_s(leg, ready_s, free_s)},
          .arrival = {.first_s = arrival_s}};
}

/// The train from `message` on.
Train from(const Train& train, std::int64_t message) {
  Train rest = train;
  rest.messages -= message;
  for (const auto times : {&Train::ready, &Train::start, &Train::arrival})
    (rest.*times).first_s = (train.*times).of(message);
  return rest;
}

Train later(const Train& train, double by_s) {
  Train there = train;
  for (const auto times : {&Train::ready, &Train::start, &Train::arrival}) (there.*times).first_s += by_s;
  return there;
}

/// Whether the first messages of both trains are the same up to the rounding of the sums of a train.
bool agree(const Train& one, const Train& other) {
  constexpr double rounding_of_trains = 1e-12;
  const auto is_same = [](double one_s, double other_s) {
    return std::abs(one_s - other_s) <= rounding_of_trains * std::abs(other_s);
  };
  return one.passes == other.passes && is_same(one.ready.first_s, other.ready.first_s) &&
         is_same(one.start.first_s, other.start.first_s) &&
         is_same(one.arrival.first_s, other.arrival.first_s);
}

/// Appends a message if it follows the last one at the distance of the train's messages; else returns false.
bool append(Train& train, const Train& next) {
  const bool fits =
      train.messages == 1 ? train.passes == next.passes : agree(from(train, train.messages), next);
  if (!fits) return false;
  const auto gaps = static_cast<double>(train.messages++);
  for (const auto times : {&Train::ready, &Train::start, &Train::arrival})
    (train.*times).gap_s = ((next.*times).first_s - (train.*times).first_s) / gaps;
  return true;
}

/// The trains of ranks that are computed one by one.
class TrainsOfRanks {
 public:
  TrainsOfRanks(std::size_t ranks, const RingTrains::See& see) : trains_(ranks), see_(see) {}

  void send(std::size_t rank, const Train& message) {
    Train& train = trains_[rank];
    if (train.messages > 0 && train.size == message.size && append(train, message)) return;
    end(rank);
    train = message;
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

/// Neighboring ranks whose trains have equally many messages, and are later by a constant shift from block
/// to block. A block is as many ranks as there are hops before the hops repeat; the trains of one block are
/// stored.
///
/// Ranks are numbered in the order of the chunks that they send. In a step, the sender of chunk 0 has the
/// number of the step, counted from 1, and the other senders the numbers after it. So a rank keeps its
/// number until it has sent chunk 0, and then gets a number that is greater by P. Block b begins at number
/// b times the block size, so all ranks at the same place in their blocks send over the same kind of hop.
struct Group {
  std::int64_t begin;  // rank numbers begin … end − 1
  std::int64_t end;
  std::size_t size;    // index in ChunkSizes::bytes: 1 for the larger chunks
  double shift_s;      // from block to block; meaningless if the group is not longer than a block
  std::int64_t block;  // the block whose trains are stored
  std::size_t trains;  // index of its first train in Groups::trains, one per place; empty if no rank is there
};

/// The groups of a step, in the order of ranks.
struct Groups {
  /// The end of the ranks that represent begin … end − 1, one for each place: at most one block.
  std::int64_t end_of_block(std::int64_t begin, std::int64_t end) const {
    return std::min(end, begin + block_size);
  }
  /// Whether the group is longer than a block, so that its shift is defined.
  bool has_shift(const Group& group) const { return group.end - group.begin > block_size; }
  double shift_s(const Group& group, std::int64_t rank) const {
    return static_cast<double>(rank / block_size - group.block) * group.shift_s;
  }
  std::size_t place(std::int64_t rank) const { return static_cast<std::size_t>(rank % block_size); }
  std::span<Train> trains_of(const Group& group) {
    return {&trains[group.trains], static_cast<std::size_t>(block_size)};
  }
  /// The stored train at the rank's place; it has no messages if there is none.
  const Train& known(const Group& group, std::int64_t rank) const {
    return trains[group.trains + place(rank)];
  }
  /// The train at the rank's place, shifted to the rank, from `message` on. The rank's own train is the end
  /// of it.
  Train train(const Group& group, std::int64_t rank, std::int64_t message) const {
    return later(from(known(group, rank), message), shift_s(group, rank));
  }

  void clear() {
    groups.clear();
    trains.clear();
  }
  /// Appends a group of the ranks begin … end − 1, each with a train of one message; first_message(rank) is
  /// called for the first rank at each place.
  template <typename FirstMessage>
  void add(std::int64_t begin, std::int64_t end, std::size_t size, double by_block_s,
           const FirstMessage& first_message) {
    const Group group{begin, end, size, by_block_s, begin / block_size, trains.size()};
    trains.resize(trains.size() + static_cast<std::size_t>(block_size));
    for (std::int64_t rank = begin; rank < end_of_block(begin, end); ++rank)
      trains[group.trains + place(rank)] = later(first_message(rank), -shift_s(group, rank));
    groups.push_back(group);
    while (join_last_two()) {
    }
  }
  bool join_last_two();
  bool fits(const Group& group, const Group& other) const;

  std::int64_t block_size;
  std::vector<Group> groups = {};
  std::vector<Train> trains = {};
};

/// Joins the last two groups if their ranks are neighbors and one group, extended by its shift, predicts the
/// messages of the other. Returns whether it did.
bool Groups::join_last_two() {
  if (groups.size() < 2) return false;
  Group& first = groups[groups.size() - 2];
  Group& second = groups.back();
  if (first.size != second.size || first.end != second.begin) return false;
  if (has_shift(first)) {
    if (!fits(first, second)) return false;
    first.end = second.end;
    trains.resize(second.trains);
    groups.pop_back();
  } else {
    if (!has_shift(second) || !fits(second, first)) return false;
    second.begin = first.begin;
    groups.erase(groups.end() - 2);
  }
  return true;
}

/// Whether `group`, which must have a shift, extended to the ranks of `other`, predicts their first messages.
bool Groups::fits(const Group& group, const Group& other) const {
  const auto is_as = [&](std::int64_t rank) {
    return known(group, rank).messages > 0 && agree(train(group, rank, 0), train(other, rank, 0));
  };
  for (std::int64_t rank = other.begin; rank < end_of_block(other.begin, other.end); ++rank)
    if (!is_as(rank)) return false;
  return is_as(other.end - 1);
}

/// The trains of ranks that form runs, in O(groups) per step and O(1) per train.
///
/// In each step, ranks are grouped by the messages that they send in it. A group continues a group of the
/// previous step with the same ranks if the new messages follow at the distance of the earlier ones. Its
/// stored trains then have the messages of all steps in which this held. A rank may have joined the group
/// later; its own train is the end of the stored train, from the step on in which the rank's train began.
class TrainsOfRuns final : public RingOfRuns::Watcher {
 public:
  /// All must outlive this object. `step`: the first step that is observed.
  TrainsOfRuns(const RingOfRuns& runs, const RingEvaluator& rings, const ChunkSizes& chunks, int step,
               const RingTrains::See& see)
      : runs_(runs),
        network_(rings.network()),
        chunks_(chunks),
        see_(see),
        next_step_(step),
        now_{.block_size = static_cast<std::int64_t>(rings.hops().block())},
        next_{.block_size = now_.block_size},
        since_(rings.hops().size()),
        trains_(rings.hops().block()) {}

  void on_step() override;
  void on_even_steps(int steps) override;
  bool has_advanced_evenly_for(int steps) const override { return even_steps_ >= steps; }
  void end() {
    for (const Group& group : now_.groups) end_trains(group, group.begin, group.end);
  }

 private:
  /// The ranks of a group of this step whose trains continue those of a group of the last step.
  struct Continued {
    std::size_t before;  // index of the group of the last step
    std::size_t now;     // index of the group of this step
    std::int64_t begin;  // rank numbers begin … end − 1
    std::int64_t end;
    bool on_all_hops;  // false if new trains begin at some places of the block
  };

  std::size_t rank_of(std::int64_t number) const { return static_cast<std::size_t>(number) % since_.size(); }
  void find_groups();
  void add_group(const RingOfRuns::Stretch& stretch, std::size_t first_place, std::int64_t ranks);
  void continue_groups();
  bool may_continue(const Group& before, const Group& group) const;
  std::optional<Continued> continued(std::size_t before, std::size_t now);
  bool go_on_evenly() const;
  template <typename Act>
  void for_each_other(const Groups& of, std::size_t Continued::*index, const Act& act) const;
  void change_trains(const Continued& of);
  void end_trains(const Group& group, std::int64_t begin, std::int64_t end);
  void begin_trains(std::int64_t begin, std::int64_t end);

  const RingOfRuns& runs_;
  const FreeRoutes& network_;
  const ChunkSizes& chunks_;
  const RingTrains::See& see_;
  int next_step_;
  int even_steps_ = 0;
  Groups now_;                        // of the last step
  Groups next_;                       // of this step
  std::vector<Continued> continued_;  // in the order of rank numbers
  std::vector<int> since_;            // by rank: the step in which its train began
  std::vector<Train> trains_;         // scratch memory of continued(), by place
};

void TrainsOfRuns::on_step() {
  find_groups();
  continue_groups();
  even_steps_ = go_on_evenly() ? even_steps_ + 1 : 0;
  for_each_other(now_, &Continued::before, [this](const Group& group, std::int64_t begin, std::int64_t end) {
    end_trains(group, begin, end);
  });
  for_each_other(next_, &Continued::now,
                 [this](const Group&, std::int64_t begin, std::int64_t end) { begin_trains(begin, end); });
  for (const Continued& each : continued_) change_trains(each);
  ++next_step_;
  std::swap(now_, next_);
}

/// Groups the ranks of the last step. All blocks of a stretch send chunks of one size, unless the stretch
/// is a single block, which may send both sizes.
void TrainsOfRuns::find_groups() {
  next_.clear();
  runs_.for_each_stretch([this](const RingOfRuns::Stretch& stretch) {
    const std::size_t larger = stretch.first.larger_chunks;
    const std::size_t of_block = stretch.first.ranks;
    if (larger == 0 || larger == of_block)
      return add_group(stretch, 0, stretch.blocks * static_cast<std::int64_t>(of_block));
    STARLING_INVARIANT(stretch.blocks == 1);
    add_group(stretch, 0, static_cast<std::int64_t>(larger));
    add_group(stretch, larger, static_cast<std::int64_t>(of_block - larger));
  });
}

void TrainsOfRuns::add_group(const RingOfRuns::Stretch& stretch, std::size_t first_place,
                             std::int64_t ranks) {
  const std::size_t size = stretch.first.size(first_place);
  if (chunks_.bytes[size] == 0) return;
  const std::size_t first_chunk = stretch.first_block * trains_.size() + first_place;
  const std::int64_t begin = next_step_ + 1 + static_cast<std::int64_t>(first_chunk);
  next_.add(begin, begin + ranks, size, stretch.shift_s, [&](std::int64_t rank) {
    const std::size_t place = first_place + static_cast<std::size_t>(rank - begin);
    const Sent& sent = stretch.first.sent[place];
    return message(network_, stretch.first.leg(place), size, sent.ready_s, stretch.first.before[place].free_s,
                   sent.arrival_s);
  });
}

/// Finds the group of the last step that each group of this step continues, if any. Both are in the order of
/// rank numbers.
void TrainsOfRuns::continue_groups() {
  continued_.clear();
  std::size_t first = 0;
  for (std::size_t now = 0; now < next_.groups.size(); ++now) {
    const Group& group = next_.groups[now];
    while (first < now_.groups.size() && now_.groups[first].end <= group.begin) ++first;
    std::optional<Continued> found;
    for (std::size_t i = first; !found && i < now_.groups.size() && now_.groups[i].begin < group.end; ++i)
      found = continued(i, now);
    if (found) continued_.push_back(*found);
  }
}

/// Whether `before`, which shares ranks with the group, has trains for all ranks of the group: it contained
/// them, or it has a shift by which it can be extended to them.
bool TrainsOfRuns::may_continue(const Group& before, const Group& group) const {
  const bool had_all = group.begin >= before.begin && group.end <= before.end;
  return before.size == group.size && (had_all || now_.has_shift(before));
}

/// Lets the messages of group `now` continue the trains of group `index` of the last step; at places where
/// they do not fit, new trains begin. Returns nothing, and changes no group, if they fit at no place, or if
/// the shifts of the groups differ.
std::optional<TrainsOfRuns::Continued> TrainsOfRuns::continued(std::size_t index, std::size_t now) {
  const Group& before = now_.groups[index];
  Group& group = next_.groups[now];
  if (!may_continue(before, group)) return std::nullopt;
  int hops = 0;
  int others = 0;
  std::ranges::fill(trains_, Train{});
  for (std::int64_t rank = group.begin; rank < now_.end_of_block(group.begin, group.end); ++rank) {
    Train& train = trains_[now_.place(rank)] = now_.known(before, rank);
    if (train.messages == 0) return std::nullopt;
    const Train own = later(next_.train(group, rank, 0), -now_.shift_s(before, rank));
    ++hops;
    if (append(train, own)) continue;
    ++others;
    train = own;
  }
  const std::int64_t last = group.end - 1;
  const Train& of_last = trains_[now_.place(last)];
  const Train there = later(from(of_last, of_last.messages - 1), now_.shift_s(before, last));
  if (others == hops || !agree(there, next_.train(group, last, 0))) return std::nullopt;
  std::ranges::copy(trains_, next_.trains_of(group).begin());
  group.block = before.block;
  group.shift_s = before.shift_s;
  return Continued{index, now, std::max(group.begin, before.begin), std::min(group.end, before.end),
                   others == 0};
}

/// Whether every group continues a group of equally many ranks, moved by one rank, so that trains begin and
/// end only at the ends of groups.
bool TrainsOfRuns::go_on_evenly() const {
  const std::size_t groups = next_.groups.size();
  return now_.groups.size() == groups && continued_.size() == groups &&
         std::ranges::all_of(continued_, [this](const Continued& of) {
           const Group& before = now_.groups[of.before];
           const Group& group = next_.groups[of.now];
           return of.on_all_hops && group.begin == before.begin + 1 && group.end == before.end + 1;
         });
}

/// Calls act(group, begin, end) for all ranks in the groups of `of` that are not in continued_. `index`: the
/// member of Continued that refers to these groups.
template <typename Act>
void TrainsOfRuns::for_each_other(const Groups& of, std::size_t Continued::*index, const Act& act) const {
  auto next = continued_.begin();
  for (std::size_t i = 0; i < of.groups.size(); ++i) {
    std::int64_t begin = of.groups[i].begin;
    for (; next != continued_.end() && (*next).*index == i; ++next) {
      act(of.groups[i], begin, next->begin);
      begin = next->end;
    }
    act(of.groups[i], begin, of.groups[i].end);
  }
}

/// Ends the trains of a continued group at the places where new trains have begun.
void TrainsOfRuns::change_trains(const Continued& of) {
  if (of.on_all_hops) return;
  for (std::int64_t first = of.begin; first < now_.end_of_block(of.begin, of.end); ++first) {
    if (next_.known(next_.groups[of.now], first).messages > 1) continue;
    for (std::int64_t rank = first; rank < of.end; rank += now_.block_size) {
      end_trains(now_.groups[of.before], rank, rank + 1);
      begin_trains(rank, rank + 1);
    }
  }
}

void TrainsOfRuns::end_trains(const Group& group, std::int64_t begin, std::int64_t end) {
  for (std::int64_t rank = begin; rank < end; ++rank) {
    const std::int64_t known = now_.known(group, rank).messages;
    const std::int64_t own = next_step_ - since_[rank_of(rank)];
    STARLING_INVARIANT(0 < own && own <= known);
    see_(rank_of(rank), now_.train(group, rank, known - own));
  }
}

void TrainsOfRuns::begin_trains(std::int64_t begin, std::int64_t end) {
  for (std::int64_t rank = begin; rank < end; ++rank) since_[rank_of(rank)] = next_step_;
}

/// In each of these steps, one rank leaves every group at its beginning and one joins at its end; all other
/// trains continue.
void TrainsOfRuns::on_even_steps(int steps) {
  for (int step = 0; step < steps; ++step) {
    for (const Group& group : now_.groups) end_trains(group, group.begin, group.begin + 1);
    for (Group& group : now_.groups) {
      begin_trains(group.end, group.end + 1);
      ++group.begin;
      ++group.end;
      for (Train& train : now_.trains_of(group))
        if (train.messages > 0) ++train.messages;
    }
    ++next_step_;
  }
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

/// Computes the steps from `step` to before `end_step` rank by rank, given the states before them, and
/// calls see() with their trains. Returns the states after them.
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
      trains.send(rank, message(network, leg, size, ready_s[rank], free_s[rank], arrival_s[rank]));
    });
  }
  trains.end();
  return replay.ranks();
}

}  // namespace starling

#include "tests/algorithms/collectives/checker.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <string>

#include "algorithms/collectives/schedules/butterfly.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "tests/algorithms/collectives/all_schedules.hpp"

namespace starling {
namespace {

/// A schedule with every round changed by a function.
class BrokenSchedule final : public Schedule {
 public:
  using Break = std::function<Round(Rank, int, Round)>;
  BrokenSchedule(std::unique_ptr<Schedule> sound, Break break_round)
      : Schedule(sound->ranks(), sound->count()),
        sound_(std::move(sound)),
        break_round_(std::move(break_round)) {}

  std::string name() const override { return "broken"; }
  int rounds(Rank rank) const override { return sound_->rounds(rank); }
  Round round(Rank rank, int index) const override {
    return break_round_(rank, index, sound_->round(rank, index));
  }

 private:
  std::unique_ptr<Schedule> sound_;
  Break break_round_;
};

std::string violation_of_broken_ring(BrokenSchedule::Break break_round) {
  const BrokenSchedule schedule(make_allreduce(CollectiveKind::ring, 4, 12), std::move(break_round));
  return find_violation(schedule, {}).value_or("none");
}

}  // namespace

TEST_CASE("every collective is proved right for every number of ranks and elements") {
  for (const int ranks : test_ranks) {
    for (const std::int64_t count : test_counts) {
      for (const ScheduleCase& tested : all_schedules(ranks, count)) {
        CAPTURE(ranks);
        CAPTURE(count);
        CHECK_EQ(find_violation(*tested.schedule, tested.expectation).value_or("none"), "none");
      }
    }
  }
}

TEST_CASE("the group all-reduce over a butterfly sums within each group and nowhere else") {
  for (const int ranks : {1, 2, 8, 16, 64}) {
    for (int group_size = 1; group_size <= ranks; group_size *= 2) {
      for (const std::int64_t iteration : {0, 1, 2, 7}) {
        const Butterfly butterfly(ranks, group_size, iteration);
        Expectation expectation;
        for (Rank rank = 0; rank < ranks; ++rank)
          expectation.group.push_back(butterfly.group_of(rank).front());
        const auto schedule = make_group_allreduce(ranks, 7, group_size, iteration);
        CHECK_EQ(find_violation(*schedule, expectation).value_or("none"), "none");
      }
    }
  }
}

TEST_CASE("the checker reports a contribution that is missing") {
  const std::string violation = violation_of_broken_ring([](Rank, int index, Round round) {
    if (index == 0) round.action = Round::Action::copy;
    return round;
  });
  CHECK_EQ(violation, "broken: rank 0 ends with the contribution of rank 2 0 times in element 0, not 1");
}

TEST_CASE("the checker reports a contribution that is counted twice") {
  const std::string violation = violation_of_broken_ring([](Rank, int index, Round round) {
    if (index == 3) round.action = Round::Action::reduce;
    return round;
  });
  CHECK_EQ(violation, "broken: rank 0 ends with the contribution of rank 2 2 times in element 3, not 1");
}

TEST_CASE("the checker reports a message of another size than is expected") {
  const std::string violation = violation_of_broken_ring([](Rank rank, int index, Round round) {
    if (rank == 2 && index == 1) round.send.chunk.count = 2;
    return round;
  });
  CHECK_EQ(violation, "broken: rank 2 sends elements 0 … 2 in round 1, but rank 3 expects 0 … 3 in round 1");
}

TEST_CASE("the checker reports a message that nobody sends") {
  const std::string violation = violation_of_broken_ring([](Rank rank, int index, Round round) {
    if (rank == 1 && index == 5) round.send = {};
    return round;
  });
  CHECK_EQ(violation, "broken: rank 2 waits for ever in round 5 to receive from rank 1");
}

TEST_CASE("the checker reports a message that nobody receives") {
  const std::string violation = violation_of_broken_ring([](Rank rank, int index, Round round) {
    if (rank == 0 && index == 5) round.receive.chunk.count = 0;
    return round;
  });
  CHECK_EQ(violation, "broken: rank 3 waits for ever in round 5 to send to rank 0");
}

TEST_CASE("the checker reports a cycle of ranks that receive before they send") {
  // Two rounds for each of the ring's: first receive, then send.
  class ReceiveFirst final : public Schedule {
   public:
    ReceiveFirst() : Schedule(3, 3) {}

    std::string name() const override { return "receive first"; }
    int rounds(Rank) const override { return 4; }
    Round round(Rank rank, int index) const override {
      Round round = ring_.round(rank, index / 2);
      (index % 2 == 0 ? round.send : round.receive) = {};
      return round;
    }

   private:
    RingSchedule ring_{RingSchedule::Phase::reduce_scatter, 3, 3};
  };
  CHECK_EQ(find_violation(ReceiveFirst(), {.what = Expectation::What::reduce_scatter}).value_or("none"),
           "receive first: rank 0 waits for ever in round 0 to receive from rank 2");
}

TEST_CASE("the checker reports peers and chunks that do not exist") {
  CHECK_EQ(violation_of_broken_ring([](Rank rank, int index, Round round) {
             if (rank == 3 && index == 0) round.send.peer = 4;
             return round;
           }),
           "broken: rank 3 names peer 4 in round 0");
  CHECK_EQ(violation_of_broken_ring([](Rank rank, int index, Round round) {
             if (rank == 3 && index == 0) round.send.chunk = {.offset = 10, .count = 3};
             return round;
           }),
           "broken: rank 3 uses elements 10 … 13 of 12 in round 0");
}

TEST_CASE("the checker reports a round that receives into what it sends") {
  CHECK_EQ(violation_of_broken_ring([](Rank rank, int index, Round round) {
             if (rank == 1 && index == 3) round.receive.chunk = round.send.chunk;
             return round;
           }),
           "broken: rank 1 receives into what it sends in round 3");
}

TEST_CASE("the checker reports a barrier that a rank leaves early") {
  const BrokenSchedule schedule(std::make_unique<DisseminationBarrier>(4),
                                [](Rank, int index, Round round) { return index == 1 ? Round() : round; });
  CHECK_EQ(find_violation(schedule, {.what = Expectation::What::barrier}).value_or("none"),
           "broken: rank 0 ends with the contribution of rank 1 0 times in element 0, not 1");
}

}  // namespace starling

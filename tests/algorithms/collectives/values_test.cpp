#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/collectives/schedules/grouped_schedule.hpp"
#include "sim/random.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/algorithms/collectives/all_schedules.hpp"
#include "tests/algorithms/collectives/star_world.hpp"

namespace starling {
namespace {

using Values = std::vector<float>;
using InitialValue = std::function<float(Rank, std::int64_t)>;

/// The values that every rank holds after it ran the schedule.
std::vector<Values> run_values(const Schedule& schedule, const InitialValue& initial,
                               MessageCosts costs = {}) {
  std::vector<Values> values(static_cast<std::size_t>(schedule.ranks()));
  for (Rank rank = 0; rank < schedule.ranks(); ++rank) {
    for (std::int64_t i = 0; i < schedule.count(); ++i) {
      values[static_cast<std::size_t>(rank)].push_back(initial(rank, i));
    }
  }
  run_on_star(schedule.ranks(), costs, [&](Worker& worker) {
    run_schedule(worker, schedule, Buffer::real(values[static_cast<std::size_t>(worker.rank())]), 7);
  });
  return values;
}

/// A small integer as initial value: floats add these without rounding, in any order.
float small_integer(Rank rank, std::int64_t element) {
  return static_cast<float>((rank + 1) * (element % 5 + 1));
}

float sum_of_small_integers(int ranks, std::int64_t element) {
  return static_cast<float>(ranks * (ranks + 1) / 2 * static_cast<int>(element % 5 + 1));
}

float random_value(Rank rank, std::int64_t element) {
  const CounterRandom random(1, Purpose::data);
  return static_cast<float>(
      random.uniform(static_cast<std::uint32_t>(rank), static_cast<std::uint64_t>(element)) - 0.5);
}

/// The elements that the collective promises on this rank: those of its chunk, all, or none.
Chunk promised(const ScheduleCase& tested, Rank rank) {
  using What = Expectation::What;
  const Schedule& schedule = *tested.schedule;
  const bool has_result = tested.expectation.what != What::reduce || rank == tested.expectation.root;
  if (tested.expectation.what == What::reduce_scatter) {
    return EvenPartition(schedule.count(), schedule.ranks()).chunk(tested.expectation.chunk_of(rank));
  }
  return {.offset = 0, .count = has_result ? schedule.count() : 0};
}

float expected(const ScheduleCase& tested, std::int64_t element) {
  using What = Expectation::What;
  const int ranks = tested.schedule->ranks();
  if (tested.expectation.what == What::broadcast) return small_integer(tested.expectation.root, element);
  if (tested.expectation.what != What::allgather) return sum_of_small_integers(ranks, element);
  Rank owner = 0;
  const EvenPartition parts(tested.schedule->count(), ranks);
  const auto owns = [&](int chunk) {
    return parts.offset(chunk) <= element && element < parts.offset(chunk + 1);
  };
  while (!owns(tested.expectation.chunk_of(owner))) ++owner;
  return small_integer(owner, element);
}

int wrong_elements(const ScheduleCase& tested, const std::vector<Values>& values) {
  int wrong = 0;
  for (Rank rank = 0; rank < tested.schedule->ranks(); ++rank) {
    const Chunk chunk = promised(tested, rank);
    for (std::int64_t i = chunk.offset; i < chunk.offset + chunk.count; ++i) {
      const float found = values[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i)];
      if (found != expected(tested, i)) ++wrong;
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("every collective leaves the right values") {
  constexpr int most_ranks = has_address_sanitizer ? 17 : 64;  // 64 take two minutes with it
  for (const int ranks : test_ranks) {
    if (ranks > most_ranks) continue;
    for (const std::int64_t count : test_counts) {
      for (const ScheduleCase& tested : all_schedules(ranks, count)) {
        if (tested.expectation.what == Expectation::What::barrier) continue;
        CAPTURE(ranks);
        CAPTURE(count);
        CAPTURE(tested.schedule->name());
        CHECK_EQ(wrong_elements(tested, run_values(*tested.schedule, small_integer)), 0);
      }
    }
  }
}

TEST_CASE("every all-reduce leaves the same bits on all ranks") {
  for (const int ranks : test_ranks) {
    for (const std::int64_t count : {7, 1000}) {
      for (const std::unique_ptr<Schedule>& schedule : all_allreduces(ranks, count)) {
        CAPTURE(ranks);
        CAPTURE(schedule->name());
        const std::vector<Values> values = run_values(*schedule, random_value);
        bool are_same = true;
        for (const Values& of_rank : values) are_same = are_same && of_rank == values[0];
        CHECK(are_same);
      }
    }
  }
}

TEST_CASE("messages that wait for their receiver change no value") {
  for (const ScheduleCase& tested : all_schedules(6, 100)) {
    if (tested.expectation.what == Expectation::What::barrier) continue;
    CAPTURE(tested.schedule->name());
    const std::vector<Values> values =
        run_values(*tested.schedule, small_integer, {.eager_threshold_bytes = 0});
    CHECK_EQ(wrong_elements(tested, values), 0);
  }
}

TEST_CASE("a group all-reduce leaves each group the sum of its members") {
  const auto schedule = make_group_allreduce(8, 3, 4, 1);  // groups {0,1,4,5} and {2,3,6,7}
  const std::vector<Values> values =
      run_values(*schedule, [](Rank rank, std::int64_t) { return static_cast<float>(rank); });
  for (const Rank rank : {0, 1, 4, 5}) CHECK_EQ(values[static_cast<std::size_t>(rank)], Values{10, 10, 10});
  for (const Rank rank : {2, 3, 6, 7}) CHECK_EQ(values[static_cast<std::size_t>(rank)], Values{18, 18, 18});
}

TEST_CASE("a schedule runs among some ranks of a world in any order") {
  RankPartition partition(6);
  for (const std::vector<Rank>& members : {std::vector<Rank>{4, 1, 3}, {0}, {2}, {5}})
    partition.add_group(members);
  const auto three = make_broadcast(3, 2, 1);
  const auto one = make_broadcast(1, 2, 0);
  const GroupedSchedule schedule(partition, {three.get(), one.get(), one.get(), one.get()});
  std::vector<Values> values(6);
  run_on_star(6, {}, [&](Worker& worker) {
    Values& own = values[static_cast<std::size_t>(worker.rank())];
    own.assign(2, static_cast<float>(worker.rank()));
    run_schedule(worker, schedule, Buffer::real(own), 3);
  });
  for (const Rank rank : {4, 1, 3}) CHECK_EQ(values[static_cast<std::size_t>(rank)], Values{1, 1});
  for (const Rank rank : {0, 2, 5}) {
    CHECK_EQ(values[static_cast<std::size_t>(rank)], Values(2, static_cast<float>(rank)));
  }
}

TEST_CASE("collectives of disjoint groups run at the same time with the same tag") {
  RankPartition partition(7);
  partition.add_group(std::vector<Rank>{1, 3, 5});
  partition.add_group(std::vector<Rank>{0, 2, 4, 6});
  const auto odd = make_allreduce(CollectiveKind::halving_doubling, 3, 5);
  const auto even = make_allreduce(CollectiveKind::halving_doubling, 4, 5);
  const GroupedSchedule schedule(partition, {odd.get(), even.get()});
  std::vector<Values> values(7, Values(5, 1));
  run_on_star(7, {}, [&](Worker& worker) {
    run_schedule(worker, schedule, Buffer::real(values[static_cast<std::size_t>(worker.rank())]), 3);
  });
  for (Rank rank = 0; rank < 7; ++rank) {
    CHECK_EQ(values[static_cast<std::size_t>(rank)], Values(5, rank % 2 == 1 ? 3.0F : 4.0F));
  }
}

}  // namespace starling

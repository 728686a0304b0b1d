#include "workloads/records/participation.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using Counts = std::vector<std::int64_t>;

TEST_CASE("a participation log without operations has means of 0") {
  const ParticipationLog log(4);
  CHECK(log.operations() == 0);
  CHECK(log.mean_active_workers() == 0);
  CHECK(log.mean_staleness_iterations() == 0);
  CHECK(log.max_staleness_iterations() == 0);
  CHECK(log.active_workers_histogram() == Counts{0, 0, 0, 0, 0});
}

TEST_CASE("active workers of an operation are those that contribute their newest work") {
  ParticipationLog log(3);
  log.contribute(0, 0, 0, 0);
  log.contribute(0, 0, 0, 0);
  log.contribute_nothing(0);
  log.contribute(1, 1, 1, 1);
  log.contribute(1, 1, 0, 0);  // a round late
  log.contribute(1, 1, 0, 1);  // with the round before
  CHECK(log.operations() == 2);
  CHECK(log.fresh_contributions() == 4);
  CHECK(log.stale_contributions() == 1);
  CHECK(log.absent_contributions() == 1);
  CHECK(log.active_workers_histogram() == Counts{0, 0, 2, 0});
  CHECK(log.mean_active_workers() == 2);
}

TEST_CASE("staleness counts the work of every iteration that a contribution holds") {
  ParticipationLog log(2);
  log.contribute(0, 5, 2, 5);
  log.contribute(0, 5, 4, 4);
  CHECK(log.staleness_histogram() == Counts{1, 2, 1, 1});
  CHECK(log.mean_staleness_iterations() == about(7.0 / 5));
  CHECK(log.max_staleness_iterations() == 3);
}

TEST_CASE("an operation may be logged as a whole, after those that are there") {
  ParticipationLog log(3);
  log.contribute(0, 4, 4, 4);
  log.add_operation(3);
  log.add_operation(1, Counts{1, 3});
  CHECK(log.operations() == 3);
  CHECK(log.active_workers_histogram() == Counts{0, 2, 0, 1});
  CHECK(log.mean_active_workers() == about(5.0 / 3));
  CHECK(log.fresh_contributions() == 5);
  CHECK(log.stale_contributions() == 2);
  CHECK(log.staleness_histogram() == Counts{5, 1, 0, 1});
  CHECK_THROWS_AS(log.add_operation(1, Counts{0}), InvariantError);
}

TEST_CASE(
    "an average is noted as one operation, with others that are fresh or all as old, where there is a log") {
  ParticipationLog log(3);
  for (const ParticipationNotes notes : {ParticipationNotes(), ParticipationNotes(&log)}) {
    notes.add_average(2);
    notes.add_average(2, 4);
    notes.add_average(0);
    for (Rank rank = 0; rank < 3; ++rank) notes.add_average_of_all(rank, 3);
    notes.contribute(0, 4, 4, 4);
    notes.contribute_nothing(0);
    notes.end_iteration(1);
  }
  CHECK(log.active_workers_histogram() == Counts{0, 3, 0, 2});
  CHECK(log.staleness_histogram() == Counts{9, 0, 0, 0, 2});
  CHECK(log.absent_contributions() == 1);
  CHECK(log.iterations() == Counts{0, 1, 0});
}

/// All figures that a log has of contributions.
void check_same_contributions(const ParticipationLog& log, const ParticipationLog& expected) {
  CHECK(log.operations() == expected.operations());
  CHECK(log.fresh_contributions() == expected.fresh_contributions());
  CHECK(log.stale_contributions() == expected.stale_contributions());
  CHECK(log.absent_contributions() == expected.absent_contributions());
  CHECK(log.active_workers_histogram() == expected.active_workers_histogram());
  CHECK(log.staleness_histogram() == expected.staleness_histogram());
}

/// Logs the contributions of one of three workers, to operations of its own and to those of all.
void contribute_as(Rank rank, ParticipationLog& log) {
  log.contribute(0, 0, 0, 0);
  if (rank == 1) log.contribute_nothing(1);
  if (rank == 2) log.contribute(1, 3, 0, 1);
  for (int operation = 2; rank == 0 && operation < 5; ++operation) log.contribute(operation, 6, 6, 6);
  if (rank > 0) log.add_operation(rank, Counts{4});
}

TEST_CASE("participation logs of several processes add up to one that was kept for all workers") {
  ParticipationLog joint(3);
  ParticipationLog sum(3);
  for (const Rank rank : {0, 1, 2}) {
    contribute_as(rank, joint);
    ParticipationLog own(3);
    contribute_as(rank, own);
    sum.add_contributions(own.contributions());
  }
  check_same_contributions(sum, joint);
  // By hand: five numbered operations with 3, 0, 1, 1, 1 active workers, two whole ones with 1 and 2.
  CHECK(sum.operations() == 7);
  CHECK(sum.active_workers_histogram() == Counts{1, 4, 1, 1});
  CHECK(sum.fresh_contributions() == 9);
  CHECK(sum.stale_contributions() == 3);
  CHECK(sum.absent_contributions() == 1);
  CHECK(sum.staleness_histogram() == Counts{9, 0, 1, 1, 2});
}

TEST_CASE("an empty log adds nothing, and takes over what is added to it") {
  ParticipationLog log(3);
  for (const Rank rank : {0, 1, 2}) contribute_as(rank, log);
  ParticipationLog copy(3);
  copy.add_contributions(log.contributions());
  check_same_contributions(copy, log);
  copy.add_contributions(ParticipationLog(3).contributions());
  check_same_contributions(copy, log);
}

TEST_CASE("contributions that end too early are refused") {
  ParticipationLog log(3);
  log.contribute(0, 0, 0, 0);
  Counts cut = log.contributions();
  cut.resize(cut.size() - 2);
  CHECK_THROWS_AS(ParticipationLog(3).add_contributions(cut), InvariantError);
  CHECK_THROWS_AS(ParticipationLog(3).add_contributions(Counts{1, 2, 3}), InvariantError);
}

TEST_CASE("a worker's lead is counted in iterations from the slowest worker") {
  ParticipationLog log(3);
  for (const Rank rank : {0, 0, 1, 2, 0, 1, 2, 1, 2}) log.end_iteration(rank);
  CHECK(log.iterations() == Counts{3, 3, 3});
  CHECK(log.max_lead_iterations() == 2);
}

TEST_CASE("leads from a log of iterations equal those counted as iterations end") {
  struct Ended {
    double end_s;
    Rank rank;
  };
  // Worker 0 ends its third iteration before worker 1 ends its first, the others at the same moments as it.
  const std::vector<Ended> in_order = {{1, 0}, {2, 0}, {3, 0}, {4, 1}, {4, 2},
                                       {5, 1}, {5, 2}, {6, 1}, {6, 2}};
  ParticipationLog one_by_one(3);
  IterationLog iterations(3);
  for (const Ended& ended : in_order) {
    one_by_one.end_iteration(ended.rank);
    iterations.add(ended.rank, {.end_s = ended.end_s});
  }
  ParticipationLog at_once(3);
  at_once.end_iterations(iterations);
  CHECK(at_once.max_lead_iterations() == 3);
  CHECK(at_once.max_lead_iterations() == one_by_one.max_lead_iterations());
  CHECK(at_once.iterations() == one_by_one.iterations());
  at_once.end_iteration(2);
  CHECK(at_once.max_lead_iterations() == 3);
  CHECK(at_once.iterations() == Counts{3, 3, 4});
}

TEST_CASE("a contribution of work that is not done yet is refused") {
  ParticipationLog log(1);
  CHECK_THROWS_AS(log.contribute(0, 1, 1, 2), InvariantError);
  CHECK_THROWS_AS(log.contribute(0, 1, 1, 0), InvariantError);
}

}  // namespace
}  // namespace starling

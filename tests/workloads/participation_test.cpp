#include "workloads/participation.hpp"

#include <doctest/doctest.h>

#include "sim/errors.hpp"

namespace starling {
namespace {

using Counts = std::vector<std::int64_t>;

TEST_CASE("a log without operations says so") {
  const ParticipationLog log(4);
  CHECK(log.operations() == 0);
  CHECK(log.mean_active_workers() == 0);
  CHECK(log.max_staleness_iterations() == 0);
  CHECK(log.active_workers_histogram() == Counts{0, 0, 0, 0, 0});
}

TEST_CASE("active workers are those that contribute their newest work") {
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
  CHECK(log.max_staleness_iterations() == 3);
}

TEST_CASE("an operation may be counted as a whole, after those that are there") {
  ParticipationLog log(3);
  log.contribute(0, 4, 4, 4);
  log.add_operation(3);
  log.add_operation(1, Counts{1, 3});
  CHECK(log.operations() == 3);
  CHECK(log.active_workers_histogram() == Counts{0, 2, 0, 1});
  CHECK(log.mean_active_workers() == doctest::Approx(5.0 / 3));
  CHECK(log.fresh_contributions() == 5);
  CHECK(log.stale_contributions() == 2);
  CHECK(log.staleness_histogram() == Counts{5, 1, 0, 1});
  CHECK_THROWS_AS(log.add_operation(1, Counts{0}), InvariantError);
}

TEST_CASE("the lead of a worker is counted from the slowest") {
  ParticipationLog log(3);
  for (const Rank rank : {0, 0, 1, 2, 0, 1, 2, 1, 2}) log.end_iteration(rank);
  CHECK(log.iterations() == Counts{3, 3, 3});
  CHECK(log.max_lead_iterations() == 2);
}

TEST_CASE("a contribution cannot come from the future") {
  ParticipationLog log(1);
  CHECK_THROWS_AS(log.contribute(0, 1, 1, 2), InvariantError);
  CHECK_THROWS_AS(log.contribute(0, 1, 1, 0), InvariantError);
}

}  // namespace
}  // namespace starling

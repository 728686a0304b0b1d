#include "algorithms/training/shared/cluster_facts.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"

namespace starling {
namespace {

const LinearCosts between_hosts{.start_up_s = 5e-5, .s_per_byte = 1e-9, .reduction_s_per_byte = 1e-10};
const LinearCosts inside_hosts{.start_up_s = 1e-5, .s_per_byte = 1e-10, .reduction_s_per_byte = 1e-10};

TEST_CASE("the time of an all-reduce is the line through its cost formula") {
  const ClusterFacts facts{.workers = 8, .workers_per_host = 1, .costs = between_hosts};
  const AllreduceTime ring = CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(1'000'000);
  CHECK(ring.start_up_s == doctest::Approx(14 * 5e-5).epsilon(rounding));
  CHECK(ring.s_per_byte == doctest::Approx(14.0 / 8 * 1e-9 + 7.0 / 8 * 1e-10).epsilon(rounding));
  CHECK(ring.of(1000) == doctest::Approx(ring.start_up_s + 1000 * ring.s_per_byte).epsilon(rounding));

  const AllreduceTime doubling =
      CollectiveChoice("ddp", "recursive_doubling", facts, 4).allreduce_time(1'000'000);
  CHECK(doubling.start_up_s == doctest::Approx(3 * 5e-5).epsilon(rounding));
  CHECK(doubling.s_per_byte == doctest::Approx(3 * 1.1e-9).epsilon(rounding));
}

TEST_CASE("a ring leaves each host once, so its start-up is a mean") {
  const ClusterFacts facts{
      .workers = 8, .workers_per_host = 4, .costs = between_hosts, .intra_host_costs = inside_hosts};
  const AllreduceTime time = CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(1'000'000);
  CHECK(time.start_up_s == doctest::Approx(14 * (2 * 5e-5 + 6 * 1e-5) / 8).epsilon(rounding));
  CHECK(time.s_per_byte == doctest::Approx(14.0 / 8 * 1e-9 + 7.0 / 8 * 1e-10).epsilon(rounding));
}

TEST_CASE("nothing to reduce has a start-up only") {
  const ClusterFacts facts{.workers = 8, .workers_per_host = 1, .costs = between_hosts};
  CHECK(CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(0).s_per_byte == 0);
}

}  // namespace
}  // namespace starling

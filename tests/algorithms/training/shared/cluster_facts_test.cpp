#include "algorithms/training/shared/cluster_facts.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "tests/rounding.hpp"

namespace starling {
namespace {

const LinearCosts between_hosts{.start_up_s = 5e-5, .s_per_byte = 1e-9, .reduction_s_per_byte = 1e-10};
const LinearCosts inside_hosts{.start_up_s = 1e-5, .s_per_byte = 1e-10, .reduction_s_per_byte = 1e-10};

TEST_CASE("the time of an all-reduce is the line through its cost formula") {
  const ClusterFacts facts{.workers = 8, .workers_per_host = 1, .costs = between_hosts};
  const AllreduceTime ring = CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(1'000'000);
  CHECK(ring.start_up_s == about(14 * 5e-5));
  CHECK(ring.s_per_byte == about(14.0 / 8 * 1e-9 + 7.0 / 8 * 1e-10));
  CHECK(ring.of(1000) == about(ring.start_up_s + 1000 * ring.s_per_byte));

  const AllreduceTime doubling =
      CollectiveChoice("ddp", "recursive_doubling", facts, 4).allreduce_time(1'000'000);
  CHECK(doubling.start_up_s == about(3 * 5e-5));
  CHECK(doubling.s_per_byte == about(3 * 1.1e-9));
}

TEST_CASE("a ring leaves each host once, so its start-up is a mean") {
  const ClusterFacts facts{
      .workers = 8, .workers_per_host = 4, .costs = between_hosts, .intra_host_costs = inside_hosts};
  const AllreduceTime time = CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(1'000'000);
  CHECK(time.start_up_s == about(14 * (2 * 5e-5 + 6 * 1e-5) / 8));
  CHECK(time.s_per_byte == about(14.0 / 8 * 1e-9 + 7.0 / 8 * 1e-10));
  // Of 10 workers the last host has two, and its link between hosts, too.
  ClusterFacts uneven = facts;
  uneven.workers = 10;
  CHECK(CollectiveChoice("ddp", "ring", uneven, 4).allreduce_time(1'000'000).start_up_s ==
        about(18 * (3 * 5e-5 + 7 * 1e-5) / 10));
}

TEST_CASE("the bytes of a ring go at the pace of its slowest hop, be it inside hosts") {
  const ClusterFacts facts{
      .workers = 8, .workers_per_host = 4, .costs = inside_hosts, .intra_host_costs = between_hosts};
  const AllreduceTime time = CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(1'000'000);
  CHECK(time.start_up_s == about(14 * (2 * 1e-5 + 6 * 5e-5) / 8));
  CHECK(time.s_per_byte == about(14.0 / 8 * 1e-9 + 7.0 / 8 * 1e-10));
}

TEST_CASE("where ranks of a host are not consecutive, only what would make them so is suggested") {
  ClusterFacts facts{.workers = 8, .is_scattered = true};
  const auto error = [&] {
    try {
      require_consecutive_ranks("per_host", facts);
    } catch (const std::invalid_argument& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  CHECK(error() ==
        "per_host needs the ranks of a host to be consecutive, which placement and ranks of the job do not "
        "leave them; placement \"block\" does, with as many workers of every host, one after the other");
  facts.consecutive_placements = {"block"};
  CHECK(error().ends_with("which the cluster's placement does not leave them; placement \"block\" does"));
  facts.consecutive_placements = {"block", "snake"};
  CHECK(error().ends_with("; placements \"block\", \"snake\" do"));
  facts.is_scattered = false;
  CHECK(error().empty());
}

TEST_CASE("nothing to reduce has a start-up only") {
  const ClusterFacts facts{.workers = 8, .workers_per_host = 1, .costs = between_hosts};
  CHECK(CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(0).s_per_byte == 0);
}

}  // namespace
}  // namespace starling

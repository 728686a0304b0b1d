#include "algorithms/training/shared/cluster_facts.hpp"

#include <doctest/doctest.h>

#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/rounding.hpp"

namespace starling {
namespace {

const LinearCosts slow_hop{.start_up_s = 5e-5, .s_per_byte = 1e-9, .reduction_s_per_byte = 1e-10};
const LinearCosts quick_hop{.start_up_s = 1e-5, .s_per_byte = 1e-10, .reduction_s_per_byte = 1e-10};

TEST_CASE(
    "the planned time of an all-reduce is linear in its bytes with the coefficients of its cost formula") {
  const ClusterFacts facts{.workers = 8, .workers_per_host = 1, .costs = slow_hop};
  const AllreduceTime ring = CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(1'000'000);
  CHECK(ring.start_up_s == about(14 * 5e-5));
  CHECK(ring.s_per_byte == about(14.0 / 8 * 1e-9 + 7.0 / 8 * 1e-10));
  CHECK(ring.of(1000) == about(ring.start_up_s + 1000 * ring.s_per_byte));

  const AllreduceTime doubling =
      CollectiveChoice("ddp", "recursive_doubling", facts, 4).allreduce_time(1'000'000);
  CHECK(doubling.start_up_s == about(3 * 5e-5));
  CHECK(doubling.s_per_byte == about(3 * 1.1e-9));
}

TEST_CASE(
    "a ring over hosts has the mean start-up of its hops, and for large vectors the pace of the slowest "
    "hop") {
  struct Case {
    int workers;  // four on a host, but for the last one
    LinearCosts between;
    LinearCosts inside;
    int hops_between;
  };
  const Case cases[] = {
      {8, slow_hop, quick_hop, 2}, {8, quick_hop, slow_hop, 2}, {10, slow_hop, quick_hop, 3}};
  for (const Case& of : cases) {
    CAPTURE(of.workers);
    CAPTURE(of.between.start_up_s);
    const ClusterFacts facts{
        .workers = of.workers, .workers_per_host = 4, .costs = of.between, .intra_host_costs = of.inside};
    const AllreduceTime time = CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(1'000'000);
    const double steps = 2 * (of.workers - 1);
    const double mean_start_up_s =
        (of.hops_between * of.between.start_up_s + (of.workers - of.hops_between) * of.inside.start_up_s) /
        of.workers;
    CHECK(time.start_up_s == about(steps * mean_start_up_s));
    const double largest_s = time.of(4'000'000);
    CHECK(largest_s == about(steps / of.workers * 4e6 * slow_hop.s_per_byte +
                             steps / 2 / of.workers * 4e6 * slow_hop.reduction_s_per_byte));
  }
}

TEST_CASE("step costs that are known for simultaneous messages count in every collective's start-up") {
  ClusterFacts facts{.workers = 8, .workers_per_host = 4, .costs = quick_hop};
  facts.step_costs = [](std::span<const Rank> receivers, MessageKind) -> StepCostsBySize {
    LinearCosts costs = slow_hop;
    costs.start_up_s *= receivers[0];
    return [costs](double) { return StepCosts{.mean = costs, .slowest = costs}; };
  };
  const auto start_up_s = [&](const char* collective) {
    return CollectiveChoice("ddp", collective, facts, 4).allreduce_time(1'000'000).start_up_s;
  };
  CHECK(start_up_s("ring") == about(14 * slow_hop.start_up_s));
  CHECK(start_up_s("hierarchical") == about(6 * slow_hop.start_up_s + 2 * 4 * slow_hop.start_up_s));
  CHECK(start_up_s("recursive_doubling") == about((1 + 2 + 4) * slow_hop.start_up_s));
  CHECK(start_up_s("auto") == about((1 + 2 + 4) * slow_hop.start_up_s));
}

TEST_CASE("every step whose messages are not eager costs a handshake more") {
  ClusterFacts facts{.workers = 8, .costs = slow_hop, .eager_bytes = 1'000, .handshake_s = 3e-5};
  const auto time_s = [&](std::int64_t count) {
    return CollectiveChoice("ddp", "ring", facts, 4)
        .allreduce_time(count)
        .of(4.0 * static_cast<double>(count));
  };
  const auto by_formula_s = [](double bytes, double handshake_s) {
    return 14 * (slow_hop.start_up_s + handshake_s) +
           bytes * (14.0 / 8 * slow_hop.s_per_byte + 7.0 / 8 * slow_hop.reduction_s_per_byte);
  };
  CHECK(time_s(2'000) == about(by_formula_s(8'000, 0)));  // steps of 1,000 B
  CHECK(time_s(4'000) == about(by_formula_s(16'000, 3e-5)));
}

TEST_CASE("costs of messages among some workers are asked for by the ranks that these have among all") {
  ClusterFacts facts{.workers = 5};
  std::vector<Rank> asked_for;
  facts.step_costs = [&](std::span<const Rank> receivers, MessageKind) -> StepCostsBySize {
    asked_for.assign(receivers.begin(), receivers.end());
    return {};
  };
  const std::vector<Rank> members = {0, 1, 4};
  const ClusterFacts of_members = facts_of_members(facts, members);
  CHECK(of_members.workers == 3);
  of_members.step_costs(std::vector<Rank>{1, 2, -1}, MessageKind::ring);
  CHECK(asked_for == std::vector<Rank>{1, 4, -1, -1, -1});
}

TEST_CASE(
    "where ranks of a host are not consecutive, only placements that would make them so are suggested") {
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
        "per_host needs the ranks of a host to be consecutive, but the job's placement and ranks scatter "
        "them; placement \"block\" does not, with equally many consecutive workers of every host");
  facts.consecutive_placements = {"block"};
  CHECK(error().ends_with("but the cluster's placement scatters them; placement \"block\" does not"));
  facts.consecutive_placements = {"block", "snake"};
  CHECK(error().ends_with("; placements \"block\", \"snake\" do not"));
  facts.is_scattered = false;
  CHECK(error().empty());
}

TEST_CASE("an all-reduce of no elements takes no time per byte") {
  const ClusterFacts facts{.workers = 8, .workers_per_host = 1, .costs = slow_hop};
  CHECK(CollectiveChoice("ddp", "ring", facts, 4).allreduce_time(0).s_per_byte == 0);
}

}  // namespace
}  // namespace starling

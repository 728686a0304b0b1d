#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/exact_runs.hpp"
#include "analysis/running/runner.hpp"
#include "explanation_difference.hpp"
#include "random_scenario.hpp"
#include "sim/messages/transport.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr std::uint64_t runs_of_rings = has_address_sanitizer ? 15 : 300;

const RunObservers finds_all{.watching = {.links = true, .critical_path = true}};
const RunObservers finds_links{.watching = {.links = true}};

/// A star on which no two links are alike.
StarOptions uneven_star(RandomChoices& choices, int hosts) {
  StarOptions star;
  for (int host = 0; host < hosts; ++host)
    star.host_links.push_back(
        {.bandwidth_Bps = choices.magnitude(1e8, 1), .latency_s = choices.magnitude(1e-6, 1)});
  return star;
}

NetworkKind network_of_rings(RandomChoices& choices, int hosts, bool is_even) {
  if (!is_even) return uneven_star(choices, hosts);
  const LinkOptions link{.bandwidth_Bps = choices.magnitude(1e7, 3), .latency_s = choices.magnitude(1e-7, 3)};
  if (choices.flip()) return RingOptions{.link = link};
  return StarOptions{.link = link};
}

MessageCosts some_costs(RandomChoices& choices) {
  MessageCosts costs = choices.one_of(transports()).costs;
  if (choices.flip()) costs.overhead_s = choices.magnitude(1e-7, 3);
  if (choices.flip()) costs.eager_threshold_bytes = choices.magnitude(1, 5);
  if (choices.flip()) costs.send_buffer_bytes = choices.magnitude(10, 5);
  if (choices.flip()) costs.reduction_s_per_byte = choices.magnitude(1e-11, 2);
  return costs;
}

/// Ring all-reduces of 3 to 16 workers that do not overlap each other, with random costs of messages and
/// chunks from 0 bytes to megabytes.
Scenario scenario_of_rings(std::uint64_t run, bool is_even) {
  RandomChoices choices(run);
  Scenario scenario = small_scenario();
  scenario.seed = run;
  scenario.iterations = 3;
  scenario.cluster.workers = 3 + choices.below(14);
  scenario.cluster.network.kind = network_of_rings(choices, scenario.cluster.workers, is_even);
  scenario.workload.model.tensors = {{"first", 1 + std::llround(choices.magnitude(1, 6))},
                                     {"second", 1 + std::llround(choices.magnitude(1, 6))}};
  scenario.message_costs = some_costs(choices);
  scenario.transport = choices.flip() ? "mpi_tcp" : "nccl_ib";
  scenario.message_costs.sends_all_in_order = transport(scenario.transport).costs.sends_all_in_order;
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = choices.magnitude(1e-3, 2)}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, WfbpOptions{});
  add_algorithm(scenario, DearOptions{});
  return scenario;
}

/// Checks that a path spends at most as long on a link as the link needs for all its bytes.
void check_blame_of_links(const RunResult& run, std::int64_t iterations) {
  for (const PathPart& part : run.critical_path->parts) {
    if (part.on != SpentOn::link) continue;
    CAPTURE(part.link);
    const auto link = std::ranges::find(run.links->used, part.link, &LinkUse::name);
    // Rendezvous answers may put links on the path that carry no data.
    const double use_s = link == run.links->used.end() ? 0 : link->bytes / link->bandwidth_Bps;
    CHECK(part.s * static_cast<double>(iterations) <= use_s * (1 + 1e-9) + 1e-12 * run.makespan_s);
  }
}

TEST_CASE("Links and critical paths of evaluated rings equal those of their messages") {
  int uneven_runs = 0;
  int same_paths = 0;
  for (std::uint64_t run = 0; run < runs_of_rings; ++run) {
    CAPTURE(run);
    const bool is_even = run % 2 == 1;
    Scenario scenario = scenario_of_rings(run, is_even);
    const Result evaluated = simulate(scenario, finds_all);
    scenario.collectives = CollectiveExecution::messages;
    const Result sent = simulate(scenario, finds_all);
    for (std::size_t i = 0; i < sent.runs.size(); ++i) {
      const RunResult& one = evaluated.runs[i];
      const RunResult& other = sent.runs[i];
      CAPTURE(one.label);
      CHECK(*one.traffic.evaluated_messages == one.traffic.messages);
      CHECK(*other.traffic.evaluated_messages == 0);
      check_alike(*one.links, *other.links);
      CHECK(one.critical_path->iteration_s == about(one.iteration_time_s.mean, 1e-11));
      CHECK(one.critical_path->spent_s(SpentOn::unknown) == 0);
      check_blame_of_links(one, scenario.iterations - scenario.warmup_iterations);
      if (is_even) continue;
      ++uneven_runs;
      same_paths += difference(*one.critical_path, *other.critical_path) <= 1e-9 ? 1 : 0;
    }
  }
  // After some steps a ring moves at the pace of its slowest link: a rank then waits for its neighbor as long
  // as for its own send, and the path may lead through either. On equal links that holds from the start, so
  // that only uneven runs are compared.
  CHECK(same_paths >= uneven_runs * 4 / 5);
}

/// A paced ring on two hosts of four workers, with links of 1 GB/s between hosts and 10 GB/s inside.
Scenario scenario_of_paced_rings(double overhead_s) {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 8;
  scenario.cluster.workers_per_host = 4;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e10, .latency_s = 1e-7};
  scenario.message_costs.overhead_s = overhead_s;
  scenario.message_costs.protocols = {{.name = "only", .latency_s = 1e-5, .intra_host_latency_s = 1e-5}};
  scenario.message_costs.are_rings_paced = true;
  return scenario;
}

TEST_CASE("In a paced ring all time of messages on fast hops counts as time of the narrowest link") {
  for (const double overhead_s : {0.0, 1e-6}) {
    CAPTURE(overhead_s);
    Scenario scenario = scenario_of_paced_rings(overhead_s);
    add_algorithm(scenario, AllreduceOptions{});
    const RunResult evaluated = simulate(scenario, finds_all).runs.at(0);
    scenario.collectives = CollectiveExecution::messages;
    const RunResult sent = simulate(scenario, finds_all).runs.at(0);
    CHECK(*evaluated.traffic.evaluated_messages == evaluated.traffic.messages);
    CHECK(difference(*evaluated.critical_path, *sent.critical_path) <= 1e-9);
    // Fourteen chunks of 0.5 MB at 1 GB/s, each over two links of 1 µs at most, and 10 µs of the protocol.
    const CriticalPath& path = *sent.critical_path;
    CHECK(path.spent_s(SpentOn::link) == about(7e-3, 1e-9));
    CHECK(path.spent_s(SpentOn::latency) <= 14 * 12e-6 * (1 + 1e-9));
    for (const PathPart& part : path.parts)
      if (part.on == SpentOn::link) CHECK(part.link.find("switch0") != std::string::npos);
    const auto narrowest = std::ranges::find(path.parts, "host0 -> switch0", &PathPart::link);
    REQUIRE(narrowest != path.parts.end());
    CHECK(narrowest->s >= 10 * 0.5e-3 * (1 - 1e-9));  // of 14 hops in turn at least ten are fast
    check_blame_of_links(sent, scenario.iterations - scenario.warmup_iterations);
  }
}

TEST_CASE("Messages of other collectives than rings are not paced") {
  Scenario scenario = scenario_of_paced_rings(1e-6);
  scenario.collectives = CollectiveExecution::messages;
  add_algorithm(scenario, AllreduceOptions{.collective = "recursive_doubling"});
  const RunResult paced = simulate(scenario, finds_all).runs.at(0);
  scenario.message_costs.are_rings_paced = false;
  const RunResult free = simulate(scenario, finds_all).runs.at(0);
  CHECK(difference(*paced.critical_path, *free.critical_path) == 0);
}

TEST_CASE(
    "The path through a message that waits for the previous ring continues from the begin of that ring's "
    "last message") {
  Scenario scenario = small_scenario();
  scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1.25e10, .latency_s = 1e-4}};
  scenario.workload.model.tensors.assign(12, {"tensor", 7'087'873});
  scenario.workload.model.layers = {{"first", "Linear", 0, 6, 1}, {"second", "Linear", 6, 6, 1}};
  scenario.workload.backward_s = {0.003, 0.003};
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.05}};
  add_algorithm(scenario, DdpOptions{.bucket_bytes = 3e7});
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    CAPTURE(seed);
    scenario.seed = seed;
    scenario.collectives = CollectiveExecution::automatic;
    const Result evaluated = simulate(scenario, finds_all);
    scenario.collectives = CollectiveExecution::messages;
    const Result sent = simulate(scenario, finds_all);
    CHECK(*evaluated.runs[0].traffic.evaluated_messages > 0);
    CHECK(difference(*evaluated.runs[0].critical_path, *sent.runs[0].critical_path) <= 1e-9);
    check_blame_of_links(evaluated.runs[0], scenario.iterations - scenario.warmup_iterations);
  }
}

/// Random rings as above, ordered by small control messages of Horovod and ByteScheduler that share no link
/// with them.
Scenario scenario_of_ordered_rings(std::uint64_t run) {
  Scenario scenario = scenario_of_rings(run, false);
  scenario.message_costs.overhead_s = 0;
  scenario.message_costs.eager_threshold_bytes = std::max(scenario.message_costs.eager_threshold_bytes, 64.0);
  scenario.message_costs.send_buffer_bytes = std::max(scenario.message_costs.send_buffer_bytes, 64.0);
  scenario.transport = "nccl_ib";
  scenario.message_costs.sends_all_in_order = false;
  scenario.algorithms.clear();
  add_algorithm(scenario, HorovodOptions{.cycle_time_s = 1.7e-4, .fusion_bytes = 1e6});
  add_algorithm(scenario, HorovodOptions{.cycle_time_s = 1.1e-3, .sparse_tensors = {"second"}});
  add_algorithm(scenario, ByteSchedulerOptions{.partition_bytes = 1e6, .credit_bytes = 2e6});
  return scenario;
}

TEST_CASE("Links and critical paths of evaluated rings beside control messages equal those of all messages") {
  const ExactRuns exact_runs;
  RunObservers evaluates = finds_all;
  evaluates.evaluator = &exact_runs;
  int evaluated_runs = 0;
  int same_paths = 0;
  for (std::uint64_t run = 0; run < runs_of_rings; ++run) {
    CAPTURE(run);
    Scenario scenario = scenario_of_ordered_rings(run);
    const Result evaluated = simulate(scenario, evaluates);
    scenario.collectives = CollectiveExecution::messages;
    const Result sent = simulate(scenario, finds_all);
    const double control_bytes = 64.0 * scenario.cluster.workers;
    for (std::size_t i = 0; i < sent.runs.size(); ++i) {
      const RunResult& one = evaluated.runs[i];
      const RunResult& other = sent.runs[i];
      CAPTURE(one.label);
      CHECK(one.traffic.messages == other.traffic.messages);
      CHECK(one.iteration_time_s.mean == about(other.iteration_time_s.mean, 1e-9));
      check_alike(*one.links, *other.links, control_bytes);
      CHECK(one.critical_path->iteration_s == about(one.iteration_time_s.mean, 1e-11));
      if (*one.traffic.evaluated_messages == 0) continue;
      ++evaluated_runs;
      same_paths += difference(*one.critical_path, *other.critical_path) <= 1e-9 ? 1 : 0;
    }
  }
  CHECK(evaluated_runs == 3 * static_cast<int>(runs_of_rings));
  CHECK(same_paths >= evaluated_runs * 4 / 5);
}

TEST_CASE("The most bytes in flight may be those of a smaller chunk whose protocol takes more on the wire") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 6;
  scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e7, .latency_s = 1e-6}};
  scenario.transport = "nccl_ib";
  scenario.message_costs = transport("nccl_ib").costs;
  scenario.message_costs.overhead_s = 1e-4;  // so that messages do not overlap
  scenario.workload.model.tensors = {{"first", 6}, {"second", 3}};
  add_algorithm(scenario, AllreduceOptions{});
  const Result evaluated = simulate(scenario, finds_links);
  scenario.collectives = CollectiveExecution::messages;
  const Result sent = simulate(scenario, finds_links);
  CHECK(*evaluated.runs[0].traffic.evaluated_messages > 0);
  // By LL 4 bytes are 16 on the wire, by LL128 8 bytes are 8.7.
  CHECK(sent.runs[0].links->used.front().most_bytes_under_way == about(16));
  check_alike(*evaluated.runs[0].links, *sent.runs[0].links);
}

TEST_CASE("Links of many consecutive rings, most of them small, equal those of their messages") {
  for (std::uint64_t run = 0; run < runs_of_rings / 5; ++run) {
    CAPTURE(run);
    Scenario scenario = scenario_of_rings(run, true);
    RandomChoices choices(run + runs_of_rings);
    scenario.workload.model.layers = {{"first", "Linear", 0, 6, 1}, {"second", "Linear", 6, 6, 1}};
    scenario.workload.model.tensors.clear();
    for (int tensor = 0; tensor < 12; ++tensor)
      scenario.workload.model.tensors.push_back(
          {std::to_string(tensor), scenario.cluster.workers * std::llround(choices.magnitude(1e3, 3)) +
                                       choices.below(scenario.cluster.workers)});
    scenario.algorithms.clear();
    add_algorithm(scenario, WfbpOptions{});
    const Result evaluated = simulate(scenario, finds_links);
    scenario.collectives = CollectiveExecution::messages;
    check_alike(*evaluated.runs[0].links, *simulate(scenario, finds_links).runs[0].links);
  }
}

TEST_CASE(
    "Parts sum to iteration times where only some collectives are evaluated, and links equal those of "
    "messages") {
  for (std::uint64_t run = 0; run < runs_of_rings / 5; ++run) {
    CAPTURE(run);
    Scenario scenario = random_scenario(run);
    scenario.engine = Engine::fair;
    const Result watched = simulate(scenario, finds_all);
    const Result plain = simulate(scenario);
    scenario.collectives = CollectiveExecution::messages;
    const Result sent = simulate(scenario, finds_all);
    for (std::size_t i = 0; i < plain.runs.size(); ++i) {
      const RunResult& one = watched.runs[i];
      CAPTURE(one.label);
      CHECK(one.iteration_time_s.mean == about(plain.runs[i].iteration_time_s.mean, 1e-9));
      CHECK(one.critical_path->iteration_s == about(one.iteration_time_s.mean, 1e-9));
      CHECK(one.critical_path->spent_s(SpentOn::unknown) == 0);
      const std::vector<LinkUse>& links = sent.runs[i].links->used;
      REQUIRE(one.links->used.size() == links.size());
      for (std::size_t link = 0; link < links.size(); ++link) {
        CHECK(one.links->used[link].bytes == about(links[link].bytes, 1e-12));
        CHECK(std::abs(one.links->used[link].busy_fraction - links[link].busy_fraction) <= 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace starling

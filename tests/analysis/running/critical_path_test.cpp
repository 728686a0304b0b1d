#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/results/files/result_json.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/running/runner.hpp"
#include "random_scenario.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr std::uint64_t random_runs = has_address_sanitizer ? 15 : 200;

const RunObservers finds_path{.watching = {.critical_path = true}};

CriticalPath path_of(const Scenario& scenario) {
  return *simulate(scenario, finds_path).runs.at(0).critical_path;
}

/// Seconds that a path spends on one kind of time of one rank.
double spent_s(const CriticalPath& path, SpentOn on, Rank rank) {
  double sum = 0;
  for (const PathPart& part : path.parts)
    if (part.on == on && part.rank == rank) sum += part.s;
  return sum;
}

/// Seconds that a path spends on one link.
double spent_s(const CriticalPath& path, const std::string& link) {
  double sum = 0;
  for (const PathPart& part : path.parts)
    if (part.link == link) sum += part.s;
  return sum;
}

TEST_CASE("The critical path of a ring all-reduce is computing, then 2(P−1) chunks and latencies") {
  for (const Engine engine : {Engine::event, Engine::fair, Engine::tcp, Engine::simgrid}) {
    CAPTURE(static_cast<int>(engine));
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.tcp.acknowledgment_bytes = 0;
    add_algorithm(scenario, AllreduceOptions{});
    const CriticalPath path = path_of(scenario);
    // SimGrid's clock sums the steps of all messages, and treats rates as equal that differ by 1e-5 of a
    // bandwidth; that of tcp sums the steps of all frames.
    CHECK(path.iteration_s == about(0.036012, 1e-5));
    CHECK(path.spent_s(SpentOn::compute) == about(0.03, 1e-12));
    CHECK(path.spent_s(SpentOn::link) ==
          about(6e-3, 1e-3));  // the tolerance is 6 µs, less than the 12 µs of latency
    CHECK(path.spent_s(SpentOn::latency) == about(12e-6, 1e-6));
    CHECK(path.spent_s(SpentOn::unknown) == 0);
  }
}

TEST_CASE("Time at the rate of a connection is no time of a link on the critical path") {
  Scenario scenario = small_scenario();
  scenario.fair.connection_rate_Bps = 0.5e9;
  add_algorithm(scenario, AllreduceOptions{});
  const CriticalPath path = path_of(scenario);
  CHECK(path.iteration_s == about(0.042012, 1e-9));
  CHECK(path.spent_s(SpentOn::link) == 0);
  CHECK(path.spent_s(SpentOn::latency) == about(0.012012, 1e-9));
}

TEST_CASE("The critical paths of all workers lead through the computing of a slow worker") {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::event;
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 1.5}};
  add_algorithm(scenario, AllreduceOptions{});
  const CriticalPath path = path_of(scenario);
  // Except for the 12 µs of communication after which workers begin the next iteration.
  CHECK(spent_s(path, SpentOn::compute, 2) == about(0.045, 3e-4));
  CHECK(path.spent_s(SpentOn::compute) == spent_s(path, SpentOn::compute, 2));
}

/// Collects the waits in a timeline that are longer than 12 ms: twice the all-reduce, less than the delay of
/// a slow worker.
struct LongWaits final : TraceSink {
  struct Wait {
    Rank rank;
    Rank waits_for;
  };
  std::vector<Wait> waits;
  void span(Rank rank, std::string_view, std::string_view name, double start_s, double end_s,
            const SpanDetails& details) override {
    if (name == "wait" && end_s - start_s > 0.012) waits.push_back({rank, details.waits_for});
  }
};

TEST_CASE("In a timeline all workers wait for the slow worker, and the slow worker waits for none") {
  for (const Engine engine : {Engine::event, Engine::fair, Engine::tcp, Engine::simgrid}) {
    CAPTURE(static_cast<int>(engine));
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 1.5}};
    add_algorithm(scenario, AllreduceOptions{});
    add_algorithm(scenario, DdpOptions{});
    add_algorithm(scenario, DearOptions{});
    LongWaits found;
    const Result traced = simulate(scenario, {.trace = &found});
    CHECK_FALSE(traced.runs.at(0).critical_path);
    CHECK(found.waits.size() >= 3 * 3 * 3);
    for (const LongWaits::Wait& wait : found.waits) {
      CHECK(wait.rank != 2);
      CHECK(wait.waits_for == 2);
    }
  }
}

TEST_CASE("A wait for messages alone names no worker") {
  Scenario scenario = small_scenario();
  scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e8, .latency_s = 1e-6}};
  add_algorithm(scenario, AllreduceOptions{});
  LongWaits found;
  simulate(scenario, {.trace = &found});
  CHECK(found.waits.size() == 4 * 5);
  for (const LongWaits::Wait& wait : found.waits) CHECK(wait.waits_for == -1);
}

/// Collects the critical paths that are written to a timeline.
struct ToldPaths final : TraceSink {
  struct Path {
    Rank worker;
    std::int64_t iteration;
    std::vector<PathSpan> spans;

    double spent_s(std::string_view what) const {
      double sum = 0;
      for (const PathSpan& span : spans)
        if (span.name.starts_with(what)) sum += span.end_s - span.start_s;
      return sum;
    }
  };
  std::vector<Path> paths;
  void span(Rank, std::string_view, std::string_view, double, double, const SpanDetails&) override {}
  void path(Rank worker, std::int64_t iteration, std::span<const PathSpan> spans) override {
    paths.push_back({worker, iteration, {spans.begin(), spans.end()}});
  }
};

TEST_CASE("A timeline has the critical path of every iteration, without a gap from its begin to its end") {
  for (const Engine engine : {Engine::event, Engine::fair, Engine::tcp, Engine::simgrid}) {
    CAPTURE(static_cast<int>(engine));
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    add_algorithm(scenario, AllreduceOptions{});
    ToldPaths told;
    RunObservers observers = finds_path;
    observers.trace = &told;
    const CriticalPath mean = *simulate(scenario, observers).runs.at(0).critical_path;
    REQUIRE(told.paths.size() == 5);
    double end_s = 0;
    for (std::size_t i = 0; i < told.paths.size(); ++i) {
      const ToldPaths::Path& path = told.paths[i];
      CHECK(path.iteration == static_cast<std::int64_t>(i));
      REQUIRE_FALSE(path.spans.empty());
      // Workers end together except for the rates of SimGrid and the clock of tcp, as above.
      CHECK(path.spans.front().start_s == about(end_s, 1e-5));
      end_s = path.spans.front().start_s;
      for (const PathSpan& span : path.spans) {
        CHECK(span.start_s == end_s);
        CHECK(span.end_s > span.start_s);
        end_s = span.end_s;
      }
      CHECK(path.spent_s("") == about(mean.iteration_s, 1e-5));
      CHECK(path.spent_s("compute of worker ") == about(0.03, 1e-5));
      CHECK(path.spent_s("link ") == about(mean.spent_s(SpentOn::link), 1e-4));
      CHECK(path.spent_s("latency") == about(mean.spent_s(SpentOn::latency), 1e-4));
    }
  }
}

TEST_CASE(
    "In a timeline the critical path of an iteration leads from the last worker back through the slow "
    "worker") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 1.5}};
  add_algorithm(scenario, AllreduceOptions{});
  ToldPaths told;
  RunObservers observers = finds_path;
  observers.trace = &told;
  simulate(scenario, observers);
  REQUIRE(told.paths.size() == 5);
  CHECK(told.paths[0].spans.front().start_s == 0);
  CHECK(told.paths[0].spans.front().name == "compute of worker 2");
  CHECK(told.paths[0].spans.front().end_s == about(0.045));
  for (const ToldPaths::Path& path : told.paths)
    CHECK(path.spent_s("compute of worker 2") == about(path.spent_s("compute"), 1e-12));
}

TEST_CASE("Horovod's cycles during computing are not on the critical path") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 1.5}};
  HorovodOptions horovod;
  horovod.cycle_time_s = 1e-4;
  add_algorithm(scenario, horovod);
  const CriticalPath path = path_of(scenario);
  CHECK(spent_s(path, SpentOn::compute, 2) == about(0.045, 3e-4));
  CHECK(path.spent_s(SpentOn::compute) == spent_s(path, SpentOn::compute, 2));
  // At most a cycle, and the messages of a negotiation after it.
  CHECK(path.spent_s(SpentOn::timer) < 1.1 * horovod.cycle_time_s);
  CHECK(path.spent_s(SpentOn::timer) > 0);
}

TEST_CASE("The critical path of a ring has an overhead at both ends of each of its 2(P−1) messages") {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::event;
  scenario.message_costs.overhead_s = 1e-4;
  add_algorithm(scenario, AllreduceOptions{});
  CHECK(path_of(scenario).spent_s(SpentOn::overhead) ==
        about(12e-4, 1e-9));  // 2·3 steps, two overheads of 0.1 ms each
}

TEST_CASE("An overhead smaller than the rounding of times is on no critical path") {
  Scenario scenario = small_scenario();
  scenario.workload.forward_s = {15, 15};
  scenario.workload.backward_s = {30, 30};
  scenario.message_costs.overhead_s = 1e-15;
  add_algorithm(scenario, EagerOptions{.kind = EagerOptions::solo});
  const CriticalPath path = path_of(scenario);
  CHECK(path.spent_s(SpentOn::compute) == about(90, rounding_of_sums));
  CHECK(path.spent_s(SpentOn::overhead) == 0);
}

TEST_CASE("The parts of critical paths sum to the iteration time in random scenarios") {
  for (std::uint64_t run = 0; run < random_runs; ++run) {
    CAPTURE(run);
    Scenario scenario = random_scenario(run);
    scenario.engine = std::array{Engine::event, Engine::fair, Engine::tcp}[run % 3];
    if (run % 15 == 7) scenario.engine = Engine::simgrid;  // which takes longer
    scenario.workload.communication_slowdown = run % 4 == 0 ? 0.5 : 0;
    for (const RunResult& result : simulate(scenario, finds_path).runs) {
      CAPTURE(result.label);
      REQUIRE(result.critical_path);
      double sum = 0;
      for (const PathPart& part : result.critical_path->parts) sum += part.s;
      CHECK(sum == about(result.iteration_time_s.mean, 1e-9));
      CHECK(sum == about(result.critical_path->iteration_s, 1e-12));
      CHECK(result.critical_path->spent_s(SpentOn::unknown) == 0);
    }
  }
}

/// Six workers, two of them slow, on links of 0.5 to 4 GB/s. Without warm-up, as paths of counted iterations
/// may lead back into it.
Scenario uneven_scenario(std::uint64_t run) {
  RandomChoices choices(run);
  Scenario scenario = small_scenario();
  scenario.warmup_iterations = 0;
  scenario.cluster.workers = 6;
  StarOptions star;
  for (int host = 0; host < 6; ++host)
    star.host_links.push_back({.bandwidth_Bps = 0.5e9 * std::exp2(choices.below(4)), .latency_s = 1e-6});
  scenario.cluster.network.kind = star;
  scenario.imbalance = {SlowWorkers{.workers = {choices.below(6)}, .factor = 1 + 0.1 * choices.below(4)},
                        SlowWorkers{.workers = {choices.below(6)}, .factor = 1.2}};
  if (choices.flip()) scenario.message_costs.overhead_s = 1e-5;
  switch (choices.below(4)) {
    case 0:
      add_algorithm(scenario, AllreduceOptions{});
      break;
    case 1:
      if (run % 2 == 0)
        add_algorithm(scenario, WfbpOptions{});
      else
        add_algorithm(scenario, DdpOptions{});
      break;
    case 2:
      add_algorithm(scenario, DpsgdOptions{});
      break;
    default:
      add_algorithm(scenario, DearOptions{});
  }
  return scenario;
}

double iteration_s(const Scenario& scenario) { return simulate(scenario).runs.at(0).iteration_time_s.mean; }

/// The factor by which ranks and links that are not on the path are made faster. In D-PSGD, where two
/// messages of a worker meet on links, a much faster one would arrive first and make the other wait.
double speedup_of_blameless(const Scenario& scenario) {
  return scenario.algorithms.front().label == "dpsgd" ? 1.001 : 2;
}

/// Makes the ranks that are not on the path faster. Returns whether there are any.
bool makes_blameless_ranks_faster(Scenario& scenario, const CriticalPath& path) {
  std::vector<Rank> blameless;
  for (Rank rank = 0; rank < scenario.cluster.workers; ++rank)
    if (spent_s(path, SpentOn::compute, rank) == 0) blameless.push_back(rank);
  if (blameless.empty()) return false;
  scenario.imbalance.emplace_back(
      SlowWorkers{.workers = blameless, .factor = 1 / speedup_of_blameless(scenario)});
  return true;
}

/// Makes the links of hosts that are not on the path faster. Returns whether there are any.
bool makes_blameless_links_faster(Scenario& scenario, const CriticalPath& path) {
  bool is_faster = false;
  for (std::size_t host = 0; host < 6; ++host) {
    const double blame_s = spent_s(path, fmt::format("host{} -> switch0", host)) +
                           spent_s(path, fmt::format("switch0 -> host{}", host));
    if (blame_s != 0) continue;
    std::get<StarOptions>(scenario.cluster.network.kind).host_links[host].bandwidth_Bps *=
        speedup_of_blameless(scenario);
    is_faster = true;
  }
  return is_faster;
}

TEST_CASE("Making ranks and links faster that are not on the critical path changes no iteration time") {
  int faster_ranks = 0;
  int faster_links = 0;
  for (const Engine engine : {Engine::event, Engine::fair}) {
    for (std::uint64_t run = 0; run < 40; ++run) {
      CAPTURE(run);
      Scenario scenario = uneven_scenario(run);
      scenario.engine = engine;
      // Under fair, messages that share a link slow each other down, which the path does not follow.
      if (engine == Engine::fair && scenario.algorithms.front().label == "dpsgd") continue;
      const CriticalPath path = path_of(scenario);
      for (const auto makes_faster : {makes_blameless_ranks_faster, makes_blameless_links_faster}) {
        Scenario faster = scenario;
        if (!makes_faster(faster, path)) continue;
        CHECK(iteration_s(faster) == about(path.iteration_s, 1e-9));
        ++(makes_faster == makes_blameless_ranks_faster ? faster_ranks : faster_links);
      }
    }
  }
  CHECK(faster_ranks > 30);
  CHECK(faster_links > 30);
}

TEST_CASE(
    "The slow worker's computing on the critical path is the gain per unit of speed, also where others run "
    "ahead") {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::event;
  scenario.iterations = 110;
  scenario.warmup_iterations = 10;
  scenario.imbalance = {SlowWorkers{.workers = {1}, .factor = 1.3}};
  add_algorithm(scenario, DearOptions{});
  add_algorithm(scenario, ByteSchedulerOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 2});
  add_algorithm(scenario, SgpOptions{.overlap = 1});
  Scenario faster = scenario;
  constexpr double factor = 0.999;
  faster.imbalance.emplace_back(SlowWorkers{.workers = {1}, .factor = factor});
  const Result result = simulate(scenario, finds_path);
  const Result result_of_faster = simulate(faster);
  for (std::size_t i = 0; i < result.runs.size(); ++i) {
    const RunResult& run = result.runs[i];
    CAPTURE(run.label);
    const double gain_s = run.iteration_time_s.mean - result_of_faster.runs[i].iteration_time_s.mean;
    const double blame_s = spent_s(*run.critical_path, SpentOn::compute, 1);
    // The first and the last few of 100 iterations differ: 2 %.
    CHECK(std::abs(blame_s - gain_s / (1 - factor)) < 0.02 * run.iteration_time_s.mean);
  }
}

TEST_CASE("Finding critical paths does not change the results of a run") {
  for (const Engine engine : {Engine::event, Engine::fair, Engine::tcp, Engine::simgrid}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.collectives = CollectiveExecution::messages;
    scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.01}};
    scenario.message_costs.overhead_s = 1e-6;
    add_all_algorithms(scenario);
    Result with = simulate(scenario, finds_path);
    for (RunResult& run : with.runs) run.critical_path.reset();
    nlohmann::ordered_json expected = result_json(simulate(scenario));
    nlohmann::ordered_json found = result_json(with);
    expected.erase("simulation");
    found.erase("simulation");
    CHECK(found == expected);
  }
}

}  // namespace
}  // namespace starling

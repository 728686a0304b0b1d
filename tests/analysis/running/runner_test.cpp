#include "analysis/running/runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/results/files/result_json.hpp"
#include "analysis/results/files/trace_json.hpp"
#include "analysis/running/run_result.hpp"
#include "comparable_results.hpp"
#include "small_scenario.hpp"
#include "tests/analysis/results/files/trace_checks.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("The result of an all-reduce run equals its closed forms under every engine") {
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::tcp, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.tcp.acknowledgment_bytes = 0;  // acknowledgments would share the links with the chunks
    scenario.workload.optimizer_s_per_byte = 1e-10;
    add_algorithm(scenario, AllreduceOptions{});
    const double update_s = 4e6 * 1e-10;
    const double iteration_s = small_compute_s + small_allreduce_s + update_s;
    // SimGrid's clock sums the steps of all messages, that of tcp those of all frames.
    const bool is_added_up = engine == Engine::simgrid || engine == Engine::tcp;
    const double tolerance = !is_added_up ? rounding : 1e-6;

    const Result result = simulate_and_explain(scenario);
    CHECK(result.engine == engine_names()[static_cast<std::size_t>(engine)]);
    REQUIRE(result.runs.size() == 1);
    const RunResult& run = result.runs[0];
    CHECK(run.workers == 4);
    CHECK(run.iterations == 4);
    CHECK(run.iteration_time_s.mean == about(iteration_s, tolerance));
    CHECK(run.iteration_time_s.max == about(iteration_s, tolerance));
    CHECK(run.makespan_s == about(5 * iteration_s, tolerance));
    CHECK(*run.throughput_samples_per_s == about(4 * 32 / iteration_s, tolerance));
    CHECK(run.breakdown_s.forward == about(0.01, tolerance));
    CHECK(run.breakdown_s.backward == about(0.02, tolerance));
    CHECK(run.breakdown_s.update == about(update_s, tolerance));
    CHECK(run.breakdown_s.exposed_communication == about(small_allreduce_s, 10 * tolerance));
    CHECK(run.breakdown_s.imbalance_wait < 1e-12);
    CHECK(*run.participation.mean_active_workers == 4);
    CHECK(*run.speedup == 1);
  }
}

TEST_CASE("Results on a single host do not depend on the network, which may have no links") {
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::tcp, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.cluster.workers_per_host = 4;
    scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e10, .latency_s = 1e-6};
    add_all_algorithms(scenario);
    scenario.algorithms.pop_back();  // its graph alternates between hosts
    const Result on_a_star = simulate(scenario);
    scenario.cluster.network.kind = GraphOptions{};
    const Result alone = simulate(scenario);
    for (std::size_t i = 0; i < alone.runs.size(); ++i) {
      CAPTURE(alone.runs[i].label);
      CHECK(alone.runs[i].iteration_time_s.mean == on_a_star.runs[i].iteration_time_s.mean);
    }
  }
}

TEST_CASE("Every algorithm runs where communication slows computing down, the same twice") {
  Scenario scenario = small_scenario();
  scenario.iterations = 12;
  scenario.workload.communication_slowdown = 0.4;
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.01}};
  add_all_algorithms(scenario);
  const Result result = simulate_and_explain(scenario);
  CHECK(reproducible_part(result) == reproducible_part(simulate_and_explain(scenario)));
  for (const RunResult& run : result.runs) {
    CAPTURE(run.label);
    const double computed_s = run.breakdown_s.forward + run.breakdown_s.backward;
    CHECK(computed_s >= small_compute_s * (1 - rounding * 1e3));
    CHECK(computed_s <= 1.4 * small_compute_s * (1 + rounding * 1e3));
    CHECK(sum_of(run.breakdown_s) == about(run.iteration_time_s.mean, rounding * 1e3));
  }
}

TEST_CASE("Traffic is counted over the whole run") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  const Traffic traffic = simulate(scenario).runs[0].traffic;
  CHECK(traffic.messages == 5 * 4 * 2 * 3);  // iterations, workers, two halves of P−1 rounds
  CHECK(traffic.bytes == 5 * 4 * 6e6);       // each worker sends 2·3/4·4 MB
  CHECK(traffic.bytes_per_worker_per_iteration == 6e6);
}

TEST_CASE("Every algorithm gets the same random delays") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {IndependentDelay{.probability = 0.5, .delay_s = 0.004}};
  add_all_algorithms(scenario);
  std::vector<std::vector<double>> delays;
  simulate(scenario, {.run_finished = [&](const Result&, const IterationLog& log) {
             std::vector<double>& of_run = delays.emplace_back();
             for (Rank rank = 0; rank < log.workers(); ++rank)
               for (const IterationRecord& record : log.of(rank)) of_run.push_back(record.delay_s > 0.002);
           }});
  REQUIRE(delays.size() == scenario.algorithms.size());
  for (const auto& of_run : delays) CHECK(of_run == delays.front());
  CHECK(std::count(delays[0].begin(), delays[0].end(), 1.0) > 0);
  CHECK(std::count(delays[0].begin(), delays[0].end(), 0.0) > 0);
}

TEST_CASE("Speedup is against the first run") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, WfbpOptions{});
  const Result result = simulate_and_explain(scenario);
  CHECK(*result.runs[1].speedup ==
        result.runs[0].iteration_time_s.mean / result.runs[1].iteration_time_s.mean);
  CHECK(*result.runs[1].speedup > 1.05);  // most of wfbp's communication hides behind the backward pass
}

TEST_CASE("A job that takes no time has neither throughput nor speedup") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 1;
  scenario.workload.forward_s = {0, 0};
  scenario.workload.backward_s = {0, 0};
  add_algorithm(scenario, AllreduceOptions{});
  const RunResult run = simulate_and_explain(scenario).runs[0];
  CHECK(run.iteration_time_s.mean == 0);
  CHECK_FALSE(run.throughput_samples_per_s);
  CHECK_FALSE(run.speedup);
  CHECK_NOTHROW(result_json_text(simulate_and_explain(scenario)));
}

TEST_CASE("The same scenario gives the same bytes twice, under every engine") {
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::tcp, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
    add_all_algorithms(scenario);
    const std::string first = reproducible_part(simulate(scenario));
    CHECK(reproducible_part(simulate(scenario)) == first);
  }
}

TEST_CASE("An algorithm's result does not depend on the algorithms before it") {
  Scenario several = small_scenario();
  add_all_algorithms(several);
  const Result result = simulate(several);
  for (std::size_t i = 0; i < several.algorithms.size(); ++i) {
    Scenario alone = small_scenario();
    alone.algorithms = {several.algorithms[i]};
    CHECK(simulate(alone).runs[0].iteration_time_s.mean == result.runs[i].iteration_time_s.mean);
  }
}

TEST_CASE("A bucket size is searched for where the scenario asks for it") {
  Scenario scenario = small_scenario();
  scenario.workload.model.tensors.assign(8, {"tensor", 1'000'000});
  scenario.workload.model.layers.clear();
  for (int i = 0; i < 8; ++i) scenario.workload.model.layers.push_back({"layer", "Linear", i, 1, 1});
  scenario.workload.forward_s.assign(8, 0.002);
  scenario.workload.backward_s.assign(8, 0.004);
  add_algorithm(scenario, DearOptions{}, "fixed");
  add_algorithm(scenario, DearOptions{.bucket_bytes = std::nullopt}, "searched");

  const Result result = simulate(scenario);
  CHECK(result.runs[1].iteration_time_s.mean <= result.runs[0].iteration_time_s.mean);
  const auto& block = result.runs[1].algorithm;
  CHECK(block["bucket_search"]["trials"].size() == 10);
  CHECK(block["bucket_search"]["trials"][0]["bucket_bytes"] == 25 * mebibyte);
  CHECK(block["bucket_bytes"].get<double>() >= mebibyte);
  CHECK_FALSE(result.runs[0].algorithm.contains("bucket_search"));
}

TEST_CASE("Observers get the result so far after every run") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DdpOptions{});
  std::vector<std::size_t> runs;
  simulate(scenario, {.run_finished = [&](const Result& result, const IterationLog& log) {
             runs.push_back(result.runs.size());
             CHECK(log.workers() == 4);
             CHECK(log.of(3).size() == 5);
             CHECK(result.simulation.events > 0);
           }});
  CHECK(runs == std::vector<std::size_t>{1, 2});
}

TEST_CASE("The timeline of every algorithm has all workers, and its spans nest") {
  Scenario scenario = small_scenario();
  add_all_algorithms(scenario);
  const ScratchFolder folder;
  TraceJson sink(folder.path() / "trace.json", 7);
  const auto run_begun = [&](const std::string& label, std::span<const int> hosts) {
    sink.begin_run(label, hosts);
  };
  const Result traced = simulate(scenario, {.trace = &sink, .run_begun = run_begun});
  sink.close();

  const ReadTrace trace = read_trace(folder.path() / "trace.json");
  CHECK(trace.processes.size() == scenario.algorithms.size() * 4);
  CHECK(trace.processes.at(4) == "allreduce · worker 3 (host 3)");
  for (const auto& [track, spans] : trace.spans) {
    CAPTURE(trace.processes.at(track.first));
    CAPTURE(trace.tracks.at(track));
    CHECK(is_nested(spans));
  }
  CHECK(wrong_arrows(folder.path() / "trace.json") == "");
  CHECK(reproducible_part(traced) == reproducible_part(simulate(scenario)));
}

}  // namespace
}  // namespace starling

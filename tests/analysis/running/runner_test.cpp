#include "analysis/running/runner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/results/result_json.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/results/trace_json.hpp"
#include "analysis/running/network_facts.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "io/scenario_error.hpp"
#include "sim/networks/fair_network.hpp"
#include "sim/networks/tcp_network.hpp"
#include "small_scenario.hpp"
#include "tests/analysis/results/trace_checks.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/transfers.hpp"
#include "torus_scenario.hpp"

namespace starling {
namespace {

double sum_of(const Breakdown& parts) {
  return parts.delay + parts.forward + parts.backward + parts.update + parts.exposed_communication +
         parts.imbalance_wait;
}

std::string reproducible_part(const Result& result) {
  auto document = result_json(result);
  document.erase("simulation");
  return document.dump(2);
}

TEST_CASE("A run's result is what the closed forms say") {
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::tcp, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.tcp.acknowledgment_bytes = 0;  // or they would share the links with the chunks
    scenario.workload.optimizer_s_per_byte = 1e-10;
    add_algorithm(scenario, AllreduceOptions{});
    const double update_s = 4e6 * 1e-10;
    const double iteration_s = small_compute_s + small_allreduce_s + update_s;
    // SimGrid's clock adds up the steps of all messages, that of connections those of all frames.
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

TEST_CASE("Iterations that fall fast drift to 0 at the least, though the line through them goes on below") {
  Scenario scenario = small_scenario();
  scenario.iterations = 11;
  add_algorithm(scenario, AllreduceOptions{});
  const ScenarioJob job(scenario);
  IterationLog log(4);
  for (Rank rank = 0; rank < 4; ++rank) {
    double end_s = 0;
    for (const double duration_s : {1.0, 10.0, 7.0, 5.0, 3.5, 2.5, 1.7, 1.2, 0.8, 0.6, 0.4}) {
      end_s += duration_s;
      log.add(rank, {.end_s = end_s});
    }
  }
  const std::optional<Drift> drift_s = sampling_of(job, 0, log).drift_s;
  REQUIRE(drift_s);
  CHECK(drift_s->first == about(3.27 + 4.5 * 79.95 / 82.5));
  CHECK(drift_s->last == 0);
}

TEST_CASE("A single host is what it is with whatever network, and needs none") {
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

TEST_CASE("Communication slows computing down by what the workload says, on every engine") {
  constexpr double slowdown = 0.25;
  constexpr double first_bucket_s = 0.002412;  // the second layer's, beside the first layer's backward pass
  constexpr double second_bucket_s = 0.003612;
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.workload.compute_law = "measured";
    scenario.workload.communication_slowdown = slowdown;
    add_algorithm(scenario, WfbpOptions{});
    const Result result = simulate_and_explain(scenario);
    CHECK(result.compute.law == "measured; 1.25 times as long while a worker communicates");
    const double slowed_s = first_bucket_s * slowdown / (1 + slowdown);
    const double tolerance = engine != Engine::simgrid ? 1e-11 : 1e-6;  // as above
    CHECK(result.runs[0].breakdown_s.forward == about(0.01, tolerance));
    CHECK(result.runs[0].breakdown_s.backward == about(0.02 + slowed_s, tolerance));
    CHECK(result.runs[0].iteration_time_s.mean ==
          about(small_compute_s + slowed_s + second_bucket_s, tolerance));
  }
}

TEST_CASE("Over TCP, what waits at a host's first link is what the connections' options say") {
  const auto iteration_s = [](const std::string& transport, std::optional<double> queued) {
    Scenario scenario = small_scenario();
    scenario.transport = transport;
    scenario.fair.unevenness = 0;
    scenario.fair.queued_at_first_link = queued;
    scenario.tcp.window_bytes = 100e3;
    scenario.tcp.frame_bytes = 1e3;
    scenario.tcp.frames_at_first_link = 40;
    // The ends of a line send to one, the others to two.
    add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = Mesh2dGraph{.dimensions = {{1, 4}}}}});
    return simulate(scenario).runs[0].iteration_time_s.mean;
  };
  for (const char* const tcp : {"nccl_tcp", "mpi_tcp"}) {
    CHECK(iteration_s(tcp, std::nullopt) == iteration_s(tcp, 0.4));
    CHECK(iteration_s(tcp, std::nullopt) != iteration_s(tcp, 0));
  }
  for (const char* const other : {"nccl_ib", "mpi_ib", "ideal"})
    CHECK(iteration_s(other, std::nullopt) == iteration_s(other, 0));
}

TEST_CASE("Streams have windows of their own, and share the more evenly the more there are") {
  const std::vector<Sending> sendings = {{0, 0, 1, 10e6}, {0, 0, 2, 10e6}, {0, 3, 2, 10e6}};
  Scenario scenario = small_scenario();
  const Network network = network_of(scenario.cluster, scenario.host_costs, scenario.jitter);
  const auto arrivals_s = [&](NetworkModel& model) { return send_all(model, sendings, 1e6).times_s; };
  scenario.message_costs.channels = 4;
  scenario.seed = 7;
  scenario.engine = Engine::fair;
  // A window of 2 kB in 16 us is an eighth of what a link takes.
  scenario.fair = {.window_bytes = 2e3, .unevenness = 0.4, .queued_at_first_link = 0.5};
  FairNetwork fair(network, {.window_bytes = 4 * 2e3,
                             .unevenness = 0.4 / 2,
                             .seed = 7,
                             .queued_at_first_link = 0.5,
                             .has_control_channel = true});
  CHECK(arrivals_s(*make_network_model(scenario, network)) == arrivals_s(fair));
  scenario.fair.window_bytes.reset();
  FairNetwork without_window(
      network, {.unevenness = 0.4 / 2, .seed = 7, .queued_at_first_link = 0.5, .has_control_channel = true});
  CHECK(arrivals_s(*make_network_model(scenario, network)) == arrivals_s(without_window));
  CHECK(arrivals_s(fair) != arrivals_s(without_window));

  scenario.engine = Engine::tcp;
  scenario.tcp.window_bytes = 20e3;
  TcpOptions of_all = scenario.tcp;
  of_all.window_bytes = 4 * 20e3;
  TcpNetwork tcp(network, of_all);
  CHECK(arrivals_s(*make_network_model(scenario, network)) == arrivals_s(tcp));
}

TEST_CASE("Streams have rates of their own, so that a pair carries as many times as much as it has streams") {
  Scenario scenario = small_scenario();
  const Network network = network_of(scenario.cluster, scenario.host_costs, scenario.jitter);
  scenario.fair.connection_rate_Bps = 1e8;
  for (const int channels : {1, 2, 20}) {
    scenario.message_costs.channels = channels;
    const auto model = make_network_model(scenario, network);
    CHECK(send_all(*model, {{0, 0, 1, 10e6}}, 1e6).times_s[0] ==
          about(2e-6 + 10e6 / std::min(1e9, channels * 1e8)));
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

TEST_CASE("Workers wait for a slow one, which waits for communication only") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 2}};
  add_algorithm(scenario, AllreduceOptions{});
  const RunResult run = simulate_and_explain(scenario).runs[0];
  // What the others sent is there when the slow one comes: it saves up to 2 of the all-reduce's 6 α of 2 µs.
  const double saved_s = 2 * small_compute_s + small_allreduce_s - run.iteration_time_s.mean;
  CHECK(saved_s >= 0);
  CHECK(saved_s < 4.001e-6);
  CHECK(run.breakdown_s.imbalance_wait == about(3 * small_compute_s / 4, 1e-9));
  CHECK(run.breakdown_s.exposed_communication == about(small_allreduce_s - saved_s, 1e-9));
  CHECK(run.breakdown_s.forward == about(5 * 0.01 / 4, rounding));
}

TEST_CASE("Under every algorithm the breakdown sums to the mean iteration time") {
  Scenario scenario = small_scenario();
  scenario.workload.optimizer_s_per_byte = 1e-10;
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.004},
                        RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.2}};
  add_all_algorithms(scenario);
  for (const RunResult& run : simulate_and_explain(scenario).runs) {
    CAPTURE(run.label);
    CHECK(sum_of(run.breakdown_s) == about(run.iteration_time_s.mean, rounding));
    CHECK(run.breakdown_s.delay == about(0.001, 1e-9));
    // Pairs that average beside the computation wait for nobody; others are done in time here.
    if (run.label != "adpsgd" && run.label != "decentralized_adam") CHECK(run.breakdown_s.imbalance_wait > 0);
  }
}

TEST_CASE(
    "Waiting that is left on a network without cost is what the formula of synchronous algorithms says") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 1});  // the same schedule, attributed by its pattern
  const Result result = simulate_and_explain(scenario);
  const Breakdown& formula = result.runs[0].breakdown_s;
  const Breakdown& run = result.runs[1].breakdown_s;
  CHECK(formula.imbalance_wait > 0.001);
  // Messages of a worker that waits are early by a few start-ups of 2 µs, which shifts waiting as much.
  CHECK(std::abs(run.imbalance_wait - formula.imbalance_wait) < 6 * 2e-6);
  CHECK(std::abs(run.exposed_communication - formula.exposed_communication) < 6 * 2e-6);
}

TEST_CASE("Where nothing was averaged, there is no number of those who took part") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 6});  // of 5 iterations
  const Participation participation = simulate_and_explain(scenario).runs[0].participation;
  CHECK(participation.details->operations == 0);
  CHECK_FALSE(participation.mean_active_workers.has_value());
}

TEST_CASE("Whose workers run apart, tells how far and who took part") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {2}, .factor = 2}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, EagerOptions{.kind = EagerOptions::solo, .bucket_bytes = 1e9});
  add_algorithm(scenario, AdpsgdOptions{});
  const Result result = simulate_and_explain(scenario);
  CHECK_FALSE(result.runs[0].participation.details.has_value());
  CHECK(*result.runs[0].participation.mean_active_workers == 4);

  const Participation& solo = result.runs[1].participation;
  CHECK(*solo.mean_active_workers < 4);
  CHECK(solo.details->operations == 5);
  CHECK(solo.details->fresh_contributions + solo.stale_contributions + solo.details->absent_contributions ==
        5 * 4);
  // The others need half as long, and 8 ms for a sum in solo: its slow worker ends 3 of 60 ms by 190 ms, the
  // one of adpsgd 2 by 150 ms.
  for (const std::size_t run : {1U, 2U}) {
    const auto ended = result.runs[run].participation.details->iterations_at_first_end;
    CHECK(ended[2] == (run == 1 ? 3 : 2));
    for (const std::size_t rank : {0U, 1U, 3U})
      CHECK(ended[rank] >= 4);  // 5, but for the last message's time
    CHECK(*std::ranges::max_element(ended) == 5);
  }
}

TEST_CASE("Every algorithm meets the same load") {
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

TEST_CASE("A run goes on until its mean is known as well as wanted, or is as long as it may be") {
  Scenario scenario = small_scenario();
  scenario.iterations = 20;
  scenario.warmup_iterations = 2;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  scenario.precision = WantedPrecision{.standard_error = 0.005, .most_iterations = 100'000};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 4}, "local");
  const Result result = simulate_and_explain(scenario);
  for (const RunResult& run : result.runs) {
    CAPTURE(run.label);
    CHECK(run.iterations > 18);
    CHECK(run.sampling.mean_s.standard_error <= 0.005 * run.iteration_time_s.mean);
    CHECK(run.sampling.mean_s.value == about(run.iteration_time_s.mean, rounding));
    CHECK(sum_of(run.breakdown_s) == about(run.iteration_time_s.mean, rounding));
  }
  CHECK(result.runs[1].iterations % 4 == 0);
  // The same as a run that had as many iterations from the start.
  Scenario fixed = scenario;
  fixed.precision.reset();
  fixed.iterations = result.runs[0].iterations + 2;
  CHECK(simulate_and_explain(fixed).runs[0].iteration_time_s.mean == result.runs[0].iteration_time_s.mean);

  scenario.precision->most_iterations = 40;
  const Result short_result = simulate_and_explain(scenario);
  CHECK(short_result.runs[0].iterations == 38);
  CHECK(short_result.runs[1].iterations == 36);  // nine periods
}

TEST_CASE("A mean of other than whole periods has no error, and no speed-up over it has one") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 4});
  const auto run_of = [&](std::int64_t counted) {
    scenario.iterations = scenario.warmup_iterations + counted;
    const Result result = simulate(scenario);
    CHECK(result.runs[0].sampling.mean_s.has_error());
    return result.runs[1];
  };
  CHECK(run_of(40).sampling.mean_s.has_error());
  CHECK(run_of(40).speedup_interval_95.has_value());
  for (const std::int64_t partial : {39, 41, 42}) {
    const RunResult run = run_of(partial);
    CHECK_FALSE(run.sampling.mean_s.has_error());
    CHECK(run.sampling.mean_s.value == about(run.iteration_time_s.mean));
    CHECK_FALSE(run.speedup_interval_95.has_value());
  }
  CHECK(run_of(402).sampling.mean_s.has_error());  // of a hundred periods that is little
}

TEST_CASE("A run goes on until what is rare has come as often as its mean needs") {
  Scenario scenario = small_scenario();
  scenario.iterations = 20;
  scenario.warmup_iterations = 2;
  scenario.imbalance = {IndependentDelay{.probability = 0.002, .delay_s = 1}};
  scenario.precision = WantedPrecision{.standard_error = 0.2, .most_iterations = 100'000};
  add_algorithm(scenario, AllreduceOptions{});
  const std::int64_t needed = 3 * least_batch(scenario.imbalance, scenario.cluster.workers);
  CHECK(simulate(scenario).runs[0].iterations == needed);
  scenario.precision.reset();
  CHECK_FALSE(simulate(scenario).runs[0].sampling.mean_s.has_error());
}

TEST_CASE("A run without noise is known after its first iterations, and has no error") {
  Scenario scenario = small_scenario();
  scenario.precision = WantedPrecision{.standard_error = 1e-6, .most_iterations = 100'000};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 2});
  const Result result = simulate_and_explain(scenario);
  CHECK(result.runs[0].iterations == 4);
  CHECK(result.runs[0].sampling.mean_s.standard_error == 0);
  // Two periods are too few for an error, so it had to go on.
  CHECK(result.runs[1].iterations > 4);
  CHECK(result.runs[1].sampling.mean_s.standard_error == 0);
}

TEST_CASE("A run that goes on as it needs counts whole periods, as many as there is room for") {
  Scenario scenario = small_scenario();
  scenario.iterations = 25;
  scenario.warmup_iterations = 2;
  scenario.precision = WantedPrecision{.standard_error = 0.5, .most_iterations = 30};
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 7});
  const RunResult whole = simulate(scenario).runs[0];
  CHECK(whole.iterations == 28);
  CHECK_FALSE(is_of_partial_periods(whole.iterations, whole.pattern_period));
  scenario.precision->most_iterations = 29;
  CHECK(simulate(scenario).runs[0].iterations == 21);
}

TEST_CASE("Throughput counts what each worker does in its own time, where some get ahead of others") {
  Scenario scenario = small_scenario();
  scenario.iterations = 40;
  scenario.imbalance = {SlowWorkers{.workers = {1}, .factor = 10}};
  add_algorithm(scenario, AdpsgdOptions{});
  double samples_per_s = 0;
  RunObservers observers;
  observers.run_finished = [&](const Result&, const IterationLog& log) {
    for (Rank rank = 0; rank < log.workers(); ++rank)
      samples_per_s += 32 * 39 / (log.of(rank).back().end_s - log.of(rank).front().end_s);
  };
  const RunResult run = simulate(scenario, observers).runs[0];
  CHECK(*run.throughput_samples_per_s == about(samples_per_s));
  // The slow worker's mean counts as much as any other's in that of all, but it does a tenth of the work.
  CHECK(*run.throughput_samples_per_s > 1.2 * 4 * 32 / run.iteration_time_s.mean);
  CHECK(*run.speedup == 1);
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

TEST_CASE("The same scenario gives the same bytes, whatever ran before") {
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::tcp, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
    add_all_algorithms(scenario);
    const std::string first = reproducible_part(simulate(scenario));
    CHECK(reproducible_part(simulate(scenario)) == first);
  }
}

TEST_CASE("An algorithm's result does not depend on those before it") {
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

TEST_CASE("What is noted of algorithms has the keys of notes, each of which some run has") {
  Scenario scenario = small_scenario();
  add_all_algorithms(scenario);
  add_algorithm(scenario, MgWfbpOptions{.planned_start_up_s = 1, .planned_bandwidth_Bps = 1e9}, "merged");
  add_algorithm(scenario, AllreduceOptions{.collective = "auto"}, "chosen");
  scenario.algorithms.back().as_read["collective"] = "auto";
  add_algorithm(scenario, DearOptions{.bucket_bytes = std::nullopt}, "searched");
  scenario.algorithms.back().as_read["bucket_bytes"] = "auto";
  const Result result = simulate_and_explain(scenario);
  std::set<std::string> noted;
  for (std::size_t i = 0; i < result.runs.size(); ++i)
    for (const auto& [key, value] : result.runs[i].algorithm.items())
      if (!scenario.algorithms[i].as_read.contains(key)) noted.insert(key);
  CHECK(noted == std::set<std::string>(note_keys.begin(), note_keys.end()));
}

TEST_CASE("An algorithm that does not fit the cluster is reported before anything runs") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 3;
  scenario.cluster.workers_per_host = 2;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 1e9, .latency_s = 0};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, AllreduceOptions{.collective = "hierarchical"});
  bool has_run = false;
  try {
    simulate(scenario, {.run_finished = [&](const Result&, const IterationLog&) { has_run = true; }});
    FAIL("nothing was thrown");
  } catch (const ScenarioError& error) {
    CHECK(std::string(error.what()).starts_with("small.json: /algorithms/1: "));
  }
  CHECK_FALSE(has_run);
}

TEST_CASE("A collective that does not fit the cluster is refused at its own place") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 6;
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DearOptions{.collective = "halving_doubling"});
  CHECK_THROWS_WITH_AS(
      simulate(scenario),
      "small.json: /algorithms/1/collective: recursive halving reduce-scatter needs a power of "
      "two of ranks, got 6",
      ScenarioError);
}

TEST_CASE("It is told where MG-WFBP merges all layers, though it need not") {
  Scenario scenario = small_scenario();
  scenario.workload.model.tensors.assign(4, {"tensor", 1'000'000});
  scenario.workload.forward_s.assign(4, 0.002);
  scenario.workload.backward_s.assign(4, 0.004);
  const auto merged_with = [&](int layers, double start_up_s) {
    Scenario one = scenario;
    one.workload.model.layers.assign(4, {"layer", "Linear", 4, 0, 1});
    for (int i = 0; i < layers; ++i)
      one.workload.model.layers[static_cast<std::size_t>(i)] = {"layer", "Linear", i, 1, 1};
    if (layers == 1) one.workload.model.layers[0] = {"layer", "Linear", 0, 4, 1};
    add_algorithm(one, MgWfbpOptions{.planned_start_up_s = start_up_s, .planned_bandwidth_Bps = 1e9});
    return simulate(one).runs[0].algorithm.contains("merged_all");
  };
  CHECK(merged_with(4, 1));
  CHECK_FALSE(merged_with(4, 1e-6));
  CHECK_FALSE(merged_with(1, 1));
}

TEST_CASE("What was chosen for options that were left open is told") {
  const auto chosen = [](const TrainingOptions& options, const nlohmann::ordered_json& as_read) {
    Scenario scenario = small_scenario();
    scenario.cluster.workers = 8;
    scenario.algorithms.push_back({.label = "one", .options = options, .as_read = as_read});
    return simulate(scenario).runs[0].algorithm.value("chosen", nlohmann::ordered_json());
  };
  using Json = nlohmann::ordered_json;
  CHECK(chosen(WagmaOptions{}, {{"kind", "wagma"}, {"group_size", "sqrt"}}) == Json{{"group_size", 4}});
  CHECK(chosen(WagmaOptions{.group_size = 2}, {{"kind", "wagma"}, {"group_size", 2}}).is_null());

  const Json planned = chosen(MgWfbpOptions{}, {{"kind", "mg_wfbp"}});
  CHECK(planned.at("planned_start_up").get<double>() == about(2 * 7 * 2e-6, rounding));
  CHECK(planned.at("planned_bandwidth").get<double>() == about(1e9 / (2 * 7.0 / 8), rounding));
  CHECK(chosen(MgWfbpOptions{.planned_start_up_s = 1e-3, .planned_bandwidth_Bps = 1e9}, {{"kind", "mg_wfbp"}})
            .is_null());

  const Json torus = {{"kind", "dpsgd"}, {"graph", {{"kind", "torus"}}}, {"mixing", "automatic"}};
  CHECK(chosen(DpsgdOptions{.mixing = {.graph = TorusGraph{}}}, torus) ==
        Json{{"mixing", "metropolis_hastings"}, {"dimensions", {2, 4}}});
  const Json given = {
      {"kind", "dpsgd"}, {"graph", {{"kind", "torus"}, {"dimensions", {8}}}}, {"mixing", "uniform"}};
  CHECK(chosen(DpsgdOptions{.mixing = {.graph = TorusGraph{.dimensions = {8}}, .rule = MixingRule::uniform}},
               given)
            .is_null());
}

TEST_CASE("What an algorithm needs of the cluster is said") {
  const CommunicationGraphKind disconnected = EdgeListGraph{.edges = {{0, 1, {}}}};
  const CommunicationGraphKind lopsided =
      EdgeListGraph{.edges = {{0, 1, 0.5}, {1, 0, 0.4}}, .is_directed = true};
  struct Case {
    int workers;
    TrainingOptions options;
    std::string message;
  };
  const std::vector<Case> cases = {
      {6, EagerOptions{}, "eager_solo: workers is 6; it must be a power of two"},
      {6, WagmaOptions{}, "wagma: workers is 6; it must be a power of two"},
      {4, WagmaOptions{.group_size = 3},
       "wagma: group_size is 3; it must be a power of two from 1 to 4, or \"sqrt\" for √P"},
      {4, WagmaOptions{.group_size = 8},
       "wagma: group_size is 8; it must be a power of two from 1 to 4, or \"sqrt\" for √P"},
      {4, DpsgdOptions{.mixing = {.graph = disconnected}},
       "dpsgd: graph edge_list: no way leads from worker 0 to worker 2 and back; every worker must reach "
       "every other"},
      {2, DpsgdOptions{.mixing = {.graph = lopsided}},
       "dpsgd: mixing matrix: the shares of worker 0's model in iteration 0 sum to 1.1, but must sum to 1"},
      {4, DpsgdOptions{.mixing = {.graph = StarGraph{}, .rule = MixingRule::uniform}},
       "dpsgd: mixing matrix: the shares of worker 0's model in iteration 0 sum to 1.75, but must sum to 1"},
      {6, DpsgdOptions{.mixing = {.graph = HypercubeGraph{}}},
       "dpsgd: graph hypercube: the number of workers must be a power of two, got 6"},
      {3, AdpsgdOptions{}, "adpsgd: there are 3 workers; the published pairing needs an even number"},
      {4, AdpsgdOptions{.mixing = MixingOptions{.graph = CompleteGraph{}}},
       "adpsgd: ranks 0 and 1 are on a circle of odd length; the graph must be bipartite"},
      {4, AdpsgdOptions{.mixing = MixingOptions{.graph = OnePeerRingGraph{}}},
       "adpsgd: the graph changes with the iterations; it must not"},
      {4, SgpOptions{.neighbors = 3}, "sgp: neighbors is 3; with 4 workers it must be 1 … 2"},
      {4, SgpOptions{.neighbors = 3, .per_host = true},
       "sgp: with per_host the 4 hosts are the workers of the graph: neighbors is 3; with 4 workers it must "
       "be 1 … 2"},
      {6, DecentralizedAdamOptions{},
       "decentralized_adam: graph alternating_exponential_ring: the number of hosts must be a power of two, "
       "got 6; \"complete\" fits any workers"},
  };
  for (const Case& tried : cases) {
    Scenario scenario = small_scenario();
    scenario.cluster.workers = tried.workers;
    add_algorithm(scenario, tried.options);
    const std::string message = "small.json: /algorithms/0: " + tried.message;
    CHECK_THROWS_WITH_AS(simulate(scenario), message.c_str(), ScenarioError);
    scenario.changes.push_back(parse_override("/algorithms/0={}"));
    const std::string of_option = "--set /algorithms/0={}: /algorithms/0: " + tried.message;
    CHECK_THROWS_WITH_AS(simulate(scenario), of_option.c_str(), ScenarioError);
  }
}

TEST_CASE("Whoever listens gets the result so far after every run") {
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

TEST_CASE("A ring along a snake, or placed for its traffic, has its links to itself") {
  const double closed_form_s = 2 * 31 * 1e-6 + 2 * 31.0 / 32 * 4e6 * 1e-9;
  const auto allreduce_s_on = [](const PlacementOptions& placement) {
    return simulate(ring_on_torus(placement)).runs[0].iteration_time_s.mean - small_compute_s;
  };
  CHECK(allreduce_s_on({.name = "snake"}) == about(closed_form_s, 1e-6));
  CHECK(allreduce_s_on({.name = "optimized"}) == about(closed_form_s, 1e-6));
  CHECK(allreduce_s_on({}) > 1.5 * closed_form_s);
}

TEST_CASE("Under every engine messages go between the hosts that ranks are placed on") {
  const double closed_form_s = 2 * 7 * 1e-6 + 2 * 7.0 / 8 * 4e6 * 1e-9;
  for (const Engine engine : {Engine::event, Engine::simgrid, Engine::tcp, Engine::fair}) {
    // Around the torus and back, whichever host rank 0 is on.
    Scenario scenario = on_torus(1, {.hosts = {6, 5, 4, 0, 1, 2, 3, 7}});
    scenario.engine = engine;
    scenario.tcp.acknowledgment_bytes = 0;
    add_algorithm(scenario, AllreduceOptions{.collective = "ring"});
    // SimGrid's clock adds up the steps of all messages, tcp's those of all frames. A rank on another host
    // would add links of 1 µs, 1.4e-4 each, and chunks that share one.
    CHECK(simulate(scenario).runs[0].iteration_time_s.mean - small_compute_s == about(closed_form_s, 1e-4));
  }
}

TEST_CASE("What placement was optimized for is said, and where ranks are") {
  Scenario scenario = ring_on_torus({.name = "optimized"});
  add_algorithm(scenario, DpsgdOptions{});
  const Result result = simulate(scenario);
  REQUIRE(result.placement.has_value());
  CHECK(result.placement->name == "optimized");
  CHECK(result.placement->optimized_for == std::vector<std::string>{"allreduce", "dpsgd"});
  CHECK(result.placement->hosts.size() == 32);
  CHECK(result_json(result).at("placement").at("hosts").size() == 32);
  CHECK(result_table(result).find(
            "placement optimized for what allreduce, dpsgd sends, each weighted alike") != std::string::npos);
  CHECK(!simulate(ring_on_torus({})).placement.has_value());
}

TEST_CASE("Who ends at the same moment but for rounding has ended its last iteration, too") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, EagerOptions{});
  const ScenarioJob job(scenario);
  Outcome outcome(4, 3);
  for (Rank rank = 0; rank < 4; ++rank)
    for (const double end_s : {0.03, 0.06, rank == 3 ? 0.11 : 0.1 + rank * 1e-16})
      outcome.log.add(rank, {.end_s = end_s});
  RunResult result;
  describe(job, 0, {.outcome = std::move(outcome)}, result);
  REQUIRE(result.participation.details.has_value());
  CHECK(result.participation.details->iterations_at_first_end == std::vector<std::int64_t>{3, 3, 3, 2});
}

TEST_CASE("Windows and rates that limit nothing change nothing, and what is evaluated stays so") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.1}};
  add_algorithm(scenario, AllreduceOptions{.collective = "ring"});
  const RunResult unlimited = simulate(scenario).runs[0];
  scenario.fair.window_bytes = 1e6;
  scenario.fair.connection_rate_Bps = 1e9;
  const RunResult limited = simulate(scenario).runs[0];
  CHECK(limited.iteration_time_s.mean == unlimited.iteration_time_s.mean);
  CHECK(*limited.traffic.evaluated_messages == limited.traffic.messages);
  scenario.collectives = CollectiveExecution::messages;
  CHECK(simulate(scenario).runs[0].iteration_time_s.mean ==
        about(limited.iteration_time_s.mean, rounding_of_sums));
  scenario.collectives = CollectiveExecution::automatic;
  scenario.fair.connection_rate_Bps = 9e8;
  CHECK(*simulate(scenario).runs[0].traffic.evaluated_messages == 0);
}

TEST_CASE("Over NCCL no message of a collective waits for its receiver, but what pairs exchange does") {
  Scenario scenario = small_scenario();
  scenario.transport = "nccl_ib";
  scenario.message_costs = transport("nccl_ib").costs;
  scenario.workload.model.tensors = {{"large", 20'000'000}};  // 20 MB chunks of four workers
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DpsgdOptions{});
  for (const CollectiveExecution collectives :
       {CollectiveExecution::automatic, CollectiveExecution::messages}) {
    scenario.collectives = collectives;
    const Result result = simulate(scenario);
    CHECK(*result.runs[0].traffic.rendezvous_messages == 0);
    CHECK(*result.runs[1].traffic.rendezvous_messages == result.runs[1].traffic.messages);
  }
}

TEST_CASE("What takes the ranks of a host together is refused where placement parts them") {
  const PlacementOptions apart{.name = "round_robin"};
  const std::vector<std::pair<TrainingOptions, std::string>> algorithms = {
      {AllreduceOptions{.collective = "hierarchical"}, "small.json: /algorithms/0/collective: "},
      {SgpOptions{.per_host = true}, "small.json: /algorithms/0: "},
      {DecentralizedAdamOptions{.graph = "alternating_exponential_ring"}, "small.json: /algorithms/0: "}};
  for (const auto& [options, place] : algorithms) {
    Scenario together = on_torus(2, {.name = "snake"});
    add_algorithm(together, options);
    CHECK_NOTHROW(simulate(together));
    Scenario parted = on_torus(2, apart);
    add_algorithm(parted, options);
    std::string message;
    try {
      simulate(parted);
    } catch (const ScenarioError& error) {
      message = error.what();
    }
    CHECK(message.starts_with(place));
    CHECK(message.find("needs the ranks of a host to be consecutive") != std::string::npos);
  }
}

TEST_CASE("All algorithms run under every placement, the same with and without evaluated collectives") {
  for (const char* name : {"block", "round_robin", "random", "snake", "optimized"}) {
    Scenario scenario = on_torus(2, {.name = name});
    add_all_algorithms(scenario);
    scenario.algorithms.pop_back();
    add_algorithm(scenario, DecentralizedAdamOptions{.graph = "one_peer_exponential"});
    const Result evaluated = simulate(scenario);
    scenario.collectives = CollectiveExecution::messages;
    const Result messages = simulate(scenario);
    for (std::size_t i = 0; i < messages.runs.size(); ++i)
      CHECK(evaluated.runs[i].iteration_time_s.mean ==
            about(messages.runs[i].iteration_time_s.mean, rounding * 1000));
  }
}

TEST_CASE("Collectives that are evaluated at once take what their messages take") {
  Scenario scenario = small_scenario();
  scenario.message_costs.overhead_s = 1e-6;
  scenario.message_costs.reduction_s_per_byte = 1e-11;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.2}};
  scenario.cluster.workers_per_host = 2;
  scenario.cluster.intra_host_link = LinkOptions{.bandwidth_Bps = 2e9, .latency_s = 3e-6};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, WfbpOptions{});
  add_algorithm(scenario, DdpOptions{.bucket_bytes = 1e6});
  add_algorithm(scenario, DearOptions{.bucket_bytes = 1e6});
  for (const Engine engine : {Engine::event, Engine::fair}) {
    scenario.engine = engine;
    scenario.collectives = CollectiveExecution::automatic;
    const Result evaluated = simulate(scenario);
    scenario.collectives = CollectiveExecution::messages;
    const Result by_message = simulate(scenario);

    CHECK(evaluated.simulation.events < by_message.simulation.events / 2);
    for (std::size_t i = 0; i < by_message.runs.size(); ++i) {
      const RunResult& fast = evaluated.runs[i];
      const RunResult& slow = by_message.runs[i];
      CHECK(fast.iteration_time_s.mean == about(slow.iteration_time_s.mean, rounding));
      CHECK(fast.iteration_time_s.std == about(slow.iteration_time_s.std, 1e-9));  // a difference of sums
      CHECK(fast.makespan_s == about(slow.makespan_s, rounding));
      CHECK(fast.breakdown_s.exposed_communication == about(slow.breakdown_s.exposed_communication, 1e-9));
      CHECK(fast.traffic.messages == slow.traffic.messages);
      CHECK(fast.traffic.bytes == slow.traffic.bytes);
    }
  }
}

TEST_CASE("What windows hold up is not evaluated as if it had its links to itself") {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::fair;
  add_algorithm(scenario, AllreduceOptions{});
  const double without_window_s = simulate(scenario).runs[0].iteration_time_s.mean;
  scenario.fair.window_bytes = 1e3;
  const double mean_s = simulate(scenario).runs[0].iteration_time_s.mean;
  scenario.collectives = CollectiveExecution::messages;
  CHECK(mean_s == about(simulate(scenario).runs[0].iteration_time_s.mean, rounding));
  CHECK(mean_s > small_compute_s + 4 * (without_window_s - small_compute_s));
}

TEST_CASE("What connections carry at a rate of their own is not evaluated by what their links have") {
  Scenario scenario = small_scenario();
  scenario.fair.connection_rate_Bps = 0.5e9;
  add_algorithm(scenario, AllreduceOptions{});
  CHECK(simulate(scenario).runs[0].iteration_time_s.mean ==
        about(small_compute_s + small_allreduce_s + 6e-3, rounding_of_sums));
}

}  // namespace
}  // namespace starling

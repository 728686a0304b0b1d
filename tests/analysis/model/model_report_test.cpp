#include "analysis/model/model_report.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/model/gain_parts.hpp"
#include "analysis/model/model_report_text.hpp"
#include "io/scenario_error.hpp"
#include "tests/analysis/running/small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// An algorithm that another program would register: 0.5 s of computing an iteration, and no model.
struct OtherOptions {
  static constexpr std::string_view kind = "other";
  static constexpr TrainingTraits traits{};
};

class OtherAlgorithm final : public TrainingAlgorithm {
  void run(Worker& worker, Replica&, const TrainingJob& job) const override {
    for (std::int64_t i = 0; i < job.iterations; ++i) {
      worker.compute(0.5);
      job.log.add(worker.rank(), {.end_s = worker.now()});
    }
  }
};

void describe(OtherOptions&, OptionVisitor&) {}
std::unique_ptr<TrainingAlgorithm> make_algorithm(const OtherOptions&, const Workload&, const ClusterFacts&) {
  return std::make_unique<OtherAlgorithm>();
}

TEST_CASE("A model report has the predicted time of every algorithm and the simulated one") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, AdpsgdOptions{});
  const ModelReport report = model_report(scenario, true);
  REQUIRE(report.algorithms.size() == 2);
  const ModeledAlgorithm& allreduce = report.algorithms[0];
  REQUIRE(allreduce.model);
  CHECK(allreduce.model->sampling.mean_s.value == about(small_compute_s + small_allreduce_s, 1e-9));
  CHECK(allreduce.model->breakdown_s.forward == about(0.01, 1e-9));
  CHECK(allreduce.model->breakdown_s.exposed_communication == about(small_allreduce_s, 1e-9));
  REQUIRE(allreduce.difference());
  CHECK(std::abs(*allreduce.difference()) < 1e-9);
  CHECK(report.algorithms[1].model->sampling.mean_s.value == about(small_compute_s, 1e-9));
}

TEST_CASE("Send buffers make the model an estimate under event but not under fair") {
  Scenario scenario = small_scenario();
  scenario.engine = Engine::event;
  add_algorithm(scenario, AllreduceOptions{});
  const auto validity = [&] { return model_report(scenario, false).algorithms[0].model->validity; };
  CHECK(validity() == ModelValidity::exact);
  scenario.message_costs.send_buffer_bytes = 1e6;
  CHECK(validity() == ModelValidity::estimate);
  scenario.engine = Engine::fair;
  CHECK(validity() == ModelValidity::exact);
}

TEST_CASE("The model refuses more than a million Horovod cycles whose messages outlast the cycle time") {
  Scenario scenario = small_scenario();
  scenario.workload.backward_s.assign(scenario.workload.backward_s.size(), 1e9);
  add_algorithm(scenario, HorovodOptions{.cycle_time_s = 1e-6});
  CHECK_THROWS_WITH_AS(
      model_report(scenario, false),
      "horovod: more than 1000000 cycles of 1e-06 s in iteration 0; take a longer cycle_time",
      std::runtime_error);
  scenario.algorithms[0].label = "mine";
  CHECK_THROWS_WITH_AS(model_report(scenario, true),
                       "mine: more than 1000000 cycles of 1e-06 s in iteration 0; take a longer cycle_time",
                       std::runtime_error);
}

TEST_CASE("Model and simulation refuse more than a million Horovod cycles without a ready tensor") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, HorovodOptions{.cycle_time_s = 1e-3});
  for (const double backward_s : {2e3, 1e9}) {
    scenario.workload.backward_s.assign(scenario.workload.backward_s.size(), backward_s);
    for (const bool is_simulated : {false, true})
      CHECK_THROWS_WITH_AS(
          model_report(scenario, is_simulated),
          "horovod: more than 1000000 cycles of 0.001 s in iteration 0; take a longer cycle_time",
          std::runtime_error);
  }
}

TEST_CASE("A model report without simulations has no differences") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  const ModelReport report = model_report(scenario, false);
  CHECK(!report.algorithms[0].simulated);
  CHECK(!report.algorithms[0].difference());
  CHECK(model_table(report) ==
        "small: 4 workers, fair engine, 4 iterations after 1 to warm up\n\n"
        "algorithm     model  the model is\n"
        "allreduce  36.01 ms         exact\n");
  CHECK(!modeled_json(report.algorithms[0]).contains("simulation"));
}

TEST_CASE("The model uses the random draws of the simulation, and has its standard error of the mean") {
  Scenario scenario = small_scenario();
  scenario.iterations = 241;  // 240 counted iterations are whole periods of every algorithm
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  add_all_algorithms(scenario);
  for (const ModeledAlgorithm& algorithm : model_report(scenario, true).algorithms) {
    CAPTURE(algorithm.label);
    REQUIRE(algorithm.model);
    const SampleEstimate& model_s = algorithm.model->sampling.mean_s;
    const SampleEstimate& simulated_s = algorithm.simulated->mean_s;
    CHECK(simulated_s.standard_error > 0);
    CHECK(confidence_interval(simulated_s, 0.95).holds(model_s.value));
    if (algorithm.model->validity == ModelValidity::exact)
      CHECK(model_s.standard_error == about(simulated_s.standard_error, 1e-6));
  }
}

TEST_CASE("The report of runs that stop at a wanted precision says how many iterations they have") {
  Scenario scenario = small_scenario();
  scenario.iterations = 20;
  scenario.warmup_iterations = 2;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  scenario.precision = WantedPrecision{.standard_error = 0.01, .most_iterations = 2000};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 2});
  const ModelReport report = model_report(scenario, true);
  const std::vector<std::int64_t> iterations = report.iterations_of_each();
  const auto [least, most] = std::ranges::minmax(iterations);
  REQUIRE(least > 20);
  CHECK(model_table(report).find(fmt::format("{} iterations after 2 to warm up", most - 2)) !=
        std::string::npos);
  CHECK(model_table(report).find("only a simulation") == std::string::npos);

  const ExplainedGains gains = explain_gains(scenario, {}, iterations);
  CHECK(gains.baseline_s == about(report.algorithms[0].simulated->mean_s.value, rounding_of_sums));
  CHECK(gains.of_others[0].iteration_time_s ==
        about(report.algorithms[1].simulated->mean_s.value, rounding_of_sums));

  const std::string alone = model_table(model_report(scenario, false));
  CHECK(alone.starts_with("small: 4 workers, fair engine, 18 iterations after 2 to warm up\n"));
  CHECK(alone.find("only a simulation finds how many iterations") != std::string::npos);
}

TEST_CASE("A bucket size that is searched for is the simulation's, or the model's if nothing is simulated") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, DearOptions{.bucket_bytes = std::nullopt});
  const ModeledAlgorithm with = model_report(scenario, true).algorithms[0];
  const ModeledAlgorithm without = model_report(scenario, false).algorithms[0];
  CHECK(with.algorithm["bucket_bytes"].is_number());
  CHECK(with.algorithm["bucket_bytes"] == without.algorithm["bucket_bytes"]);
  CHECK(std::abs(*with.difference()) < 1e-9);
}

TEST_CASE("A model report says that an algorithm of another program has no model, and why") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, OtherOptions{});
  const ModelReport report = model_report(scenario, true);
  CHECK(!report.algorithms[0].model);
  CHECK(report.algorithms[0].simulated->mean_s.value == about(0.5));
  CHECK(model_table(report) ==
        "small: 4 workers, fair engine, 4 iterations after 1 to warm up\n\n"
        "algorithm  model  simulation  difference  the model is\n"
        "other          –    500.0 ms           –          none\n"
        "other: no recurrence of the model covers this algorithm, which another program has registered\n");
  const auto document = modeled_json(report.algorithms[0]);
  CHECK(document["model"]["validity"] == "none");
  CHECK(!document.contains("relative_difference"));
}

TEST_CASE("The difference is positive where the model is slower than the simulation") {
  const auto beside = [](double model_s, double simulated_s) {
    ModeledAlgorithm algorithm;
    algorithm.label = "any";
    algorithm.model.emplace();
    algorithm.model->sampling.mean_s.value = model_s;
    algorithm.simulated.emplace();
    algorithm.simulated->mean_s.value = simulated_s;
    return algorithm;
  };
  CHECK(beside(3, 2).difference().value() == 0.5);
  CHECK(beside(1, 4).difference().value() == -0.75);
  CHECK_FALSE(beside(1, 0).difference());
  ModelReport report;
  report.algorithms = {beside(3, 2), beside(1, 4), beside(1 + 1e-7, 1)};
  const std::string table = model_table(report);
  CHECK(table.find(" +50 % ") != std::string::npos);
  CHECK(table.find(" -75 % ") != std::string::npos);
  CHECK(table.find(" 0 % ") != std::string::npos);
  CHECK(modeled_json(report.algorithms[1]).at("relative_difference") == -0.75);
}

TEST_CASE("The parts of an iteration in JSON sum to the iteration time, also where workers wait") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {SlowWorkers{.workers = {1}, .factor = 1.5}};
  scenario.workload.optimizer_s_per_byte = 1e-10;
  add_algorithm(scenario, AllreduceOptions{});
  const ModeledAlgorithm found = model_report(scenario, false).algorithms[0];
  REQUIRE(found.model->breakdown_s.exposed_communication > 0);
  const nlohmann::ordered_json model = modeled_json(found).at("model");
  double sum_s = 0;
  for (const auto& part_s : model.at("breakdown_s")) sum_s += part_s.get<double>();
  CHECK(sum_s == about(model.at("iteration_time_s").get<double>(), rounding_of_sums));
}

TEST_CASE("A lower bound of iteration ends bounds the mean only without warm-up, and the reasons say so") {
  Scenario scenario = small_scenario();
  scenario.message_costs.wake_up_s = 1e-5;
  add_algorithm(scenario, AllreduceOptions{});
  const auto reasons = [&](std::int64_t warmup_iterations) {
    scenario.warmup_iterations = warmup_iterations;
    return model_report(scenario, false).algorithms[0].model->reasons;
  };
  CHECK(reasons(0) ==
        std::vector<std::string>{"the time until workers notice arrived messages (wake_up) is left out"});
  REQUIRE(reasons(1).size() == 2);
  CHECK(reasons(1)[1].starts_with("a mean after a warm-up is no lower bound"));
}

TEST_CASE("A reason that several models share is given once") {
  Scenario scenario = small_scenario();
  scenario.warmup_iterations = 0;
  scenario.message_costs.wake_up_s = 1e-5;
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DdpOptions{});
  const std::string table = model_table(model_report(scenario, false));
  CHECK(table.ends_with(
      "lower bound\nallreduce, ddp: the time until workers notice arrived messages (wake_up) is left out\n"));
}

// Absolute rounding, in seconds, of sums of thousands of points in time.
constexpr double rounding_s = 1e-9;

double sum_of(const GainParts& parts) { return parts.overlap_s + parts.cheaper_s + parts.insensitivity_s; }

TEST_CASE("The model table explains ± only where it shows an error") {
  const auto is_said = [](double error_s) {
    const Sampling sampling{.mean_s = {.value = 0.1, .standard_error = error_s, .degrees_of_freedom = 9}};
    ModelReport report{
        .name = "one", .workers = 4, .engine = "fair", .warmup_iterations = 0, .algorithms = {}};
    report.algorithms.push_back(
        {.label = "ddp", .algorithm = {}, .model = ModeledTime{.sampling = sampling, .breakdown_s = {}}});
    const std::string table = model_table(report);
    CHECK(table.find("both columns") == std::string::npos);  // there is one
    return table.find("±: standard error") != std::string::npos;
  };
  CHECK(is_said(1e-3));
  CHECK_FALSE(is_said(1e-8));
}

TEST_CASE("Explaining gains reports its progress") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DdpOptions{});
  ProgressLine progress(stderr, ProgressStyle::none);
  explain_gains(scenario, {.progress = &progress});
  // At least two simulations of all-reduce and eight of DDP, one for each set of the three causes.
  CHECK(progress.done() >= 10 * scenario.iterations * scenario.cluster.workers);
}

/// The parts of the gain of an algorithm over all-reduce, in seconds. Checks that they sum to the gain.
GainParts parts_over_allreduce(Scenario scenario, TrainingOptions options) {
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, std::move(options), "other");
  const ExplainedGains gains = explain_gains(scenario);
  REQUIRE(gains.of_others.size() == 1);
  const ExplainedGain& gain = gains.of_others.front();
  CAPTURE(gain.reason);
  REQUIRE(gain.parts);
  CHECK(std::abs(gain.parts->gain_s - (gains.baseline_s - gain.iteration_time_s)) < rounding_s);
  CHECK(std::abs(sum_of(*gain.parts) - gain.parts->gain_s) < rounding_s);
  return *gain.parts;
}

Scenario scenario_with(double bandwidth_Bps, double latency_s) {
  Scenario scenario = small_scenario();
  scenario.cluster.network.kind =
      StarOptions{.link = {.bandwidth_Bps = bandwidth_Bps, .latency_s = latency_s}};
  return scenario;
}

TEST_CASE("Each part of a gain is the Shapley value of its cause: the mean over all orders of what it adds") {
  // Gains of the sets of causes, by bits: alone 1, 2 and 4; the first two gain 2 more together, half for
  // each.
  const GainParts parts = shapley_parts({0, 1, 2, 5, 4, 5, 6, 9});
  CHECK(parts.overlap_s == about(2));
  CHECK(parts.cheaper_s == about(3));
  CHECK(parts.insensitivity_s == about(4));
  CHECK(parts.gain_s == 9);
  // A gain of only all three together is shared evenly.
  CHECK(shapley_parts({0, 0, 0, 0, 0, 0, 0, 3}).overlap_s == about(1));
}

TEST_CASE("WFBP without start-up costs gains by overlap alone") {
  // Latencies take no time, so that the all-reduces of layers cost as much as a single one.
  const GainParts parts = parts_over_allreduce(scenario_with(1e9, 1e-15), WfbpOptions{});
  CHECK(parts.overlap_s > 0.001);
  CHECK(std::abs(parts.cheaper_s) < rounding_s);
  CHECK(std::abs(parts.insensitivity_s) < rounding_s);
}

TEST_CASE("An all-reduce with fewer latencies gains by cheaper communication alone") {
  const GainParts parts =
      parts_over_allreduce(scenario_with(1e9, 1e-3), AllreduceOptions{.collective = "recursive_doubling"});
  CHECK(parts.cheaper_s > 0.001);
  CHECK(std::abs(parts.overlap_s) < rounding_s);
  CHECK(std::abs(parts.insensitivity_s) < rounding_s);
}

TEST_CASE("SGP on a free network gains by less waiting for slow workers alone") {
  Scenario scenario = scenario_with(1e18, 1e-15);
  scenario.iterations = 30;
  scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.02}};
  const GainParts parts = parts_over_allreduce(scenario, SgpOptions{});
  CHECK(parts.insensitivity_s > 0.001);
  CHECK(std::abs(parts.overlap_s) < rounding_s);
  CHECK(std::abs(parts.cheaper_s) < rounding_s);
}

TEST_CASE("Standard errors of parts of gains agree with their spread over seeds") {
  constexpr int seeds = 16;
  Scenario scenario = small_scenario();
  scenario.iterations = 102;
  scenario.warmup_iterations = 2;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, LocalSgdOptions{.sync_period = 4});
  std::vector<double> parts_s;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    scenario.seed = seed;
    const ExplainedGains gains = explain_gains(scenario);
    const ExplainedGain& gain = gains.of_others.front();
    REQUIRE(gain.errors);
    parts_s.push_back(gain.parts->insensitivity_s);
    squares += std::pow(gain.errors->insensitivity_s, 2) / seeds;
    CHECK(gain_json(gain, gains).at("standard_errors_s").at("gain") == gain.errors->gain_s);
  }
  // The deviation over 16 seeds is √(χ²/15) times the true one: within a factor of two except for one case in
  // ten thousand.
  const double deviation = estimate_mean(parts_s).standard_error * std::sqrt(seeds);
  CHECK(std::sqrt(squares) > deviation / 2);
  CHECK(std::sqrt(squares) < deviation * 2);
  scenario.iterations = 101;  // 99 counted iterations are not whole periods of 4
  const ExplainedGain partial = explain_gains(scenario).of_others.front();
  CHECK(partial.parts);
  CHECK_FALSE(partial.errors);
}

TEST_CASE("The parts of every gain sum to the gain, or there is a reason why it has none") {
  Scenario scenario = small_scenario();
  scenario.iterations = 12;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  add_all_algorithms(scenario);
  add_algorithm(scenario, SgpOptions{.overlap = 2}, "rare sgp");
  const ExplainedGains gains = explain_gains(scenario);
  CHECK(gains.baseline == "allreduce");
  CHECK(gains.of_others.size() == scenario.algorithms.size() - 1);
  int divided = 0;
  for (const ExplainedGain& gain : gains.of_others) {
    CAPTURE(gain.label);
    CHECK(gain.parts.has_value() == gain.reason.empty());
    CHECK(gain_json(gain, gains).at("gain_s") == gains.baseline_s - gain.iteration_time_s);
    if (!gain.parts) continue;
    ++divided;
    CHECK(std::abs(sum_of(*gain.parts) - (gains.baseline_s - gain.iteration_time_s)) < rounding_s);
  }
  CHECK(divided >= 10);
  const std::string table = gains_table(gains);
  CHECK(table.find("adpsgd: its computing waits for no message") != std::string::npos);
  CHECK(table.find("rare sgp: with overlap above 1") != std::string::npos);
}

/// One host's link is slower than the others', so that waiting for it grows with the cost of messages, but
/// not in proportion.
Scenario scenario_of_uneven_links() {
  Scenario scenario = small_scenario();
  scenario.iterations = 14;
  scenario.warmup_iterations = 2;
  std::vector<LinkOptions> links(4, {.bandwidth_Bps = 1e8, .latency_s = 1e-6});
  links[1].bandwidth_Bps = 3e7;
  scenario.cluster.network.kind = StarOptions{.host_links = links};
  return scenario;
}

TEST_CASE("On uneven links all gains are divided but those of AD-PSGD and Horovod") {
  Scenario scenario = scenario_of_uneven_links();
  add_all_algorithms(scenario);
  for (const ExplainedGain& gain : explain_gains(scenario).of_others) {
    CAPTURE(gain.label);
    CAPTURE(gain.reason);
    if (gain.label == "adpsgd" || gain.label == "horovod") continue;
    REQUIRE(gain.parts);
    CHECK(std::abs(gain.parts->insensitivity_s) < rounding_s);  // as no worker is slow
    CHECK(std::abs(sum_of(*gain.parts) - gain.parts->gain_s) < rounding_s);
  }
}

TEST_CASE("A run without randomness has no sampling error, however much its iterations differ") {
  Scenario scenario = scenario_of_uneven_links();
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, DdpOptions{});
  const auto has_error = [](const Sampling& sampling) { return sampling.mean_s.has_error(); };
  for (const ModeledAlgorithm& algorithm : model_report(scenario, true).algorithms) {
    CHECK_FALSE(has_error(algorithm.model->sampling));
    CHECK_FALSE(has_error(*algorithm.simulated));
  }
  CHECK_FALSE(explain_gains(scenario).of_others.front().errors);
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.1}};
  CHECK(has_error(*model_report(scenario, true).algorithms.front().simulated));
  CHECK(explain_gains(scenario).of_others.front().errors);
}

TEST_CASE("Gains are the same whether runs are evaluated or simulated by messages") {
  Scenario scenario = small_scenario();
  scenario.iterations = 12;
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  add_algorithm(scenario, AllreduceOptions{});
  add_algorithm(scenario, WagmaOptions{});
  add_algorithm(scenario, SgpOptions{});
  add_algorithm(scenario, EagerOptions{.kind = EagerOptions::majority});
  const ExplainedGains evaluated = explain_gains(scenario);
  scenario.collectives = CollectiveExecution::messages;
  const ExplainedGains sent = explain_gains(scenario);
  CHECK(evaluated.baseline_s == about(sent.baseline_s, rounding_of_sums));
  for (std::size_t i = 0; i < sent.of_others.size(); ++i) {
    CAPTURE(sent.of_others[i].label);
    CHECK(evaluated.of_others[i].iteration_time_s ==
          about(sent.of_others[i].iteration_time_s, rounding_of_sums));
    REQUIRE(evaluated.of_others[i].parts.has_value() == sent.of_others[i].parts.has_value());
    if (!sent.of_others[i].parts) continue;
    const GainParts& of_evaluated = *evaluated.of_others[i].parts;
    const GainParts& of_sent = *sent.of_others[i].parts;
    CHECK(std::abs(of_evaluated.overlap_s - of_sent.overlap_s) < rounding_s);
    CHECK(std::abs(of_evaluated.cheaper_s - of_sent.cheaper_s) < rounding_s);
    CHECK(std::abs(of_evaluated.insensitivity_s - of_sent.insensitivity_s) < rounding_s);
  }
}

TEST_CASE("Averaging all models in every iteration gains nothing over all-reduce") {
  Scenario scenario = small_scenario();
  scenario.imbalance = {RandomFactor<Law::gamma>{.coefficient_of_variation = 0.3}};
  const GainParts parts = parts_over_allreduce(scenario, LocalSgdOptions{.sync_period = 1});
  for (const double part_s : {parts.overlap_s, parts.cheaper_s, parts.insensitivity_s})
    CHECK(std::abs(part_s) < rounding_s);
}

TEST_CASE("Gains need an all-reduce as their baseline") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, DdpOptions{});
  CHECK_THROWS_AS(explain_gains(scenario), ScenarioError);
}

}  // namespace
}  // namespace starling

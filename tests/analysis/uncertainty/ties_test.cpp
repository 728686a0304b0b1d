#include "analysis/uncertainty/ties.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/jobs/several_jobs.hpp"
#include "analysis/model/exact_runs.hpp"
#include "analysis/running/runner.hpp"
#include "analysis/running/scenario_job.hpp"
#include "analysis/uncertainty/uncertainty.hpp"
#include "io/texts/text_table.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/analysis/uncertainty/with_changes.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr const char* base_of_ties = R"({
  "iterations": 4, "warmup_iterations": 1,
  "cluster": {"workers": 2, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"}},
  "algorithms": [{"kind": "allreduce", "collective": "recursive_doubling"}]})";

Scenario scenario_with(const nlohmann::json& changes) {
  return with_changes(base_of_ties, changes, "ties.json");
}

/// Equal workers on a torus without switches, where messages reach links at the same time: ties.
Scenario scenario_of_ties(const nlohmann::json& placement) {
  return scenario_with({{"engine", "event"},
                        {"iterations", 12},
                        {"warmup_iterations", 2},
                        {"cluster",
                         {{"workers", 8},
                          {"placement", placement},
                          {"network",
                           {{"kind", "torus"},
                            {"dimensions", {4, 2}},
                            {"link", {{"bandwidth", "1Gbps"}, {"latency", "10us"}}}}}}},
                        {"algorithms", {{{"kind", "wagma"}}, {{"kind", "dpsgd"}}}}});
}

TEST_CASE("a result that depends on the order of ties says so") {
  const Scenario scenario = scenario_of_ties("block");
  const Result result = with_uncertainty(scenario, {.draws = 1, .jitters = 5});
  const std::optional<Interval>& of_wagma = result.runs[0].uncertainty->decided_by_ties_s;
  REQUIRE(of_wagma);
  CHECK(of_wagma->greatest - of_wagma->least > 0.01 * result.runs[0].iteration_time_s.mean);
  CHECK(of_wagma->holds(result.runs[0].iteration_time_s.mean));
  CHECK_FALSE(result.runs[1].uncertainty->decided_by_ties_s);
  CHECK(uncertainty_table(scenario, {}, result).find(" no\n") != std::string::npos);
}

TEST_CASE("jitter changes the compute time of each worker in each iteration by up to a thousandth") {
  Scenario scenario = scenario_with(nlohmann::json::object());
  scenario.imbalance = {SlowWorkers{.workers = {1}, .factor = 1.5}};
  const Scenario once = jittered(scenario, Result{}, 1);
  const Scenario again = jittered(scenario, Result{}, 2);
  const ScenarioJob given(scenario);
  const ScenarioJob first(once);
  const ScenarioJob second(again);
  std::set<double> factors;
  double least = 2;
  double greatest = 0;
  for (Rank rank = 0; rank < 2; ++rank)
    for (std::int64_t iteration = 0; iteration < 100; ++iteration)
      for (const ScenarioJob* job : {&first, &second}) {
        const Load load = job->run(0).load(rank, iteration);
        const double factor = load.factor / given.run(0).load(rank, iteration).factor;
        CHECK(std::abs(factor - 1) <= 1e-3 + rounding);
        CHECK(load.delay_s == 0);
        factors.insert(load.factor);
        least = std::min(least, factor);
        greatest = std::max(greatest, factor);
      }
  CHECK(factors.size() == 400);  // all 400 are different
  // The probability that none of 400 uniform draws is in the last tenth of one side is 0.9⁴⁰⁰ = 10⁻¹⁸.
  CHECK(least < 1 - 0.8e-3);
  CHECK(greatest > 1 + 0.8e-3);
}

TEST_CASE("a difference within the sampling error is not decided by ties") {
  const auto mean = [](double value, double error) {
    return SampleEstimate{.value = value, .standard_error = error, .degrees_of_freedom = 9};
  };
  CHECK_FALSE(range_by_ties(mean(1, 0.01), {mean(1.02, 0.01), mean(0.98, 0.007)}));
  CHECK_FALSE(range_by_ties(mean(1, 0.01), {mean(1.009, 0)}));
  const auto range = range_by_ties(mean(1, 0.01), {mean(1.02, 0.006), mean(0.96, 0.02), mean(0.97, 0.009)});
  REQUIRE(range);
  CHECK(range->least == 0.97);
  CHECK(range->greatest == 1.02);
}

TEST_CASE("a jittered run that is evaluated equals that of its messages") {
  const Scenario scenario = scenario_with({{"iterations", 6},
                                           {"cluster", {{"workers", 8}, {"transport", "nccl_tcp"}}},
                                           {"algorithms",
                                            {{{"kind", "horovod"}},
                                             {{"kind", "bytescheduler"}},
                                             {{"kind", "eager_solo"}},
                                             {{"kind", "wagma"}},
                                             {{"kind", "sgp"}},
                                             {{"kind", "dpsgd"}, {"graph", "one_peer_exponential"}},
                                             {{"kind", "decentralized_adam"}}}}});
  const Scenario other = jittered(scenario, simulate(scenario), 3);
  const Result evaluated = simulate_evaluated(other);
  const Result by_messages = simulate(other);
  int evaluated_whole = 0;
  for (std::size_t i = 0; i < evaluated.runs.size(); ++i) {
    CAPTURE(evaluated.runs[i].label);
    CHECK(evaluated.runs[i].iteration_time_s.mean ==
          about(by_messages.runs[i].iteration_time_s.mean, rounding_of_sums));
    const Traffic& traffic = evaluated.runs[i].traffic;
    if (traffic.messages > 0 && traffic.evaluated_messages == traffic.messages) ++evaluated_whole;
  }
  CHECK(evaluated_whole >= 3);
}

TEST_CASE("ties are searched with the optimized placement of the result") {
  const UncertaintyOptions options{.draws = 1, .jitters = 5};
  const Result optimized = with_uncertainty(scenario_of_ties("optimized"), options);
  REQUIRE(optimized.placement);
  const Result listed = with_uncertainty(scenario_of_ties(optimized.placement->hosts), options);
  const std::optional<Interval>& of_optimized = optimized.runs[0].uncertainty->decided_by_ties_s;
  const std::optional<Interval>& of_listed = listed.runs[0].uncertainty->decided_by_ties_s;
  REQUIRE(of_optimized);
  REQUIRE(of_listed);
  CHECK(of_optimized->least == of_listed->least);
  CHECK(of_optimized->greatest == of_listed->greatest);
}

Scenario scenario_over(const char* transport, nlohmann::json changes = nlohmann::json::object()) {
  changes["cluster"]["transport"] = transport;
  return scenario_with(changes);
}

TEST_CASE("two workers that exchange by rendezvous over one stream are twice as fast in lockstep only") {
  const Scenario scenario = scenario_over("mpi_tcp");
  const Result result = simulate(scenario);
  const double in_lockstep_s = result.runs[0].breakdown_s.exposed_communication;
  const double apart_s = simulate(jittered(scenario, result, 1)).runs[0].breakdown_s.exposed_communication;
  // Jitter of compute times and latencies, and the time of a request, are far below a percent of 80 ms.
  CHECK(apart_s / in_lockstep_s > 1.99);
  CHECK(apart_s / in_lockstep_s < 2.01);

  const std::vector<std::string> warnings = tie_warnings(scenario, result);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("ties.json: /workload/imbalance: allreduce takes ") == 0);
  const std::string mean = time_text(result.runs[0].iteration_time_s.mean);
  CHECK(warnings[0].find(mean + ", which depends on the order of simultaneous events: " + mean + " – ") !=
        std::string::npos);
  const std::optional<Interval> range =
      with_uncertainty(scenario, {.draws = 1, .jitters = 2}).runs[0].uncertainty->decided_by_ties_s;
  REQUIRE(range);
  CHECK(range->least == about(result.runs[0].iteration_time_s.mean));
}

TEST_CASE("a single job with all workers gets the tie warnings of a scenario of its own") {
  auto document = nlohmann::json::parse(base_of_ties);
  document["cluster"]["transport"] = "mpi_tcp";
  document["jobs"] = {{{"name", "only"},
                       {"workers", 2},
                       {"workload", document.at("workload")},
                       {"algorithm", document.at("algorithms").at(0)}}};
  document.erase("workload");
  document.erase("algorithms");
  const auto warnings_of = [](const nlohmann::json& jobs) {
    const Scenario scenario = read_scenario_document(jobs, "ties.json");
    return tie_warnings(scenario, simulate_jobs(scenario));
  };
  const std::vector<std::string> warnings = warnings_of(document);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with("ties.json: /jobs/0/workload/imbalance: only takes "));
  const Scenario alone = scenario_over("mpi_tcp");
  const std::string of_alone = tie_warnings(alone, simulate(alone)).at(0);
  CHECK(warnings[0].substr(warnings[0].find(" takes ")) == of_alone.substr(of_alone.find(" takes ")));
  document["cluster"]["workers"] = 3;
  CHECK(warnings_of(document).empty());
}

TEST_CASE("ties are searched under the engine tcp, too, where requests always wait behind data") {
  const auto warnings_over = [](const char* transport, nlohmann::json changes) {
    changes["engine"] = "tcp";
    const Scenario scenario = scenario_over(transport, changes);
    return tie_warnings(scenario, simulate(scenario));
  };
  const std::vector<std::string> of_pair = warnings_over("mpi_tcp", nlohmann::json::object());
  REQUIRE(of_pair.size() == 1);
  CHECK(of_pair[0].starts_with("ties.json: /workload/imbalance: allreduce takes "));
  CHECK(of_pair[0].find("Over mpi_tcp requests of a rendezvous wait behind data") != std::string::npos);
  CHECK(warnings_over("nccl_tcp", nlohmann::json::object()).empty());
  CHECK(warnings_over("mpi_tcp", {{"cluster", {{"wake_up", "20us"}}}}).empty());
}

std::vector<std::string> unchecked_with(const nlohmann::json& changes) {
  const Scenario scenario = scenario_over("mpi_tcp", changes);
  const Result result = simulate(scenario);
  CHECK(tie_warnings(scenario, result).empty());
  return unchecked_tie_warnings(scenario, result);
}

TEST_CASE("one warning names the algorithms on more than 256 workers that were not checked for ties") {
  const nlohmann::json many = {{"iterations", 2},
                               {"cluster", {{"workers", 257}}},
                               {"algorithms",
                                {{{"kind", "allreduce"}, {"collective", "recursive_doubling"}},
                                 {{"kind", "dpsgd"}},
                                 {{"kind", "allreduce"}, {"collective", "ring"}, {"label", "ring"}}}}};
  const std::vector<std::string> warnings = unchecked_with(many);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with(
      "ties.json: /workload/imbalance: allreduce, dpsgd not checked for ties: up to 256 workers are checked, "
      "there are 257. Over mpi_tcp "));
  const auto warnings_of = [&](const nlohmann::json& changes) {
    nlohmann::json changed = many;
    changed["algorithms"] = nlohmann::json::array({many.at("algorithms").at(0)});
    changed.merge_patch(changes);
    return unchecked_with(changed).size();
  };
  CHECK(warnings_of(nlohmann::json::object()) == 1);
  CHECK(warnings_of({{"engine", "event"}}) == 0);
  CHECK(warnings_of({{"cluster", {{"wake_up", "20us"}}}}) == 0);
  const nlohmann::json gamma = {{"kind", "gamma"}, {"coefficient_of_variation", 0.01}};
  CHECK(warnings_of({{"workload", {{"imbalance", gamma}}}}) == 0);
  CHECK(warnings_of({{"cluster", {{"eager_threshold", "1GB"}}}}) == 0);
  const Scenario ideal = scenario_with({{"iterations", 2}, {"cluster", {{"workers", 257}}}});
  CHECK(unchecked_tie_warnings(ideal, simulate(ideal)).empty());
}

TEST_CASE("several jobs, or one without all workers, are not checked for ties and say so") {
  auto document = nlohmann::json::parse(base_of_ties);
  document["cluster"]["transport"] = "mpi_tcp";
  nlohmann::json job = {{"name", "first"},
                        {"workers", 2},
                        {"iterations", 4},
                        {"warmup_iterations", 1},
                        {"workload", document.at("workload")},
                        {"algorithm", document.at("algorithms").at(0)}};
  for (const char* key : {"workload", "algorithms", "iterations", "warmup_iterations"}) document.erase(key);
  document["jobs"] = nlohmann::json::array({job});
  const auto warnings_of = [](const nlohmann::json& jobs) {
    const Scenario scenario = read_scenario_document(jobs, "ties.json");
    return unchecked_tie_warnings(scenario, simulate_jobs(scenario));
  };
  CHECK(warnings_of(document).empty());
  document["cluster"]["workers"] = 4;
  const std::vector<std::string> of_one = warnings_of(document);
  REQUIRE(of_one.size() == 1);
  CHECK(of_one[0].starts_with(
      "ties.json: /jobs: first not checked for ties: a job is checked only if it has all workers in order"));
  job["name"] = "second";
  document["jobs"].push_back(job);
  const std::vector<std::string> of_two = warnings_of(document);
  REQUIRE(of_two.size() == 1);
  CHECK(of_two[0].starts_with("ties.json: /jobs: first, second not checked for ties: only a single job is "));
  document["jobs"][0]["workload"]["imbalance"] = {{"kind", "gamma"}, {"coefficient_of_variation", 0.01}};
  CHECK(warnings_of(document).at(0).starts_with("ties.json: /jobs: second not checked for ties: "));
  document["cluster"]["transport"] = "nccl_tcp";
  CHECK(warnings_of(document).empty());
}

TEST_CASE("the warning has the range also where ties make the result slower") {
  const Scenario scenario =
      scenario_over("mpi_tcp", {{"iterations", 20},
                                {"warmup_iterations", 4},
                                {"cluster",
                                 {{"workers", 4},
                                  {"workers_per_host", 2},
                                  {"network", {{"link", {{"bandwidth", "25Gbps"}, {"latency", "40us"}}}}},
                                  {"intra_host_link", {{"bandwidth", "16GBps"}, {"latency", "1us"}}},
                                  {"reduction_rate", "2GBps"},
                                  {"message_overhead", "1us"}}},
                                {"workload", {{"compute", {{"forward", "50ms"}, {"backward", "100ms"}}}}},
                                {"algorithms", {{{"kind", "wagma"}}}}});
  const Result result = simulate(scenario);
  const std::vector<std::string> warnings = tie_warnings(scenario, result);
  REQUIRE(warnings.size() == 1);
  const std::string mean = time_text(result.runs[0].iteration_time_s.mean);
  CHECK(warnings[0].find(": wagma takes " + mean + ", which depends on the order of simultaneous events: ") !=
        std::string::npos);
  CHECK(warnings[0].find(" – " + mean + " if ") != std::string::npos);
}

TEST_CASE("messages of different rounds share a link unless all begin together, but those of rings do not") {
  const Scenario scenario = scenario_over(
      "nccl_ib",
      {{"iterations", 8},
       {"warmup_iterations", 2},
       {"cluster", {{"workers", 32}, {"network", {{"link", {{"bandwidth", "25Gbps"}, {"latency", "1us"}}}}}}},
       {"algorithms",
        {{{"kind", "ddp"}, {"collective", "halving_doubling"}, {"label", "halving"}},
         {{"kind", "ddp"}, {"collective", "ring"}, {"label", "ring"}}}}});
  const std::vector<std::string> warnings = tie_warnings(scenario, simulate(scenario));
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].starts_with("ties.json: /workload/imbalance: halving takes "));
  CHECK(warnings[0].find(
            "Over nccl_ib a message shares its sender's link with the sender's previous message") !=
        std::string::npos);
}

TEST_CASE("ties are searched over whole periods of a pattern") {
  const Scenario scenario = scenario_with(
      {{"iterations", 402},
       {"warmup_iterations", 2},
       {"cluster", {{"workers", 8}}},
       {"algorithms", {{{"kind", "local_sgd"}, {"period", 40}, {"collective", "halving_doubling"}}}}});
  CHECK(tie_warnings(scenario, simulate(scenario)).empty());
}

TEST_CASE("there is no tie warning where ties do not matter or do not occur") {
  const auto warnings_of = [](const Scenario& scenario) {
    return tie_warnings(scenario, simulate(scenario)).size();
  };
  CHECK(warnings_of(scenario_over("nccl_tcp")) == 0);
  CHECK(warnings_of(scenario_over("mpi_tcp", {{"cluster", {{"wake_up", "20us"}}}})) == 0);
  CHECK(warnings_of(scenario_over(
            "mpi_tcp",
            {{"workload", {{"imbalance", {{"kind", "gamma"}, {"coefficient_of_variation", 0.01}}}}}})) == 0);
  const nlohmann::json ring = {{{"kind", "allreduce"}, {"collective", "ring"}}};
  CHECK(warnings_of(scenario_over("mpi_tcp", {{"cluster", {{"workers", 4}}}, {"algorithms", ring}})) == 0);
  CHECK(warnings_of(scenario_over("mpi_tcp", {{"cluster", {{"eager_threshold", "1GB"}}}})) == 0);
}

}  // namespace
}  // namespace starling

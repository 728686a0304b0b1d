#include "analysis/jobs/several_jobs.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/training/registry.hpp"
#include "analysis/demand/demand.hpp"
#include "analysis/demand/shortage.hpp"
#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/jobs/job_run.hpp"
#include "analysis/jobs/jobs_table.hpp"
#include "analysis/results/files/result_json.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr double jobs_Bps = 1e9;
constexpr double jobs_latency_s = 1e-6;
constexpr double jobs_compute_s = 0.03;

json workload() {
  return {{"model", "resnet50"},
          {"batch_size", 8},
          {"compute", {{"forward", jobs_compute_s / 3}, {"backward", jobs_compute_s * 2 / 3}}}};
}

json job(const std::string& name, const std::vector<int>& ranks, const json& algorithm) {
  return {{"name", name}, {"ranks", ranks}, {"workload", workload()}, {"algorithm", algorithm}};
}

const json an_allreduce = {{"kind", "allreduce"}};

json document(const json& network, int workers, const json& jobs) {
  return {{"iterations", 6},
          {"warmup_iterations", 1},
          {"cluster", {{"workers", workers}, {"transport", "ideal"}, {"network", network}}},
          {"jobs", jobs}};
}

json star() { return {{"kind", "star"}, {"link", {{"bandwidth", jobs_Bps}, {"latency", jobs_latency_s}}}}; }

/// Two switches joined by one cable, with the even workers on the first and the odd ones on the second.
json two_switches(int workers) {
  const json link = {{"bandwidth", jobs_Bps}, {"latency", jobs_latency_s}};
  json cables = json::array({{{"from", workers}, {"to", workers + 1}, {"link", link}}});
  for (int worker = 0; worker < workers; ++worker)
    cables.push_back({{"from", worker}, {"to", workers + worker % 2}, {"link", link}});
  return {{"kind", "graph"}, {"switches", 2}, {"cables", cables}};
}

Result result_of_jobs(const json& document, const RunObservers& observers = {}) {
  return simulate_and_explain(read_scenario_document(document, "jobs.json"), observers);
}

/// Bytes of the gradients of the first job, in fp32.
double model_bytes(const json& document) {
  double elements = 0;
  const Scenario scenario = read_scenario_document(document, "jobs.json");
  for (const Tensor& tensor : scenario.jobs.front().scenario.workload.model.tensors)
    elements += static_cast<double>(tensor.elements);
  return 4 * elements;
}

/// The JSON of a run without the keys that depend on other jobs or algorithms.
json comparable(const json& run) {
  json same = run;
  for (const char* key :
       {"name", "label", "ranks", "slowed_by", "compute", "learning", "speedup", "speedup_interval_95"})
    same.erase(key);
  return same;
}

json job_of(const Result& result, std::size_t number) {
  json block = result_json(result).at("jobs").at(number);
  for (const char* key : {"seed", "start_s", "slowdown", "alone"}) block.erase(key);
  return comparable(block);
}

const std::vector<json>& various_algorithms() {
  static const std::vector<json> algorithms = {{{"kind", "ddp"}},
                                               {{"kind", "horovod"}},
                                               {{"kind", "dear"}, {"bucket_bytes", "auto"}},
                                               {{"kind", "dpsgd"}},
                                               {{"kind", "sgp"}},
                                               {{"kind", "adpsgd"}},
                                               {{"kind", "wagma"}},
                                               {{"kind", "eager_majority"}},
                                               {{"kind", "ddp"}, {"collective", "hierarchical"}}};
  static const std::vector<json> fewer(algorithms.begin(), algorithms.begin() + 4);
  return has_address_sanitizer ? fewer : algorithms;
}

const std::vector<std::string> engines = {"event", "simgrid", "tcp", "fair"};

TEST_CASE("Jobs that share no link have bit by bit the same results together as alone") {
  for (const std::string& engine : engines) {
    for (const json& algorithm : various_algorithms()) {
      CAPTURE(engine);
      CAPTURE(algorithm.dump());
      json jobs = {job("one", {0, 1, 2, 3}, algorithm), job("other", {7, 6, 5, 4}, {{"kind", "ddp"}})};
      jobs[1]["start"] = "7ms";
      jobs[1]["seed"] = 5;
      for (json& each : jobs)
        each["workload"]["imbalance"] = {{"kind", "gamma"}, {"coefficient_of_variation", 0.1}};
      json together = document(star(), 8, jobs);
      together["engine"] = engine;
      together["cluster"]["transport"] = "nccl_tcp";
      const Result both = result_of_jobs(together);

      for (std::size_t i = 0; i < 2; ++i) {
        CHECK(*both.jobs[i].slowdown == 1);
        json single = together;
        single["jobs"] = json::array({jobs[i]});
        single["jobs"][0]["seed"] = i == 0 ? 1 : 5;
        CHECK(job_of(result_of_jobs(single), 0) == job_of(both, i));
      }
    }
  }
}

TEST_CASE("A single job has the results of a scenario without jobs") {
  for (const std::string& engine : engines) {
    for (const json& algorithm : various_algorithms()) {
      CAPTURE(engine);
      CAPTURE(algorithm.dump());
      json jobs = document(star(), 4, json::array({job("one", {0, 1, 2, 3}, algorithm)}));
      jobs["engine"] = engine;
      jobs["jobs"][0]["workload"]["imbalance"] = {{"kind", "gamma"}, {"coefficient_of_variation", 0.1}};
      json scenario = jobs;
      scenario.erase("jobs");
      scenario["collectives"] = "messages";
      scenario["workload"] = jobs["jobs"][0]["workload"];
      scenario["algorithms"] = json::array({algorithm});
      CHECK(job_of(result_of_jobs(jobs), 0) ==
            comparable(result_json(result_of_jobs(scenario)).at("runs").at(0)));
    }
  }
}

TEST_CASE("Two all-reduces over one cable get half of its bandwidth each") {
  const json scenario =
      document(two_switches(4), 4, {job("one", {0, 1}, an_allreduce), job("other", {2, 3}, an_allreduce)});
  const Result result = result_of_jobs(scenario);
  // A ring of two workers takes two steps of half a model, each of three latencies along host, cable and
  // host.
  const double alone_s = jobs_compute_s + 2 * 3 * jobs_latency_s + model_bytes(scenario) / jobs_Bps;
  const double shared_s = jobs_compute_s + 2 * 3 * jobs_latency_s + 2 * model_bytes(scenario) / jobs_Bps;
  for (std::size_t i = 0; i < 2; ++i) {
    const JobResult& each = result.jobs[i];
    CHECK(each.alone_iteration_time_s.mean == about(alone_s));
    CHECK(each.run.iteration_time_s.mean == about(shared_s));
    CHECK(*each.slowdown == about(shared_s / alone_s));
    CHECK(each.run.traffic.evaluated_messages == 0);
    REQUIRE(each.slowed_by.size() == 1);
    CHECK(each.slowed_by[0].job == result.jobs[1 - i].run.label);
    CHECK(*each.slowed_by[0].slowdown == *each.slowdown);
  }
}

TEST_CASE("Of three jobs only those that share links slow each other down") {
  json scenario = document(two_switches(8), 8,
                           {job("one", {0, 1}, an_allreduce), job("apart", {2, 4}, an_allreduce),
                            job("other", {6, 7}, an_allreduce)});
  const Result result = result_of_jobs(scenario);
  const auto slowed_by = [&](std::size_t number) {
    std::vector<std::string> texts;
    for (const JobResult::Without& without : result.jobs[number].slowed_by)
      texts.push_back(fmt::format("{} {}", without.job, *without.slowdown > 1));
    return texts;
  };
  CHECK(slowed_by(0) == std::vector<std::string>{"apart false", "other true"});
  CHECK(slowed_by(1) == std::vector<std::string>{"one false", "other false"});
  CHECK(slowed_by(2) == std::vector<std::string>{"one true", "apart false"});
  CHECK(*result.jobs[1].slowdown == 1);
  CHECK(*result.jobs[0].slowed_by[1].slowdown == *result.jobs[0].slowdown);

  scenario["jobs"][2]["ranks"] = {3, 5};
  for (const JobResult& each : result_of_jobs(scenario).jobs) CHECK(*each.slowdown == 1);
}

TEST_CASE("A job that begins when the other has ended is not slowed down") {
  json jobs = {job("one", {0, 1}, an_allreduce), job("late", {2, 3}, an_allreduce)};
  jobs[1]["start"] = "10s";
  const Result result = result_of_jobs(document(two_switches(4), 4, jobs));
  for (const JobResult& each : result.jobs) CHECK(*each.slowdown == 1);
  CHECK(result.jobs[1].start_s == 10);
  CHECK(result.jobs[1].run.makespan_s == about(result.jobs[0].run.makespan_s, rounding_of_sums));
}

TEST_CASE("A job that repeats slows the other down to its end") {
  json jobs = {job("short", {0, 1}, an_allreduce), job("long", {2, 3}, an_allreduce)};
  jobs[1]["iterations"] = 60;
  const Result once = result_of_jobs(document(two_switches(4), 4, jobs));
  jobs[0]["repeat"] = true;
  const Result repeated = result_of_jobs(document(two_switches(4), 4, jobs));
  CHECK(*once.jobs[1].slowdown > 1);
  CHECK(*once.jobs[1].slowdown < 1.2);
  CHECK(*repeated.jobs[1].slowdown == about(*once.jobs[0].slowdown, rounding_of_sums));
  // Results of the repeating job cover only its own iterations, which are as slow as before.
  CHECK(job_of(repeated, 0) == job_of(once, 0));
}

TEST_CASE("Jobs of every algorithm can repeat, and their logs have the job's own iterations") {
  for (const RegisteredAlgorithm& algorithm : registered_algorithms()) {
    CAPTURE(algorithm.kind());
    json jobs = {job("short", {0, 1, 2, 3}, {{"kind", algorithm.kind()}}), job("long", {4, 5}, an_allreduce)};
    jobs[0]["repeat"] = true;
    jobs[0]["workload"]["imbalance"] = {{"kind", "gamma"}, {"coefficient_of_variation", 0.1}};
    jobs[1]["iterations"] = 12;
    std::vector<std::size_t> iterations;
    const Result result =
        result_of_jobs(document(star(), 6, jobs),
                       {.job_finished = [&](const Result&, const JobResult&, const IterationLog& log) {
                         for (Rank rank = 0; rank < log.workers(); ++rank)
                           iterations.push_back(log.of(rank).size());
                       }});
    CHECK(iterations == std::vector<std::size_t>{6, 6, 6, 6, 12, 12});
    CHECK(*result.jobs[1].slowdown == 1);
  }
}

TEST_CASE("The bytes per iteration of a repeating job count all iterations of its fast workers") {
  json jobs = {job("short", {0, 1, 2, 3}, {{"kind", "adpsgd"}}), job("long", {4, 5}, an_allreduce)};
  jobs[0]["iterations"] = 40;
  jobs[1]["iterations"] = 400;
  const auto bytes_of = [&](bool repeats) {
    jobs[0]["repeat"] = repeats;
    return result_of_jobs(document(star(), 6, jobs)).jobs[0].run.traffic.bytes_per_worker_per_iteration;
  };
  const double without_slow = bytes_of(false);
  jobs[0]["workload"]["imbalance"] = {{"kind", "slow_workers"}, {"workers", {3}}, {"factor", 5}};
  // The other workers do about five times as many iterations, each of as many bytes on average; which pairs
  // meet is random.
  CHECK(bytes_of(true) < 1.5 * without_slow);
}

TEST_CASE(
    "A repeating job sends as many bytes per iteration as without, even if gradients are sent in the next "
    "iteration") {
  for (const char* kind : {"allreduce", "dear", "local_sgd"}) {
    CAPTURE(kind);
    json jobs = {job("short", {0, 1, 2, 3}, {{"kind", kind}}), job("long", {4, 5}, an_allreduce)};
    jobs[0]["workload"]["imbalance"] = {{"kind", "gamma"}, {"coefficient_of_variation", 0.1}};
    jobs[0]["iterations"] = 20;
    jobs[1]["iterations"] = 60;
    const auto bytes_of = [&](bool repeats) {
      jobs[0]["repeat"] = repeats;
      return result_of_jobs(document(star(), 6, jobs)).jobs[0].run.traffic.bytes_per_worker_per_iteration;
    };
    CHECK(bytes_of(true) == about(bytes_of(false), rounding_of_sums));
  }
}

TEST_CASE("Random draws of a job depend on its own seed and ranks") {
  json jobs = {job("one", {0, 1, 2, 3}, an_allreduce), job("other", {4, 5, 6, 7}, an_allreduce)};
  for (json& each : jobs)
    each["workload"]["imbalance"] = {{"kind", "random_delay"}, {"workers", 1}, {"delay", "9ms"}};
  const Result result = result_of_jobs(document(star(), 8, jobs));
  CHECK(result.jobs[0].run.breakdown_s.imbalance_wait > 0);
  CHECK(result.jobs[0].seed == 1);
  CHECK(result.jobs[1].seed != 1);
  json reordered = {jobs[0], jobs[1]};
  reordered[0]["ranks"] = {4, 5, 6, 7};
  reordered[1]["ranks"] = {0, 1, 2, 3};
  const Result moved = result_of_jobs(document(star(), 8, reordered));
  for (std::size_t i = 0; i < 2; ++i) CHECK(job_of(moved, i) == job_of(result, i));
}

TEST_CASE("Default seeds of jobs follow from the scenario's seed even if as_read is read again") {
  json jobs = {job("one", {0, 1, 2, 3}, an_allreduce), job("other", {4, 5, 6, 7}, an_allreduce)};
  jobs[1]["algorithm"] = {{"kind", "dpsgd"}, {"graph", {{"kind", "random_regular"}, {"degree", 2}}}};
  jobs[0]["seed"] = 3;
  const json scenario = document(star(), 8, jobs);
  json as_read = read_scenario_document(scenario, "jobs.json").as_read;
  CHECK(as_read.at("jobs").at(0).at("seed") == 3);
  json with_another = scenario;
  with_another["seed"] = as_read["seed"] = 2;
  const Scenario read = read_scenario_document(as_read, "jobs.json");
  const Scenario expected = read_scenario_document(with_another, "jobs.json");
  CHECK(read.as_read == expected.as_read);
  CHECK(read.jobs[1].scenario.seed == expected.jobs[1].scenario.seed);
  CHECK(read.jobs[1].scenario.seed != read_scenario_document(scenario, "jobs.json").jobs[1].scenario.seed);
}

const RunObservers finds_paths{.watching = {.critical_path = true}};

TEST_CASE("The critical paths of jobs that share no link are those of scenarios of their own") {
  for (const json& algorithm : various_algorithms()) {
    for (const char* engine : {"event", "tcp", "fair"}) {
      CAPTURE(algorithm);
      CAPTURE(engine);
      json jobs =
          document(star(), 8, {job("one", {3, 1, 6, 0}, algorithm), job("other", {2, 4}, an_allreduce)});
      jobs["engine"] = engine;
      jobs["jobs"][0]["start"] = "7ms";
      jobs["jobs"][1]["repeat"] = true;
      json alone = document(star(), 4, json::array());
      alone["engine"] = engine;
      alone.erase("jobs");
      alone["workload"] = workload();
      alone["algorithms"] = json::array({algorithm});
      const Result shared = result_of_jobs(jobs, finds_paths);
      const CriticalPath& path = *shared.jobs[0].run.critical_path;
      const CriticalPath own = *result_of_jobs(alone, finds_paths).runs[0].critical_path;
      // Names of links differ, and so does the order of parts of the same size: kinds of time are compared.
      CHECK(path.iteration_s == about(shared.jobs[0].run.iteration_time_s.mean, rounding_of_sums));
      for (const SpentOn on : {SpentOn::compute, SpentOn::link, SpentOn::latency, SpentOn::unknown})
        CHECK(path.spent_s(on) == about(own.spent_s(on), rounding_of_sums));
      for (const PathPart& part : path.parts) {
        CHECK(part.job.empty());
        CHECK(part.rank < 4);
      }
    }
  }
}

TEST_CASE("Where messages of jobs wait for each other, the path leads to the other job") {
  json jobs = {job("one", {0, 1}, an_allreduce), job("other", {2, 3}, an_allreduce)};
  jobs[1]["workload"]["compute"] = {
      {"forward", jobs_compute_s / 3},
      {"backward", jobs_compute_s / 2}};  // the second job's messages come first
  json scenario = document(two_switches(4), 4, jobs);
  scenario["engine"] = "event";
  scenario["warmup_iterations"] = 0;
  const Result result = result_of_jobs(scenario, finds_paths);
  bool is_other_to_blame = false;
  for (const JobResult& each : result.jobs) {
    double sum_s = 0;
    for (const PathPart& part : each.run.critical_path->parts) {
      sum_s += part.s;
      is_other_to_blame = is_other_to_blame || !part.job.empty();
      CHECK(part.job != each.run.label);
      CHECK(part.rank < 2);
    }
    CHECK(sum_s == about(each.run.iteration_time_s.mean, rounding_of_sums));
  }
  CHECK(is_other_to_blame);
  validate_against_schema(json::parse(result_json_text(result)), "result", "result.json");
  CHECK(jobs_table(result).find("\ncritical path of other: an iteration takes ") != std::string::npos);
}

TEST_CASE("A result with jobs conforms to its JSON schema") {
  json jobs = {job("one", {0, 1}, {{"kind", "dpsgd"}}),
               job("other", {2, 3}, {{"kind", "dear"}, {"bucket_bytes", "auto"}})};
  const Result result = result_of_jobs(document(two_switches(4), 4, jobs));
  const json block = json::parse(result_json_text(result));
  validate_against_schema(block, "result", "result.json");
  CHECK(block.at("runs").empty());
  CHECK(block.at("jobs").at(1).at("ranks") == json({2, 3}));
  CHECK(block.at("jobs").at(1).at("algorithm").contains("bucket_search"));
  CHECK(block.at("jobs").at(0).at("algorithm").contains("spectral_gap"));
}

TEST_CASE("The table of jobs has a row for each job") {
  const Result result = result_of_jobs(
      document(two_switches(4), 4, {job("one", {0, 1}, an_allreduce), job("other", {2, 3}, an_allreduce)}));
  const std::string table = jobs_table(result);
  CHECK(
      table.starts_with("jobs: 2 jobs on one network, fair engine, gradients in fp32\n"
                        "transport ideal (given), all messages eager\n\njob "));
  CHECK(table.find("other 1.") != std::string::npos);
  CHECK(table.find("one 1.") != std::string::npos);
}

TEST_CASE("The table of jobs says which job sends gradients in which data type, where these differ") {
  json other = job("other", {2, 3}, an_allreduce);
  other["workload"]["gradient_dtype"] = "bf16";
  const std::string table =
      jobs_table(result_of_jobs(document(star(), 4, {job("one", {0, 1}, an_allreduce), other})));
  CHECK(table.find("fair engine, gradients in fp32 of one, bf16 of other\n") != std::string::npos);
}

TEST_CASE("The table of jobs shows the standard errors of means") {
  Result result = result_of_jobs(
      document(star(), 4, {job("one", {0, 1}, an_allreduce), job("other", {2, 3}, an_allreduce)}));
  result.jobs[1].run.iteration_time_s.mean = 0.1;
  result.jobs[1].run.sampling.mean_s.standard_error = 0.001;
  const std::string table = jobs_table(result);
  CHECK(table.find(" 100.0 ± 1.0 ms ") != std::string::npos);
  CHECK(table.find("\n±: standard error of the mean, by equal-weighted cosines\n") != std::string::npos);
}

TEST_CASE("The table of jobs warns of partial periods and of drifting iterations") {
  Result result = result_of_jobs(
      document(star(), 4, {job("one", {0, 1}, an_allreduce), job("other", {2, 3}, an_allreduce)}));
  const std::string settled = jobs_table(result);
  CHECK(settled.find("periods") == std::string::npos);
  CHECK(settled.find("still drift") == std::string::npos);
  result.jobs[0].run.pattern_period = 3;  // 5 iterations are counted
  result.jobs[1].run.sampling.drift_s = Drift{.first = 0.0462, .last = 0.0489};
  const std::string table = jobs_table(result);
  CHECK(table.find("\ncounted iterations are not whole periods of the communication pattern: one 5, its "
                   "pattern repeats after 3\n") != std::string::npos);
  CHECK(table.find("\niteration times still drift while counted (count more iterations, after more warm-up): "
                   "other from "
                   "46.20 ms to 48.90 ms\n") != std::string::npos);
}

TEST_CASE("The table of jobs does not suggest --sensitivity since several jobs cannot have it") {
  const Result result =
      result_of_jobs(document(star(), 2, json::array({job("one", {0, 1}, an_allreduce)})), finds_paths);
  const std::string table = jobs_table(result);
  CHECK(table.find("unless messages then contended with others\n") != std::string::npos);
  CHECK(table.find("--sensitivity") == std::string::npos);
}

TEST_CASE(
    "A job whose traffic leaves network cards idle or shares links gets the warnings of a scenario of its "
    "own") {
  json on_cards = document({{"kind", "rail"}, {"link", star().at("link")}}, 16, json::array());
  on_cards["cluster"].update({{"workers_per_host", 4},
                              {"nics_per_host", 4},
                              {"intra_host_link", {{"bandwidth", 1e10}, {"latency", 1e-7}}}});
  const json a_ring = {{"kind", "allreduce"}, {"collective", "ring"}};
  const auto warnings_of = [](json scenario, const json& jobs) {
    scenario["jobs"] = jobs;
    std::vector<std::string> warnings;
    result_of_jobs(scenario,
                   {.warned_of_traffic = [&](const std::string& warning) { warnings.push_back(warning); }});
    return warnings;
  };
  const auto found =
      warnings_of(on_cards, {job("first", {0, 1, 2, 3, 4, 5, 6, 7}, a_ring), job("other", {8, 12}, a_ring)});
  REQUIRE(found.size() == 1);  // none for the other job, which uses one card on each of its hosts
  CHECK(found[0].starts_with(
      "jobs.json: /cluster/nics_per_host: of the data of job first, one of 4 network cards of a "
      "host receives 4 times the mean of all cards"));

  json on_torus = document({{"kind", "torus"}, {"dimensions", {4, 8}}, {"link", star().at("link")}}, 32, {});
  std::vector<int> all(32);
  std::iota(all.begin(), all.end(), 0);
  const auto of_ring = warnings_of(on_torus, json::array({job("whole", all, a_ring)}));
  REQUIRE(of_ring.size() == 1);
  CHECK(of_ring[0].find("between which job whole sends most of its data, share links: the busiest link "
                        "carries 2 times as much as "
                        "with \"placement\": \"snake\"") != std::string::npos);
}

TEST_CASE("A job whose hosts the placement mixes gets no advice of placements that jobs cannot have") {
  json parted = document(star(), 8, json::array());
  parted["cluster"].update({{"workers_per_host", 2},
                            {"placement", "round_robin"},
                            {"intra_host_link", {{"bandwidth", 1e10}, {"latency", 1e-7}}}});
  const json hierarchical = {{"kind", "allreduce"}, {"collective", "hierarchical"}};
  parted["jobs"] = {job("first", {0, 1, 4, 5}, hierarchical), job("other", {2, 3}, an_allreduce)};
  std::string error;
  try {
    result_of_jobs(parted);
  } catch (const ScenarioError& refused) {
    error = refused.what();
  }
  CAPTURE(error);
  CHECK(error.starts_with("jobs.json: /jobs/0/algorithm/collective: "));
  CHECK(error.find("placement \"block\" does") != std::string::npos);
  CHECK(error.find("optimized") == std::string::npos);
  parted["cluster"]["placement"] = "block";
  CHECK_NOTHROW(result_of_jobs(parted));
}

TEST_CASE("Observers are notified of all jobs, and of their total demand") {
  class Spans final : public TraceSink {
   public:
    std::vector<std::string> job_of_worker = std::vector<std::string>(4);

    void span(Rank rank, std::string_view strand, std::string_view, double, double,
              const SpanDetails&) override {
      job_of_worker[static_cast<std::size_t>(rank)] = strand.substr(strand.find(" of "));
    }
  };
  Spans spans;
  ProgressLine progress(stderr, ProgressStyle::none);
  double time_s = 0;
  std::vector<std::string> told;
  const json scenario =
      document(two_switches(4), 4, {job("one", {0, 1}, an_allreduce), job("other", {3, 2}, an_allreduce)});
  result_of_jobs(scenario, {.jobs_made = [&](const JobDemand& demand) { time_s = demand.time_s; },
                            .progress = &progress,
                            .trace = &spans,
                            .run_begun =
                                [&](const std::string& label, std::span<const int> hosts) {
                                  told.push_back(fmt::format("{} {}", label, hosts.size()));
                                },
                            .job_finished =
                                [&](const Result&, const JobResult& each, const IterationLog& log) {
                                  told.push_back(fmt::format("{} {}", each.run.label, log.of(1).size()));
                                }});
  CHECK(told == std::vector<std::string>{"all jobs 4", "one 6", "other 6"});
  CHECK(spans.job_of_worker == std::vector<std::string>{" of one", " of one", " of other", " of other"});

  const Scenario read = read_scenario_document(scenario, "jobs.json");
  const Network network = build_network(read.cluster);
  const ReadyJob one(read.jobs[0], network);
  CHECK(time_s == 2 * 2 * demand_of(one.job).time_s);  // two jobs, each alone and together
}

TEST_CASE("In a timeline of jobs waits name the cluster's workers instead of ranks of the job") {
  struct Waits final : TraceSink {
    std::vector<Rank> of_worker_2;
    void span(Rank rank, std::string_view, std::string_view name, double start_s, double end_s,
              const SpanDetails& details) override {
      if (rank == 2 && name == "wait" && end_s - start_s > jobs_compute_s)
        of_worker_2.push_back(details.waits_for);
    }
  } waits;
  json jobs = {job("one", {0, 1}, an_allreduce), job("other", {3, 2}, an_allreduce)};
  jobs[1]["workload"]["imbalance"] = {{"kind", "slow_workers"}, {"workers", {0}}, {"factor", 3}};
  result_of_jobs(document(star(), 4, jobs), {.trace = &waits});
  CHECK(waits.of_worker_2 == std::vector<Rank>(6, 3));
}

TEST_CASE("In a timeline of jobs collectives name the cluster's workers as peers") {
  struct GroupsOfCollectives final : TraceSink {
    std::set<std::pair<std::vector<Rank>, int>>
        found;  // peers, and the number of ranks that the collective names
    void span(Rank, std::string_view, std::string_view, double, double, const SpanDetails& details) override {
      if (!details.collective.name.empty())
        found.emplace(std::vector<Rank>(details.peers.begin(), details.peers.end()),
                      details.collective.ranks);
    }
  } groups;
  result_of_jobs(
      document(star(), 8, {job("one", {1, 0}, an_allreduce), job("other", {7, 6, 4}, an_allreduce)}),
      {.trace = &groups});
  CHECK(groups.found == decltype(groups.found){{{1, 0}, 2}, {{7, 6, 4}, 3}});
}

TEST_CASE("The demand of a repeating job is announced again once the number of its repetitions is known") {
  json jobs = {job("short", {0, 1}, an_allreduce), job("long", {2, 3}, an_allreduce)};
  jobs[0]["repeat"] = true;
  jobs[1]["iterations"] = 60;
  const json scenario = document(star(), 4, jobs);
  std::vector<double> told_s;
  result_of_jobs(scenario, {.jobs_made = [&](const JobDemand& demand) { told_s.push_back(demand.time_s); }});

  const Scenario read = read_scenario_document(scenario, "jobs.json");
  const Network network = build_network(read.cluster);
  const ReadyJob repeating(read.jobs[0], network);
  REQUIRE(told_s.size() == 2);
  // The long job needs ten times the iterations of the short one: nine more repetitions.
  CHECK(told_s[1] - told_s[0] == about(9 * demand_of(repeating.job).time_s, rounding_of_sums));
}

TEST_CASE("Jobs with too large a demand are refused with that demand") {
  const Scenario read = read_scenario_document(
      document(star(), 4, {job("one", {0, 1}, an_allreduce), job("other", {2, 3}, an_allreduce)}),
      "jobs.json");
  std::string text;
  try {
    refuse_shortage(read, {.time_s = 1e9}, {.time_s = 1e6, .memory_bytes = 1e9}, Forcing::possible);
  } catch (const ScenarioError& error) {
    text = error.what();
  }
  CHECK(text.starts_with("jobs.json: /jobs: 2 jobs would take at least 32 years"));
  CHECK(text.ends_with("expected fewer iterations, workers or jobs, or --force"));
}

TEST_CASE("Code for a single job refuses a scenario with several jobs") {
  const Scenario read = read_scenario_document(
      document(star(), 4, json::array({job("one", {0, 1}, an_allreduce)})), "jobs.json");
  CHECK_THROWS_WITH_AS(
      ScenarioJob{read},
      "jobs.json: /jobs: several jobs can only be simulated, all of them together, expected `starling "
      "run`, or a scenario with \"workload\" and \"algorithms\"",
      ScenarioError);
}

TEST_CASE("The error of an algorithm that does not fit its job has its JSON pointer") {
  const json jobs = {job("one", {0, 1}, an_allreduce), job("other", {2, 3, 4}, {{"kind", "wagma"}})};
  std::string text;
  try {
    result_of_jobs(document(star(), 5, jobs));
  } catch (const ScenarioError& error) {
    text = error.what();
  }
  CHECK(text.starts_with("jobs.json: /jobs/1/algorithm: "));
}

}  // namespace
}  // namespace starling

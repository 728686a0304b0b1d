#include "analysis/regimes/regime_map.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/demand/demand.hpp"
#include "analysis/effort/machine_supply.hpp"
#include "analysis/model/model_report.hpp"
#include "analysis/regimes/kept_points.hpp"
#include "analysis/regimes/regime_picture.hpp"
#include "analysis/regimes/regime_tables.hpp"
#include "analysis/running/runner.hpp"
#include "io/scenario_error.hpp"
#include "tests/analysis/running/small_scenario.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr const char* small_study = R"({
  "base": {
    "iterations": 24, "warmup_iterations": 4,
    "cluster": {"workers": 2, "transport": "ideal",
      "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "10us"}}},
    "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "40ms", "backward": "80ms"}},
    "algorithms": [{"kind": "allreduce"}, {"kind": "dpsgd"}]},
  "workers": [4, 8],
  "communication_to_compute": {"from": 0.1, "to": 1.6, "points": 3},
  "coefficient_of_variation": [0, 0.2]})";

RegimeStudy study_with(const nlohmann::json& changes) {
  auto document = nlohmann::json::parse(small_study);
  document.merge_patch(changes);
  const ScratchFolder folder;
  return read_regimes(folder.write("study.json", document.dump()), {});
}

double model_s(const RegimePoint& point, std::size_t algorithm) {
  return point.algorithms[algorithm].model->mean_s.value;
}

TEST_CASE("the ratio of a point is the time of an all-reduce over the compute time") {
  const RegimeMap map = map_regimes(study_with({{"coefficient_of_variation", {0}}}));
  REQUIRE(map.points.size() == 6);
  CHECK(map.algorithms == std::vector<std::string>{"allreduce", "dpsgd"});
  for (const RegimePoint& point : map.points) {
    CAPTURE(point.workers);
    CAPTURE(point.ratio);
    CHECK(model_s(point, 0) / point.compute_s == about(1 + point.ratio, 1e-9));
  }
  CHECK(map.points[1].ratio == about(0.4));
}

TEST_CASE("points of a regime map computed at once are limited by memory") {
  RegimeStudy study = study_with({{"base", {{"iterations", 100'000}}}});
  Scenario scenario = read_scenario(study.base);
  scenario.cluster.workers = 8;
  const double needed_bytes = demand_of(ScenarioJob(scenario)).memory_bytes;
  const auto fit = static_cast<int>(supply_of_machine(std::nullopt).memory_bytes / needed_bytes);
  REQUIRE(fit > 3);
  study.ratios.assign(static_cast<std::size_t>(fit) + 2, 1);
  CHECK(points_at_once(study, fit + 2) == fit);
  CHECK(points_at_once(study, 3) == 3);
  CHECK(points_at_once(study_with(nlohmann::json::object()), 100) == 12);
  CHECK(points_at_once(study_with({{"base", {{"engine", "simgrid"}}}}), 3) == 1);
}

TEST_CASE("the ratio is that of a single all-reduce where hosts have several workers") {
  const nlohmann::json cluster{{"workers_per_host", 4},
                               {"intra_host_link", {{"bandwidth", "100GBps"}, {"latency", "1us"}}},
                               {"network", {{"link", {{"latency", "1us"}}}}}};
  const RegimeStudy study = study_with({{"workers", {8}}, {"base", {{"cluster", cluster}}}});
  const RegimeMap map = map_regimes(study);
  const RegimePoint& point = map.points[0];
  const Scenario scenario = read_scenario(study.base);
  const double bytes = static_cast<double>(scenario.workload.parameters()) * 4;
  // 2 · 7/8 of the gradients over the link of a host, and 2(P−1) = 14 latencies of at most 2 us.
  const double bandwidth_s = 2 * 7.0 / 8 * bytes / 1.25e9;
  CHECK(point.compute_s * point.ratio > bandwidth_s);
  CHECK(point.compute_s * point.ratio < bandwidth_s + 14 * 2e-6 + 1e-6 * bandwidth_s);
}

TEST_CASE("the ratio includes the sharing of links by a placement, which the model leaves out") {
  // With 8 workers placed round-robin on 2 hosts, every hop of a ring crosses hosts: four share each network
  // card.
  const RegimeMap map =
      map_regimes(study_with({{"base",
                               {{"cluster",
                                 {{"workers_per_host", 4},
                                  {"placement", "round_robin"},
                                  {"intra_host_link", {{"bandwidth", "10GBps"}, {"latency", "1us"}}}}}}},
                              {"workers", {8}},
                              {"communication_to_compute", {0.5, 1}},
                              {"coefficient_of_variation", {0}}}));
  constexpr double gradients_bytes = 4 * 25'557'032.0;
  const double bandwidth_s = 4 * 2 * 7.0 / 8 * gradients_bytes / 1.25e9;
  REQUIRE_FALSE(map.points.empty());
  for (const RegimePoint& point : map.points) {
    CHECK(point.compute_s * point.ratio > bandwidth_s);
    CHECK(point.compute_s * point.ratio < 1.01 * bandwidth_s);  // 14 latencies of 40 us beside 572 ms
  }
}

TEST_CASE("where the fastest algorithm by the model is an estimate, the simulation decides") {
  const nlohmann::json solo{{"kind", "eager_solo"}, {"serialized", false}, {"model_sync_iterations", 3}};
  const RegimeMap map =
      map_regimes(study_with({{"base",
                               {{"iterations", 12},
                                {"warmup_iterations", 2},
                                {"cluster",
                                 {{"transport", "mpi_tcp"},
                                  {"workers_per_host", 4},
                                  {"intra_host_link", {{"bandwidth", "10GBps"}, {"latency", "1us"}}}}},
                                {"algorithms", {{{"kind", "local_sgd"}, {"period", 2}}, solo}}}},
                              {"workers", {8}},
                              {"communication_to_compute", {0.6, 1}},
                              {"coefficient_of_variation", {0}}}));
  REQUIRE_FALSE(map.points.empty());
  for (const RegimePoint& point : map.points) {
    CHECK(point.is_simulated);
    CHECK(map.algorithms[point.fastest_by_model] == "eager_solo");
    CHECK(map.algorithms[point.fastest] == "local_sgd");
  }
}

TEST_CASE("points along a border between fastest algorithms are simulated, and not all others are") {
  const RegimeStudy study =
      study_with({{"communication_to_compute", {{"from", 0.05}, {"to", 12.8}, {"points", 9}}},
                  {"base", {{"algorithms", {{{"kind", "local_sgd"}, {"period", 4}}, {{"kind", "dear"}}}}}}});
  const RegimeMap map = map_regimes(study);
  const std::size_t ratios = study.ratios.size();
  const std::size_t plane = ratios * study.variations.size();
  bool has_border = false;
  for (std::size_t i = 0; i < map.points.size(); ++i) {
    const auto differs = [&](std::size_t j) { return map.points[j].fastest != map.points[i].fastest; };
    const std::size_t row = i % plane / ratios;
    const bool is_at_border =
        (i % ratios > 0 && differs(i - 1)) || (i % ratios + 1 < ratios && differs(i + 1)) ||
        (row > 0 && differs(i - ratios)) || (row + 1 < study.variations.size() && differs(i + ratios)) ||
        (i >= plane && differs(i - plane)) || (i + plane < map.points.size() && differs(i + plane));
    if (is_at_border) CHECK(map.points[i].is_simulated);
    has_border = has_border || is_at_border;
    for (std::size_t a = 0; a < map.algorithms.size(); ++a)
      CHECK(map.points[i].time(map.points[i].fastest).mean_s.value <= map.points[i].time(a).mean_s.value);
  }
  CHECK(has_border);
  CHECK_FALSE(std::ranges::all_of(map.points, &RegimePoint::is_simulated));
}

/// One letter for each point: A or B for the fastest of two algorithms, lower case where the point is not
/// simulated.
std::string outline_of(const nlohmann::json& changes) {
  std::string outline;
  for (const RegimePoint& point : map_regimes(study_with(changes)).points)
    outline += (point.is_simulated ? "AB" : "ab")[point.fastest];
  return outline;
}

nlohmann::json dear_or_local_sgd(int period) {
  return {{{"kind", "dear"}}, {{"kind", "local_sgd"}, {"period", period}}};
}

TEST_CASE("with exact models only the two points next to a border are simulated, in every direction") {
  CHECK(outline_of({{"workers", {8}},
                    {"communication_to_compute", {0.4, 0.8, 1.6, 3.2}},
                    {"coefficient_of_variation", {0}},
                    {"base", {{"algorithms", dear_or_local_sgd(4)}}}}) == "aABb");
  CHECK(outline_of({{"workers", {8}},
                    {"communication_to_compute", {0.9}},
                    {"coefficient_of_variation", {0, 0.1, 0.2, 0.3}},
                    {"base", {{"algorithms", dear_or_local_sgd(3)}}}}) == "aABb");
  // Latencies of 8 ms between hosts: a ring takes 2(P − 1) of them, recursive doubling only log₂P, but it
  // sends more bytes.
  CHECK(outline_of(
            {{"workers", {4, 8, 16, 32}},
             {"communication_to_compute", {1}},
             {"coefficient_of_variation", {0}},
             {"base",
              {{"cluster", {{"network", {{"link", {{"latency", "4ms"}}}}}}},
               {"algorithms",
                {{{"kind", "allreduce"}, {"label", "ring"}},
                 {{"kind", "allreduce"}, {"collective", "recursive_doubling"}, {"label", "doubling"}}}}}}}) ==
        "aABb");
}

TEST_CASE("the all-reduce of a ratio is the mean over five seeds, from the base's seed on") {
  const RegimeStudy study = study_with({{"workers", {4}},
                                        {"communication_to_compute", {1, 2}},
                                        {"coefficient_of_variation", {0}},
                                        {"base", {{"seed", 3}, {"cluster", {{"wake_up", "1ms"}}}}}});
  double sum_s = 0;
  for (int seed = 3; seed < 3 + 5; ++seed) {
    ScenarioDocument document = study.base;
    for (const std::string& key : {std::string("/cluster/workers=4"), std::string("/iterations=1"),
                                   std::string("/warmup_iterations=0"), "/seed=" + std::to_string(seed),
                                   std::string(R"(/algorithms=[{"kind":"allreduce","collective":"ring"}])")})
      change(document, key, "test");
    const double computing_s = 0.04 + 0.08;
    sum_s += simulate(read_scenario(document)).runs.front().makespan_s - computing_s;
  }
  const RegimeMap map = map_regimes(study);
  CHECK(map.points[0].compute_s == about(sum_s / 5, rounding_of_sums));
  CHECK(map.points[1].compute_s == about(sum_s / 5 / 2, rounding_of_sums));
}

TEST_CASE("a point is the base with its workers, variation and compute time, and the base's seed") {
  const RegimeStudy study = study_with({{"workers", {8}},
                                        {"communication_to_compute", {0.9}},
                                        {"coefficient_of_variation", {0, 0.1, 0.2, 0.3}},
                                        {"law", "lognormal"},
                                        {"base", {{"seed", 5}, {"algorithms", dear_or_local_sgd(3)}}}});
  for (const RegimePoint& point : map_regimes(study).points) {
    CAPTURE(point.variation);
    ScenarioDocument document = study.base;
    change(document, "/cluster/workers=8", "test");
    if (point.variation > 0)
      change(document,
             R"(/workload/imbalance={"kind":"lognormal","coefficient_of_variation":)" +
                 std::to_string(point.variation) + "}",
             "test");
    Scenario scenario = read_scenario(document);
    const double factor = point.compute_s / scenario.workload.compute_total_s();
    for (double& s : scenario.workload.forward_s) s *= factor;
    for (double& s : scenario.workload.backward_s) s *= factor;
    const ModelReport report = model_report(scenario, point.is_simulated);
    for (std::size_t i = 0; i < point.algorithms.size(); ++i) {
      const ModeledAlgorithm& expected = report.algorithms[i];
      CHECK(model_s(point, i) == about(expected.model->sampling.mean_s.value, rounding_of_sums));
      REQUIRE(point.algorithms[i].simulated.has_value() == point.is_simulated);
      if (point.is_simulated)
        CHECK(point.algorithms[i].simulated->mean_s.value ==
              about(expected.simulated->mean_s.value, rounding_of_sums));
    }
  }
}

/// An algorithm that another program would register, without a model.
struct UnmodeledOptions {
  static constexpr std::string_view kind = "unmodeled";
  static constexpr TrainingTraits traits{};
};

class UnmodeledAlgorithm final : public TrainingAlgorithm {
  void run(Worker&, Replica&, const TrainingJob&) const override {}
};

void describe(UnmodeledOptions&, OptionVisitor&) {}
std::unique_ptr<TrainingAlgorithm> make_algorithm(const UnmodeledOptions&, const Workload&,
                                                  const ClusterFacts&) {
  return std::make_unique<UnmodeledAlgorithm>();
}

TEST_CASE("a regime map needs an algorithm with a model") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, UnmodeledOptions{});
  add_algorithm(scenario, UnmodeledOptions{});
  CHECK_THROWS_WITH_AS(refuse_without_models(ScenarioJob(scenario)),
                       doctest::Contains("/algorithms: no algorithm has a runtime model"), ScenarioError);
  add_algorithm(scenario, DdpOptions{});
  CHECK_NOTHROW(refuse_without_models(ScenarioJob(scenario)));
}

TEST_CASE("a gain is certain where both times are exact or simulated") {
  const Sampling one{.mean_s = {.value = 1}};
  RegimePoint point{.algorithms = {{.label = "first", .model = one},
                                   {.label = "other", .model = one, .validity = ModelValidity::lower_bound}},
                    .fastest = 0,
                    .second = 1};
  CHECK_FALSE(point.is_gain_sure());
  point.is_simulated = true;
  CHECK(point.is_gain_sure());
  point.is_simulated = false;
  point.algorithms[1].validity = ModelValidity::exact;
  CHECK(point.is_gain_sure());
  point.algorithms[0].validity = ModelValidity::estimate;
  CHECK_FALSE(point.is_gain_sure());
}

TEST_CASE("the greatest gain of an algorithm is one that is certain, or the model's if none is") {
  const auto point_of = [](double second_s, ModelValidity validity) {
    const auto time = [](const char* label, double mean_s) {
      return RegimeTime{.label = label, .model = Sampling{.mean_s = {.value = mean_s}}};
    };
    RegimePoint point{.algorithms = {time("first", 1), time("other", second_s)}, .fastest = 0, .second = 1};
    point.algorithms[1].validity = validity;
    return point;
  };
  RegimeStudy study;
  study.workers = {4};
  study.ratios = {1, 2};
  study.variations = {0};
  RegimeMap map{.engine = "fair", .algorithms = {"first", "other"}, .points = {}};
  map.points = {point_of(3, ModelValidity::lower_bound), point_of(1.5, ModelValidity::exact)};
  std::string text = regimes_table(study, map);
  CHECK(text.find("50.0 %\n") != std::string::npos);
  CHECK(text.find("200.0 %") == std::string::npos);
  map.points[1].algorithms[1].validity = ModelValidity::estimate;
  text = regimes_table(study, map);
  CHECK(text.find("200.0 % by the model\n") != std::string::npos);
}

TEST_CASE("letters of a regime map tell decided points from others, from the 27th algorithm on, too") {
  RegimeStudy study;
  study.workers = {4};
  study.ratios = {1, 2};
  study.variations = {0};
  RegimeMap map{.engine = "fair", .algorithms = {}, .points = {}};
  RegimePoint point{.fastest = 27, .second = 0};
  for (int i = 0; i < 28; ++i) {
    map.algorithms.push_back(fmt::format("algorithm {}", i));
    point.algorithms.push_back(
        {.label = map.algorithms.back(), .model = Sampling{.mean_s = {.value = i < 27 ? 2.0 : 1.0}}});
  }
  map.points = {point, point};
  map.points[1].algorithms[0].model->mean_s.value = 1;
  const std::string text = regimes_table(study, map);
  CHECK(text.find("Z algorithm 25") != std::string::npos);
  CHECK(text.find("AA algorithm 26") != std::string::npos);
  std::istringstream map_row(text.substr(text.find("4 workers\n") + 10));
  std::string variation, decided, open;
  map_row >> variation >> decided >> open;
  CHECK(decided == "AB");
  CHECK(open == "ab");
}

TEST_CASE("a regime map names algorithms that drift, also for points read from its file") {
  const ScratchFolder folder;
  const auto file = folder.path() / "points.jsonl";
  const auto time = [](const char* label, std::optional<Drift> drift_s) {
    return RegimeTime{.label = label, .model = Sampling{.mean_s = {.value = 1}, .drift_s = drift_s}};
  };
  KeptPoints(file).keep("a point", {time("first", {}), time("other", Drift{.first = 0.5, .last = 1.5})});
  const auto kept = KeptPoints(file).find("a point");
  REQUIRE(kept.has_value());
  CHECK((*kept)[1].model->drift_s->last == 1.5);
  RegimeStudy study;
  study.workers = {4};
  study.ratios = {1};
  study.variations = {0};
  RegimeMap map{.engine = "fair", .algorithms = {"first", "other"}, .points = {}};
  map.points = {{.algorithms = *kept, .fastest = 0, .second = 1}};
  CHECK(regimes_table(study, map)
            .ends_with("\niteration times still drift while counted (count more iterations, after more "
                       "warm-up): other at 1 of "
                       "1 points\n"));
  map.points[0].algorithms[1].model->drift_s.reset();
  CHECK(regimes_table(study, map).ends_with("not decided\n"));
}

TEST_CASE("random variation that two algorithms share leaves a point decided") {
  const auto sampling = [](std::vector<double> means) {
    return Sampling{.mean_s = estimate_mean(means),
                    .sample_s = {.values = std::move(means), .are_independent = true}};
  };
  const Sampling fast = sampling({1.00, 1.30, 0.80});
  const Sampling slow = sampling({1.04, 1.36, 0.83});
  RegimePoint point{.algorithms = {{.label = "fast", .model = fast}, {.label = "slow", .model = slow}},
                    .fastest = 0,
                    .second = 1};
  CHECK(point.is_decided());
  point.algorithms[1].model = sampling({1.36, 0.83, 1.04});  // the same times under other draws
  CHECK_FALSE(point.is_decided());
  for (RegimeTime& time : point.algorithms) time.model = Sampling{.mean_s = time.model->mean_s};
  point.algorithms[1].model->mean_s = {.value = 2};
  point.is_random = true;  // random, but without a standard error
  CHECK_FALSE(point.is_decided());
  point.is_random = false;
  CHECK(point.is_decided());
}

TEST_CASE(
    "a point is undecided if its fastest time is not exact, but a lower bound of the second time suffices") {
  const auto time = [](double mean_s, ModelValidity validity) {
    return RegimeTime{.label = "any", .model = Sampling{.mean_s = {.value = mean_s}}, .validity = validity};
  };
  const auto point_of = [&](ModelValidity fastest, ModelValidity second) {
    return RegimePoint{.algorithms = {time(1, fastest), time(2, second)}, .fastest = 0, .second = 1};
  };
  using enum ModelValidity;
  CHECK(point_of(exact, exact).is_decided());
  CHECK(point_of(exact, lower_bound).is_decided());
  CHECK_FALSE(point_of(exact, estimate).is_decided());
  CHECK_FALSE(point_of(estimate, exact).is_decided());
  CHECK_FALSE(point_of(lower_bound, exact).is_decided());
  RegimePoint simulated = point_of(estimate, estimate);
  simulated.is_simulated = true;
  for (RegimeTime& each : simulated.algorithms) each.simulated = each.model;
  CHECK(simulated.is_decided());
}

TEST_CASE("an algorithm that does not fit one of the numbers of workers is an error before any run") {
  const RegimeStudy study = study_with(
      {{"workers", {4, 6}}, {"base", {{"algorithms", {{{"kind", "allreduce"}}, {{"kind", "wagma"}}}}}}});
  CHECK_THROWS_WITH_AS(map_regimes(study), doctest::Contains("/base/algorithms/1"), ScenarioError);
}

TEST_CASE("a base without compute time is refused since its ratio cannot vary") {
  for (const double variation : {0.0, 0.2}) {
    const RegimeStudy study =
        study_with({{"base", {{"workload", {{"compute", {{"forward", 0}, {"backward", 0}}}}}}},
                    {"coefficient_of_variation", nlohmann::json::array({variation})}});
    CHECK_THROWS_WITH_AS(map_regimes(study), doctest::Contains("/base/workload/compute: compute times are 0"),
                         ScenarioError);
  }
}

TEST_CASE(
    "an interrupted regime map resumes from any intact or damaged file of points, with any number of "
    "threads") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "points.jsonl";
  const RegimeStudy study = study_with(nlohmann::json::object());
  const nlohmann::ordered_json found = regimes_json(study, map_regimes(study));
  CHECK(regimes_json(study, map_regimes(study, {.jobs = 3, .kept_in = file})) == found);
  const std::string kept = contents_of(file);
  const auto points = std::ranges::count(kept, '\n');
  CHECK(points >= 12);
  CHECK(regimes_json(study, map_regimes(study, {.kept_in = file})) == found);
  CHECK(contents_of(file) == kept);

  const std::string damaged = "{\"key\": 1}\nnot JSON\n" + kept.substr(kept.size() / 2) + "\n\n";
  std::string edited;
  std::string negative;
  std::istringstream lines(kept);
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json point = nlohmann::json::parse(line);
    point["found"][1]["simulated_s"] = nullptr;
    if (edited.size() > kept.size() / 2) point["found"].erase(0);
    edited += point.dump() + "\n";
    point = nlohmann::json::parse(line);
    point["found"][0]["model_s"]["value"] = -1;
    negative += point.dump() + "\n";
  }
  for (const std::string& text :
       {std::string(), kept.substr(0, kept.size() / 3), damaged, edited, negative}) {
    CAPTURE(text.size());
    folder.write("points.jsonl", text);
    CHECK(regimes_json(study, map_regimes(study, {.jobs = 2, .kept_in = file})) == found);
    const std::string whole = contents_of(file);
    CHECK(whole.starts_with(text));
    CHECK(whole.size() >= kept.size());
    CHECK(regimes_json(study, map_regimes(study, {.kept_in = file})) == found);
    CHECK(contents_of(file) == whole);
  }
}

TEST_CASE("at points without any model time the fastest by the model is the fastest simulated") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "points.jsonl";
  const RegimeStudy study = study_with(nlohmann::json::object());
  map_regimes(study, {.kept_in = file});
  std::istringstream lines(contents_of(file));
  std::string without_model;
  for (std::string line; std::getline(lines, line);) {
    nlohmann::json point = nlohmann::json::parse(line);
    for (nlohmann::json& time : point["found"]) time["model_s"] = nullptr;
    without_model += point.dump() + "\n";
  }
  folder.write("points.jsonl", without_model);
  int without = 0;
  for (const RegimePoint& point : map_regimes(study, {.kept_in = file}).points) {
    if (std::ranges::any_of(point.algorithms, [](const RegimeTime& time) { return time.model.has_value(); }))
      continue;
    ++without;
    CHECK(point.fastest_by_model == point.fastest);
  }
  CHECK(without > 0);
}

TEST_CASE("points kept for one study are not reused for another") {
  const ScratchFolder folder;
  const std::filesystem::path file = folder.path() / "points.jsonl";
  const RegimeStudy study = study_with(nlohmann::json::object());
  map_regimes(study, {.kept_in = file});
  const auto reuses_nothing = [&](const nlohmann::json& changes) {
    CAPTURE(changes.dump());
    const RegimeStudy other = study_with(changes);
    CHECK(regimes_json(other, map_regimes(other, {.kept_in = file})) ==
          regimes_json(other, map_regimes(other)));
  };
  reuses_nothing({{"law", "lognormal"}});
  reuses_nothing({{"base", {{"seed", 2}}}});
  reuses_nothing({{"base", {{"workload", {{"batch_size", 16}}}}}});
}

TEST_CASE("a regime map has a text, a table, a JSON document and a picture") {
  const RegimeStudy study = study_with(nlohmann::json::object());
  const RegimeMap map = map_regimes(study);
  const std::string text = regimes_table(study, map);
  CHECK(text.find("A allreduce") != std::string::npos);
  CHECK(text.find("\n8 workers\n") != std::string::npos);
  const std::string csv = regimes_csv(map);
  CHECK(std::ranges::count(csv, '\n') == 13);
  CHECK(csv.starts_with("workers,communication_to_compute,coefficient_of_variation,compute_s,fastest"));
  CHECK(csv.find(",fastest_by_model,is_gain_sure,") != std::string::npos);
  const nlohmann::ordered_json document = regimes_json(study, map);
  CHECK(document.at("points").size() == 12);
  CHECK(document.at("points")[0].at("algorithms")[1].at("label") == "dpsgd");
  CHECK(document.at("points")[0].at("is_gain_sure") == map.points[0].is_gain_sure());
  CHECK(regimes_plot(study, map, "regimes.svg").find("8 workers") != std::string::npos);
}

TEST_CASE("of maps side by side only the first of a row has numbers on its left, with room for them") {
  const auto script = [](const nlohmann::json& variations) {
    const RegimeStudy study =
        study_with({{"workers", {4, 8, 16, 32}}, {"coefficient_of_variation", variations}});
    return regimes_plot(study, map_regimes(study), "regimes.svg");
  };
  const std::string wide = script({0, 0.08889});
  std::vector<std::string> ticks;
  const std::string setting = "set ytics (";
  for (std::size_t at = wide.find(setting); at != std::string::npos; at = wide.find(setting, at + 1))
    ticks.push_back(wide.substr(at + setting.size(), wide.find(')', at) - at - setting.size()));
  const std::string named = R"("0" 0, "0.08889" 0.08889)";
  const std::string unnamed = R"("" 0, "" 0.08889)";
  CHECK(ticks == std::vector<std::string>{named, unnamed, unnamed, named});
  const auto left_dots = [](const std::string& text) {
    const auto number_after = [&](const std::string& before) {
      return std::stod(text.substr(text.find(before) + before.size()));
    };
    return number_after("svg size ") * number_after("set lmargin at screen ");
  };
  CHECK(left_dots(wide) > left_dots(script({0, 0.1})) + 20);
}

TEST_CASE(
    "the axis is labeled with the ratios themselves where there are no two round numbers in their range") {
  const auto has = [](const nlohmann::json& ratios, const std::string& tick) {
    const RegimeStudy study = study_with(
        {{"workers", {4}}, {"communication_to_compute", ratios}, {"coefficient_of_variation", {0}}});
    const std::string script = regimes_plot(study, map_regimes(study), "regimes.svg");
    const std::size_t begin = script.find("set xtics (");
    REQUIRE(begin != std::string::npos);
    return script.substr(begin, script.find(')', begin) - begin).find(tick) != std::string::npos;
  };
  for (const char* tick : {"\"2.5\" 0.3979", "\"3\" 0.477", "\"4\" 0.602"}) {
    CAPTURE(tick);
    CHECK(has({2.5, 3, 4}, tick));
  }
  CHECK(has({2.5, 2.501, 2.502, 4}, "\"2.5\" 0.3979"));
  CHECK_FALSE(has({2.5, 2.501, 2.502, 4}, "\"2.501\""));
  CHECK(has({0.15, 0.3, 0.6}, "\"0.2\""));
  CHECK_FALSE(has({0.15, 0.3, 0.6}, "\"0.3\""));
}

TEST_CASE("round numbers on the axis of ratios are thinned out until they fit") {
  const RegimeStudy study = study_with({{"workers", {2, 4, 8}},
                                        {"communication_to_compute", {1e-4, 1, 1e4}},
                                        {"coefficient_of_variation", {0}}});
  RegimeMap map{.engine = "fair", .algorithms = {"one", "other"}, .points = {}};
  RegimePoint point{.workers = 4, .fastest = 0, .second = 1, .fastest_by_model = 0};
  for (const double mean_s : {1.0, 2.0})
    point.algorithms.push_back({.label = "", .model = Sampling{.mean_s = {.value = mean_s}}});
  map.points.assign(study.points(), point);
  const std::string script = regimes_plot(study, map, "regimes.svg");
  CHECK(script.find("set xtics (\"1e-06\" -6, \"0.01\" -2, \"1\" 0, ") != std::string::npos);
}

TEST_CASE("the key of a regime map explains the colors, hatching, paleness and marks that are drawn") {
  const RegimeStudy study = study_with({{"workers", {4}}});
  RegimeMap map{.engine = "fair", .algorithms = std::vector<std::string>(8, "other"), .points = {}};
  map.algorithms[7] = "eighth";
  RegimePoint point{.workers = 4, .fastest = 7, .second = 0, .fastest_by_model = 7};
  for (int i = 0; i < 8; ++i)
    point.algorithms.push_back({.label = "", .model = Sampling{.mean_s = {.value = i == 7 ? 1.0 : 2.0}}});
  map.points.assign(study.points(), point);
  const auto has = [&](const std::string& part) {
    return regimes_plot(study, map, "regimes.svg").find(part) != std::string::npos;
  };
  CHECK(has("set label 'eighth: fastest at 6' at screen"));
  CHECK_FALSE(has("other: fastest at"));
  CHECK(has("$decided7 using 1:2:3:4:5:6 with boxxyerror fc rgb '#0072B2' fs pattern"));
  CHECK_FALSE(has("pale"));
  CHECK_FALSE(has("simulated"));

  map.points[0].algorithms[0] = point.algorithms[7];
  CHECK(has("set label 'pale: not certainly faster than the second' at screen"));
  CHECK(has("$open7 using 1:2:3:4:5:6 with boxxyerror fc rgb '#99C7E1' fs pattern"));
  map.points[1].is_simulated = true;
  map.points[1].algorithms[7].simulated = Sampling{.mean_s = {.value = 1}};
  map.points[1].algorithms[0].simulated = Sampling{.mean_s = {.value = 2}};
  CHECK(has("set label 'simulated (all others: by the model)' at screen"));
  CHECK_FALSE(has("the model predicts another"));
  map.points[1].fastest_by_model = 0;
  CHECK(has("set label 'simulated; the model predicts another algorithm' at screen"));
  CHECK_FALSE(has("simulated (all"));
}

TEST_CASE("errors in values of a study that come from the command line name the option") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& option) {
    return error_of(folder.path(),
                    [&] { (void)read_regimes(folder.write("study.json", small_study), {option}); });
  };
  CHECK(error("/workers=[0]") ==
        "--set /workers=[0]: /workers/0: out of range, got 0, expected an integer from 2 to 65536");
  CHECK(error("/base/algorithms=[]").starts_with("--set /base/algorithms=[]: /base/algorithms: too short"));
  CHECK(error("/law=gamma") == "no error");
}

TEST_CASE("regime studies without a question are refused with the place of the error") {
  const auto refuses = [](const nlohmann::json& changes, const char* place) {
    CAPTURE(changes.dump());
    CHECK_THROWS_WITH_AS(study_with(changes), doctest::Contains(place), ScenarioError);
  };
  refuses({{"workers", {4}}, {"communication_to_compute", {1}}, {"coefficient_of_variation", {0}}},
          "one point");
  refuses({{"base", {{"algorithms", {{{"kind", "ddp"}}}}}}}, "/base/algorithms");
  refuses({{"base", {{"workload", {{"imbalance", {{"kind", "gamma"}, {"coefficient_of_variation", 0.1}}}}}}}},
          "/base/workload/imbalance");
  refuses({{"workers", {8, 4}}}, "/workers/1");
  refuses({{"communication_to_compute", {{"from", 2}, {"to", 1}, {"points", 3}}}},
          "/communication_to_compute/to");
  refuses({{"communication_to_compute", {0}}}, "/communication_to_compute/0");
  refuses({{"law", "cauchy"}}, "/law");
  refuses({{"coefficient_of_variation", {0, 1e-4}}}, ": /coefficient_of_variation/1: gamma: the coefficient");
  refuses({{"coefficient_of_variation", {{"from", 1e-4}, {"to", 0.1}, {"points", 3}}}},
          ": /coefficient_of_variation/from: ");
  refuses({{"coefficient_of_variation", {{"from", 0}, {"to", 2}, {"points", 3}}}, {"law", "normal"}},
          ": /coefficient_of_variation/to: ");
  refuses({{"coefficient_of_variation", {{"from", 0}, {"to", 0.002}, {"points", 5}}}},
          ": /coefficient_of_variation: ");
  refuses({{"workers", nullptr}}, "workers");
}

}  // namespace
}  // namespace starling

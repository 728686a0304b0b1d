#include "analysis/design/design_search.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "analysis/design/design_report.hpp"
#include "io/data_directory.hpp"
#include "io/scenario_error.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/analysis/design/small_designs.hpp"

namespace starling {
namespace {

constexpr const char* three_algorithms = R"([{"kind": "allreduce"}, {"kind": "ddp"}, {"kind": "dpsgd"}])";

DesignStudy study_of(const ScratchFolder& folder, const nlohmann::json& changes,
                     const std::string& algorithms = three_algorithms) {
  nlohmann::json study{{"base", small_base(algorithms)}, {"families", small_families()}, {"least_gain", 0}};
  study.merge_patch(changes);
  return read_design({.file = folder.write("study.json", study.dump())});
}

/// Results of the same study by running all candidates and by the search with lower bounds.
struct ComparedSearches {
  SearchedDesign all;
  SearchedDesign bounded;
};

ComparedSearches compare_searches(const ScratchFolder& folder, const DesignStudy& study) {
  const DesignSpace space = design_space(study);
  SweepObservers observers;
  observers.warned = [](const std::string& warning) { FAIL_CHECK(warning); };
  return {
      .all = search_in_folder(study, space, folder.path() / "all", {.jobs = 2, .tries_all = true}, observers),
      .bounded = search_in_folder(study, space, folder.path() / "bounded", {}, observers)};
}

TEST_CASE("the search finds the cheapest network that reaches a target with at most half of the runs") {
  const nlohmann::json slow = nlohmann::json::parse(R"({"base": {"workload": {"model": "vgg16"}}})");
  struct Space {
    nlohmann::json changes;
    std::string algorithms;
  };
  std::vector<Space> spaces{
      {{{"target", "110ms"}}, three_algorithms},
      {{{"target", "180ms"}}, three_algorithms},
      {{{"target", "250ms"}}, R"([{"kind": "ddp"}, {"kind": "dear"}, {"kind": "wagma"}])"},
      {{{"objective", "throughput"}, {"target", 2200}, {"seeds", 2}}, three_algorithms},
      {{{"target", "400ms"}}, R"([{"kind": "allreduce"}, {"kind": "wfbp"}, {"kind": "sgp"}])"}};
  spaces.back().changes.merge_patch(slow);
  if (has_address_sanitizer) spaces.resize(1);  // all of them take more than a minute
  for (const Space& space : spaces) {
    const ScratchFolder folder;
    CAPTURE(space.changes.dump());
    const ComparedSearches found =
        compare_searches(folder, study_of(folder, space.changes, space.algorithms));
    REQUIRE(found.all.answer.cheapest.has_value());
    CHECK(found.bounded.answer.cheapest == found.all.answer.cheapest);
    CHECK(found.bounded.answer.cheapest_for_sure == found.all.answer.cheapest_for_sure);
    CHECK(2 * found.bounded.tried <= found.all.tried);
  }
}

TEST_CASE("a candidate hardly better than the best so far is run if only it may reach the target") {
  auto changes = nlohmann::json::parse(R"({
    "base": {"iterations": 3, "warmup_iterations": 1,
      "workload": {"model": "resnet32_cifar10", "compute": {"forward": "200ms", "backward": "400ms"},
        "imbalance": []}},
    "families": [{"name": "star",
      "set": {"/cluster/network": {"kind": "star", "link": {"latency": "100us"}}},
      "vary": [{"/cluster/network/link/bandwidth": ["10Gbps", "100Gbps"]}]}],
    "target": "604.5ms", "least_gain": 0.01})");
  const ScratchFolder folder;
  const ComparedSearches found =
      compare_searches(folder, study_of(folder, changes, R"([{"kind": "allreduce", "collective": "ring"}])"));
  const auto time_s = [&](std::size_t candidate) { return found.all.findings[candidate].objective_s.value; };
  REQUIRE(time_s(0) > 0.6045);
  REQUIRE(time_s(1) < 0.6045);
  REQUIRE(time_s(1) > 0.99 * time_s(0));
  REQUIRE(found.all.answer.cheapest.has_value());
  CHECK(found.bounded.answer.cheapest == found.all.answer.cheapest);
}

TEST_CASE("a study that is resumed after a file has changed says so, and repeats all runs") {
  const ScratchFolder folder;
  const std::filesystem::path model = folder.path() / "own.model.json";
  std::vector<std::string> warnings;
  std::int64_t reused = 0;
  SweepObservers observers;
  observers.warned = [&](const std::string& warning) { warnings.push_back(warning); };
  observers.run_ended = [&](const SweepRun&, bool is_reused) { reused += is_reused ? 1 : 0; };
  const auto search = [&](int elements) {
    folder.write("own.model.json",
                 fmt::format(R"({{"name": "own", "layers": [{{"name": "one", "type": "Linear", "tensors":
                     [{{"name": "weight", "elements": {}}}], "forward_flops_per_sample": 500000}}]}})",
                             elements));
    const DesignStudy study = study_of(folder, {{"base", {{"workload", {{"model", model.string()}}}}}},
                                       R"([{"kind": "allreduce"}])");
    reused = 0;
    return search_in_folder(study, design_space(study), folder.path() / "out", {}, observers).tried;
  };
  const int tried = search(250'000);
  CHECK(tried > 0);
  CHECK(search(250'000) == tried);
  CHECK(reused == tried);
  CHECK(warnings.empty());
  CHECK(search(500'000) > 0);
  CHECK(reused == 0);
  CHECK(warnings == std::vector{model.string() + " has changed since runs in this folder used it: these runs "
                                                 "are not reused"});
}

TEST_CASE("without a target and a least gain the search finds the front of all candidates") {
  std::vector<nlohmann::json> all_changes{{{"seeds", 2}}, nlohmann::json::object(), {{"budget", 15000}}};
  if (has_address_sanitizer) all_changes.resize(1);  // all of them take a minute
  for (const nlohmann::json& changes : all_changes) {
    const ScratchFolder folder;
    const ComparedSearches found = compare_searches(folder, study_of(folder, changes));
    CAPTURE(changes.dump());
    CHECK(found.all.answer.front.size() > 2);
    CHECK(found.bounded.answer.front == found.all.answer.front);
    CHECK(found.bounded.answer.best == found.all.answer.best);
    CHECK(found.bounded.tried < found.all.tried);
    for (std::size_t i = 0; i < found.all.answer.wins.size(); ++i)
      for (const std::size_t network : found.bounded.answer.wins[i].networks)
        CHECK(std::ranges::count(found.all.answer.wins[i].networks, network) == 1);
  }
}

TEST_CASE("with a least gain the search finds the front of all candidates, too") {
  const ScratchFolder folder;
  std::vector<double> least_gains{0.05, 0.001, 0.2, 0.5};
  if (has_address_sanitizer) least_gains.resize(1);  // all of them take a minute
  for (const double least_gain : least_gains) {
    CAPTURE(least_gain);
    const DesignStudy study = study_of(folder, {{"least_gain", least_gain}});
    const ComparedSearches found = compare_searches(folder, study);
    CHECK(found.bounded.tried < found.all.tried);
    CHECK(found.bounded.answer.front == found.all.answer.front);
    CHECK(found.bounded.answer.best == found.all.answer.best);
  }
}

TEST_CASE("a search resumes where it stopped, and its answer is the same for any number of jobs") {
  const ScratchFolder folder;
  const DesignStudy study = study_of(folder, {{"target", "180ms"}});
  const DesignSpace space = design_space(study);
  const SearchedDesign one = search_in_folder(study, space, folder.path() / "one", {});
  int reused = 0;
  SweepObservers observers;
  observers.run_ended = [&](const SweepRun&, bool is_reused) { reused += is_reused ? 1 : 0; };
  const SearchedDesign again = search_in_folder(study, space, folder.path() / "one", {}, observers);
  CHECK(reused == one.tried);
  CHECK(again.answer.front == one.answer.front);
  for (const int jobs : {3, 12}) {
    CAPTURE(jobs);
    const SearchedDesign other =
        search_in_folder(study, space, folder.path() / fmt::format("{}", jobs), {.jobs = jobs});
    CHECK(design_json({study, space, other.findings, other.answer}) ==
          design_json({study, space, one.findings, one.answer}));
  }
}

TEST_CASE("a family of which no network can be built is refused") {
  const ScratchFolder folder;
  nlohmann::json families = small_families();
  families[1]["vary"] = {{{"/cluster/network/oversubscripton", {1, 4}}}};
  CHECK_THROWS_WITH_AS(design_space(study_of(folder, {{"families", families}})),
                       doctest::Contains("/cluster/network/oversubscripton: unknown key"), ScenarioError);
}

TEST_CASE("candidates of a single worker are run, too") {
  const ScratchFolder folder;
  const auto families = nlohmann::json::parse(R"([
    {"name": "star",
     "set": {"/cluster/network": {"kind": "star", "link": {"latency": "1us", "bandwidth": "1Gbps"}}},
     "vary": [{"/cluster/workers": [1, 2]}]}])");
  const DesignStudy study = study_of(folder, {{"families", families}, {"objective", "throughput"}},
                                     R"([{"kind": "ddp"}, {"kind": "dpsgd"}])");
  const SearchedDesign found =
      search_in_folder(study, design_space(study), folder.path() / "all", {.jobs = 2, .tries_all = true});
  REQUIRE(found.findings.size() == 4);
  for (const CandidateFinding& finding : found.findings) CHECK(finding.state == CandidateState::tried);
}

TEST_CASE("every candidate that is not run has a reason") {
  const ScratchFolder folder;
  nlohmann::json families = small_families();
  families[0]["skip"] = nlohmann::json::parse(
      R"([{"when": {"/cluster/network/link/bandwidth": "1Gbps"}, "reason": "too slow"}])");
  families[2]["vary"].push_back({{"/cluster/network/dimensions", {{2, 4}, {3, 3}}}});
  const DesignStudy study =
      study_of(folder, {{"families", families}, {"target", "130ms"}, {"budget", 20000}});
  const DesignSpace space = design_space(study);
  REQUIRE(space.warnings.size() == 1);
  CHECK(space.warnings.front().starts_with("3 networks cannot be built: "));
  CHECK(space.warnings.front().find("study.json: /families/2/vary/1: /cluster/network/dimensions=[3,3]: ") !=
        std::string::npos);
  const SearchedDesign found = search_in_folder(study, space, folder.path(), {});
  std::vector<int> states(8, 0);
  for (const CandidateFinding& finding : found.findings) {
    ++states[static_cast<std::size_t>(finding.state)];
    CHECK(finding.reason.empty() == (finding.state == CandidateState::tried));
  }
  CHECK(states[static_cast<std::size_t>(CandidateState::left_out)] == 3);
  CHECK(states[static_cast<std::size_t>(CandidateState::failed)] == 9);  // 3 × 3 is not 8 hosts
  CHECK(states[static_cast<std::size_t>(CandidateState::out_of_reach)] > 0);
  CHECK(states[static_cast<std::size_t>(CandidateState::dearer)] > 0);
}

TEST_CASE("a budget below the price of every network leaves no candidate") {
  const ScratchFolder folder;
  const DesignStudy study = study_of(folder, {{"budget", 1}});
  const SearchedDesign found = search_in_folder(study, design_space(study), folder.path(), {});
  CHECK(found.tried == 0);
  CHECK(found.answer.front.empty());
  CHECK(!found.answer.best.has_value());
}

/// The error of reading a study with these changes or of building its networks; empty if there is none.
std::string search_error(const ScratchFolder& folder, const nlohmann::json& changes) {
  try {
    (void)design_space(study_of(folder, changes));
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("errors in a design study say where they are") {
  const ScratchFolder folder;
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(search_error(folder, {{"target", "fast"}}), "/target");
  has(search_error(folder, {{"target", 0}}), "/target");
  has(search_error(folder, {{"objective", "cost"}}), "/objective");
  has(search_error(folder, {{"objective", "time_to_loss"}}), "/base/learning: no target loss is given");
  has(search_error(folder, {{"families", nlohmann::json::array()}}), "/families");
  has(search_error(folder, {{"prices", "nowhere.json"}}), "a path relative to the study's file");
  has(search_error(folder, {{"goal", 1}}), "goal");
  has(search_error(folder, {{"base", {{"algorithms", nlohmann::json::array()}}}}), "/algorithms");
  has(search_error(folder, {{"families", {{{"name", "x"}, {"set", {{"/algorithms", 1}}}}}}}),
      "not a property of a network");
  has(search_error(folder, {{"families", {{{"name", "x"}, {"set", {{"/cluster/network", nullptr}}}}}}}),
      "no value");
  const auto star = small_families()[0];
  auto twice = star;
  twice["vary"].push_back({{"/cluster/network/link/bandwidth", {"1Gbps"}}});
  has(search_error(folder, {{"families", {twice}}}), "study.json: /families/0/vary/1: a value varies twice");
  auto replaced = star;
  replaced["set"] = nlohmann::json::object({{"/cluster/network/link/bandwidth", "1Gbps"}});
  replaced["vary"][0] = nlohmann::json::object(
      {{"/cluster/network", nlohmann::json::array({star["set"]["/cluster/network"]})}});
  has(search_error(folder, {{"families", {replaced}}}),
      "study.json: /families/0/vary/0: replaces /cluster/network/link/bandwidth, which varies before it");
  auto without_axis = star;
  without_axis["skip"] = {{{"when", {{"/cluster/workers", 8}}}, {"reason", "r"}}};
  has(search_error(folder, {{"families", {without_axis}}}),
      "study.json: /families/0/skip/0/when/~1cluster~1workers: this pointer does not vary");
  auto sizes = star;
  sizes["vary"].push_back({{"/cluster/workers", {8, 16}}});
  has(search_error(folder, {{"families", {sizes}}}), "/study.json: /objective: networks have");
  CHECK(search_error(folder, {{"families", {sizes}}, {"objective", "throughput"}}).empty());
  auto namesake = small_families()[1];
  namesake["name"] = "star";
  has(search_error(folder, {{"families", {star, namesake}}}),
      "study.json: /families/1/name: this name is already used by /families/0, got \"star\", expected a name "
      "of its own");
  auto wrong = star;
  wrong["set"]["/cluster/network"]["kind"] = "moon";
  has(search_error(folder, {{"families", {wrong}}}), "moon");
}

TEST_CASE("errors in values of a design study that come from the command line name the option") {
  const ScratchFolder folder;
  const nlohmann::json study{{"base", small_base(R"([{"kind": "ddp"}])")}, {"families", small_families()}};
  const auto error = [&](const std::string& option) {
    const auto file = folder.write("study.json", study.dump());
    return error_of(folder.path(), [&] { (void)read_design({.file = file, .overrides = {option}}); });
  };
  CHECK(error("/budget=0").starts_with("--set /budget=0: /budget: out of range, got 0, expected "));
  CHECK(error("/families/1/name=star")
            .starts_with("--set /families/1/name=star: /families/1/name: this name is"));
  CHECK(error("/budget=1000") == "no error");
}

TEST_CASE("a price list without an item that a network needs is an error before any run") {
  const ScratchFolder folder;
  folder.write("prices.json", R"({"name": "ours", "source": "none", "network_cards": [],
    "switch_ports": [], "cables": []})");
  const std::string error = search_error(folder, {{"prices", "prices.json"}});
  CHECK(error.find("/prices.json: the price list \"ours\" has no network card") != std::string::npos);
  CHECK(error.find("star bandwidth=1Gbps") != std::string::npos);
}

TEST_CASE("networks of switches with too many ports get a warning, and are not run") {
  const ScratchFolder folder;
  auto prices =
      nlohmann::json::parse(std::ifstream(data_directory() / "scenarios" / "prices" / "assumed.json"));
  prices["most_switch_ports"] = 7;
  folder.write("prices.json", prices.dump());
  const DesignSpace space = design_space(study_of(folder, {{"prices", "prices.json"}}));
  for (const DesignNetwork& network : space.networks) {
    CAPTURE(network.family);
    // The star has 8 ports on one switch, a leaf 4 and those to its spines.
    CHECK(network.is_candidate() == (network.family != "star"));
  }
  CHECK(space.warnings.front().find("more than 7 ports") != std::string::npos);
  prices["most_switch_ports"] = 1;
  folder.write("prices.json", prices.dump());
  CHECK(search_error(folder, {{"prices", "prices.json"}, {"families", {small_families()[0]}}})
            .find("study.json: /families: all networks are left out: no switch") != std::string::npos);
}

TEST_CASE("in the shipped studies every network can be built and has a price") {
  for (const char* name : {"resnet50_256", "bert_large_512", "gossip_64"}) {
    const DesignStudy study =
        read_design({.file = data_directory() / "scenarios" / "designs" / fmt::format("{}.json", name)});
    const DesignSpace space = design_space(study);
    REQUIRE_FALSE(space.networks.empty());
    for (const DesignNetwork& network : space.networks) {
      CAPTURE(network.text);
      CHECK(network.problem == "");
      CHECK(network.price > 1000);
    }
  }
}

TEST_CASE("the time to a loss can be the objective of a search") {
  const ScratchFolder folder;
  nlohmann::json changes{{"objective", "time_to_loss"},
                         {"base", small_base(R"([{"kind": "allreduce"}, {"kind": "dpsgd"}])")}};
  changes["base"]["iterations"] = 60;
  changes["base"]["learning"] = nlohmann::json::parse(
      R"({"task": "hyperplane", "features": 64, "points": 1024, "batch_size": 32, "learning_rate": 0.05,
          "target_loss": 10})");
  const DesignStudy study = study_of(folder, changes);
  const ComparedSearches found = compare_searches(folder, study);
  REQUIRE(found.all.answer.best.has_value());
  CHECK(found.bounded.answer.front == found.all.answer.front);
  const CandidateFinding& best = found.all.findings[static_cast<std::size_t>(*found.all.answer.best)];
  CHECK(best.objective_s.value > best.iteration_time_s.value);
}

}  // namespace
}  // namespace starling

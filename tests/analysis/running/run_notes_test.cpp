#include <doctest/doctest.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/run_result.hpp"
#include "analysis/running/runner.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("Notes of algorithms in results have exactly the keys of note_keys") {
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

TEST_CASE("The collectives that auto chose are noted for every algorithm that knows them before it runs") {
  const auto chosen = [](const TrainingOptions& options) {
    Scenario scenario = small_scenario();
    add_algorithm(scenario, options);
    scenario.algorithms[0].as_read["collective"] = "auto";
    return simulate(scenario).runs[0].algorithm.value(collectives_chosen_key, std::vector<std::string>{});
  };
  const std::vector<std::string> of_allreduce = chosen(AllreduceOptions{.collective = "auto"});
  CHECK(of_allreduce.size() == 1);
  CHECK(chosen(WagmaOptions{.collective = "auto"}) == of_allreduce);
  CHECK(chosen(ByteSchedulerOptions{.collective = "auto"}) == of_allreduce);
  CHECK(chosen(SlowMoOptions{.collective = "auto",
                             .mixing = MixingOptions{.graph = OnePeerExponentialGraph{}}}) == of_allreduce);
  CHECK_FALSE(chosen(DecentralizedAdamOptions{.collective = "auto"}).empty());
  EagerOptions eager{.kind = EagerOptions::majority, .collective = "auto"};
  CHECK(chosen(eager).empty());  // eager-SGD without model synchronization has no such collective
  eager.model_sync_iterations = 3;
  CHECK(chosen(eager) == of_allreduce);
}

TEST_CASE("A note says where MG-WFBP merges all of several layers") {
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

TEST_CASE("A note has the values that were chosen for open options") {
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

}  // namespace
}  // namespace starling

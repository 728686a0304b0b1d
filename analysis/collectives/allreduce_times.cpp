#include "analysis/collectives/allreduce_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"
#include "analysis/demand/demand.hpp"
#include "analysis/demand/shortage.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "base/in_parallel.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/cluster_file.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

constexpr const char* hierarchical = "hierarchical";

/// A scenario without work. Its model does not matter, as its tensors are replaced.
constexpr const char* one_iteration = R"({
  "iterations": 1,
  "workload": {"model": "resnet50", "batch_size": 1, "compute": {"forward": 0, "backward": 0}},
  "algorithms": [{"kind": "allreduce"}]})";

/// Keys of a scenario that say nothing of its network.
constexpr auto keys_without_effect = {"iterations", "warmup_iterations", "workload", "learning", "algorithms",
                                      "jobs",       "starling",          "measured"};

/// A warning for each override of one of these keys.
std::vector<std::string> warnings_about(const std::vector<Override>& changes) {
  std::vector<std::string> warnings;
  for (const Override& change : changes)
    if (std::ranges::find(keys_without_effect, change.keys.front()) != keys_without_effect.end())
      warnings.push_back(fmt::format(
          "{}: has no effect: only the network of a scenario counts, its cluster, engine and seed",
          name_of(change)));
  return warnings;
}

/// A scenario whose algorithms are all-reduces of one tensor of so many bytes by each of the collectives, one
/// of which may be "auto".
Scenario scenario_of(Scenario scenario, std::int64_t bytes, const std::vector<std::string>& collectives) {
  scenario.workload.model.tensors = {{"data", bytes / bytes_of_float}};
  scenario.workload.model.layers = {{"data", "", 0, 1, 0}};
  scenario.workload.forward_s = {0};
  scenario.workload.backward_s = {0};
  scenario.algorithms.clear();
  for (const std::string& name : collectives)
    scenario.algorithms.push_back(
        {.label = name, .options = AllreduceOptions{.collective = name}, .as_read = {}});
  return scenario;
}

/// The name of the collective that makes such schedules.
std::string collective_of(const Schedule& schedule) {
  constexpr int any_ranks = 4;
  for (const std::string& name : allreduce_collectives())
    if (make_allreduce(*collective_kind(name), any_ranks, 1, {.workers_per_host = 2})->name() ==
        schedule.name())
      return name;
  return schedule.name();
}

std::vector<std::string> collectives_for(const AllreduceQuestion& question, bool with_hierarchical) {
  std::vector<std::string> names = question.collectives.value_or(allreduce_collectives());
  if (!with_hierarchical && std::erase(names, hierarchical) > 0 && question.collectives)
    throw ScenarioError(
        {"--collectives", "", "does not fit this cluster", "\"hierarchical\"", hosts_for_hierarchical});
  return names;
}

void refuse_one_worker(const Scenario& scenario) {
  if (scenario.cluster.workers > 1) return;
  const ScenarioError error({scenario.file.string(), "/cluster/workers", "a single worker has no all-reduce",
                             "1", "2 workers or more"});
  throw naming_override(error, scenario);
}

/// How many sizes are simulated at once, given the machine's memory. @throws ScenarioError if it is too
/// little for one.
int sizes_at_once(const ScenarioJob& job, int most) {
  const JobDemand demand = demand_of(job);
  const MachineSupply supply = supply_of_machine(std::nullopt);
  refuse_shortage(job, demand, supply, Forcing::impossible);
  return job.scenario().engine == Engine::simgrid ? 1 : runs_that_fit(demand, supply, most);
}

/// Times each of the collectives for one size, by the worker whose iteration is the longest; calls `advance`
/// after each.
AllreducesOfSize allreduces_of(const Scenario& base, std::int64_t bytes, std::vector<std::string> collectives,
                               const std::function<void()>& advance) {
  const std::size_t count = collectives.size();
  collectives.emplace_back("auto");
  const Scenario scenario = scenario_of(base, bytes, collectives);
  const ScenarioJob job(scenario);
  SimulatedMachine machine(scenario, job.routes(), nullptr);
  AllreducesOfSize found{.bytes = bytes};
  for (std::size_t i = 0; i < count; ++i) {
    found.times_s.push_back(iteration_time(machine.run_trial(job.run(i)).log, 0).max);
    advance();
  }
  found.chosen_by_auto = collective_of(*job.run(count).algorithm.sequential_collectives().front());
  return found;
}

}  // namespace

Scenario read_network_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides,
                               const std::vector<std::string>& changes) {
  ScenarioDocument document = read_document(file, {});
  nlohmann::json& json = document.json;
  const bool is_cluster = is_cluster_itself(json);
  for (const std::string& option : overrides) change(document, option);
  if (!json.is_object()) return read_scenario(document);  // throws the error
  const std::vector<std::string> ineffective =
      is_cluster ? std::vector<std::string>() : warnings_about(document.changes);
  if (is_cluster) json = nlohmann::json::object({{"cluster", json}});
  for (const char* key : keys_without_effect) json.erase(key);
  json.update(nlohmann::json::parse(one_iteration));
  for (const std::string& option : changes) change(document, option);
  Scenario scenario = read_scenario(document);
  scenario.warnings.insert(scenario.warnings.end(), ineffective.begin(), ineffective.end());
  return scenario;
}

std::vector<std::string> allreduce_collectives() {
  std::vector<std::string> names;
  for (const CollectiveKind kind : collective_kinds())
    if (kind != CollectiveKind::automatic) names.emplace_back(name_of(kind));
  return names;
}

std::size_t AllreducesOfSize::fastest() const {
  return static_cast<std::size_t>(std::ranges::min_element(times_s) - times_s.begin());
}

AllreduceTimes allreduce_times(const Scenario& scenario, const AllreduceQuestion& question,
                               ProgressLine& progress) {
  refuse_one_worker(scenario);
  const Scenario first = scenario_of(scenario, question.sizes_bytes.front(), {"auto"});
  const ScenarioJob job(first);
  const bool with_hierarchical = is_hierarchical_possible(job.facts().workers, job.facts().workers_per_host);
  AllreduceTimes times{.workers = job.workers(),
                       .collectives = collectives_for(question, with_hierarchical),
                       .leaves_out_hierarchical = !with_hierarchical && !question.collectives,
                       .sizes = std::vector<AllreducesOfSize>(question.sizes_bytes.size())};
  progress.expect(static_cast<std::int64_t>(times.sizes.size() * times.collectives.size()));
  progress.begin("all-reduces");
  std::mutex of_progress;
  in_parallel(sizes_at_once(job, question.jobs), times.sizes.size(), [&](std::size_t i) {
    times.sizes[i] = allreduces_of(scenario, question.sizes_bytes[i], times.collectives, [&] {
      const std::lock_guard lock(of_progress);
      progress.advance();
    });
  });
  return times;
}

}  // namespace starling

#include "analysis/design/design_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <stdexcept>
#include <utility>

#include "analysis/running/network_facts.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr std::int64_t most_networks = 10'000;

/// The pointers of all families, sorted, so that a pointer inside another one comes after it.
std::vector<std::string> pointers_of(const DesignStudy& study) {
  std::set<std::string> pointers;
  for (const DesignFamily& family : study.families)
    pointers.insert(family.networks.pointers().begin(), family.networks.pointers().end());
  return {pointers.begin(), pointers.end()};
}

/// The values of a network that vary in its family, as text.
std::string text_of(const DesignFamily& family, std::int64_t combination) {
  std::vector<SweepAxis> varied;
  const std::vector<json> values = family.networks.values(combination);
  for (std::size_t i = family.settings; i < values.size(); ++i)
    varied.push_back({.pointers = {family.networks.pointers()[i]}, .points = {{values[i]}}});
  return varied.empty() ? "" : combination_text(SweepPlan({}, std::move(varied), {}, 1), 0);
}

/// Reads the networks of a study, and collects warnings, labels of algorithms and problems.
class NetworkReader {
 public:
  explicit NetworkReader(const DesignStudy& study) : study_(study), pointers_(pointers_of(study)) {}

  DesignNetwork read(const DesignFamily& family, std::int64_t combination) {
    DesignNetwork network{.family = family.name,
                          .text = text_of(family, combination),
                          .values = values_of(family, combination)};
    if (const auto reason = family.networks.filtered(combination))
      network.left_out = *reason;
    else if (const auto inventory = read(family.networks, combination, network))
      take(*inventory, network);
    return network;
  }

  const std::vector<std::string>& pointers() const { return pointers_; }
  const std::vector<std::string>& algorithms() const { return algorithms_; }
  std::vector<std::string> warnings() const { return {warnings_.begin(), warnings_.end()}; }
  /// The first problem of a family's networks; null if there is none.
  const ScenarioError* first_problem_of(const DesignFamily& family) const {
    const auto found = first_problems_.find(family.name);
    return found == first_problems_.end() ? nullptr : &found->second;
  }

 private:
  /// The value of every pointer of the space; null where the family does not set it.
  std::vector<json> values_of(const DesignFamily& family, std::int64_t combination) const {
    const std::vector<std::string>& own = family.networks.pointers();
    const std::vector<json> values = family.networks.values(combination);
    std::vector<json> all;
    for (const std::string& pointer : pointers_) {
      const auto found = std::ranges::find(own, pointer);
      all.push_back(found == own.end() ? json() : values[static_cast<std::size_t>(found - own.begin())]);
    }
    return all;
  }

  /// The parts of a network; nullopt if it has a problem.
  std::optional<NetworkInventory> read(const SweepPlan& plan, std::int64_t combination,
                                       DesignNetwork& network) {
    try {
      const Scenario scenario = read_scenario(plan.document(combination, 0));
      take(scenario, network);
      const Network built = naming_place(scenario.file.string(), scenario.place + "/cluster/network",
                                         [&] { return network_of(scenario.cluster, HostCosts{}); });
      network.hosts = built.hosts();
      network.switches = built.switches();
      return network_inventory(built, study_.prices.floor_plan);
    } catch (const ScenarioError& error) {
      network.problem = error.what();
      first_problems_.emplace(network.family, error);
      return std::nullopt;
    }
  }

  void take(const Scenario& scenario, DesignNetwork& network) {
    warnings_.insert(scenario.warnings.begin(), scenario.warnings.end());
    if (study_.objective == DesignObjective::time_to_loss &&
        !(scenario.learning && scenario.learning->target_loss))
      throw ScenarioError({study_.base.file.string(), study_.base.place + "/learning",
                           "no target loss is given", "", "\"learning\" with \"target_loss\""});
    if (algorithms_.empty())
      for (const ScenarioAlgorithm& algorithm : scenario.algorithms) algorithms_.push_back(algorithm.label);
    network.workers = scenario.cluster.workers;
    network.samples_per_iteration = scenario.workload.samples_per_iteration() * network.workers;
  }

  void take(const NetworkInventory& inventory, DesignNetwork& network) const {
    try {
      const NetworkCost cost = network_cost(inventory, study_.prices);
      network.price = cost.price;
      network.power_W = cost.power_W;
      network.problem = missing_switch(inventory, study_.prices);
    } catch (const std::invalid_argument& error) {
      throw ScenarioError(
          {study_.price_list.string(), "", error.what(), "",
           fmt::format("a price list with all parts of {} {}", network.family, network.text)});
    }
  }

  const DesignStudy& study_;
  std::vector<std::string> pointers_;
  std::vector<std::string> algorithms_;
  std::set<std::string> warnings_;
  std::map<std::string, ScenarioError> first_problems_;  // by family
};

void check_number(const DesignStudy& study) {
  std::int64_t networks = 0;
  for (const DesignFamily& family : study.families) networks += family.networks.combinations();
  if (networks > most_networks)
    throw ScenarioError({study.file.string(), "/families", "too many networks", fmt::format("{}", networks),
                         fmt::format("at most {}", most_networks)});
}

/// Refuses to compare iteration times, or times to a loss, of networks with different samples per iteration.
void check_comparable(const DesignStudy& study, const std::vector<DesignNetwork>& networks) {
  if (study.objective == DesignObjective::throughput) return;
  std::set<double> samples;
  for (const DesignNetwork& network : networks)
    if (network.is_candidate()) samples.insert(network.samples_per_iteration);
  if (samples.size() > 1)
    throw ScenarioError(
        {study.file.string(), "/objective",
         fmt::format("networks have {} to {} samples per iteration, so their times cannot be compared",
                     *samples.begin(), *samples.rbegin()),
         name_of(study.objective), "\"throughput\""});
}

SweepPlan plan_of(const DesignStudy& study, const std::vector<std::string>& pointers,
                  const std::vector<DesignNetwork>& networks) {
  SweepAxis network_axis{.pointers = pointers, .points = {}};
  for (const DesignNetwork& network : networks) network_axis.points.push_back(network.values);
  SweepAxis algorithm_axis{.pointers = {"/algorithms"}, .points = {}};
  for (const json& algorithm : study.base.json.at("algorithms"))
    algorithm_axis.points.push_back({json::array({algorithm})});
  return SweepPlan(study.base, {std::move(network_axis), std::move(algorithm_axis)}, {}, study.seeds);
}

/// The first problem of a network, behind a colon: ": no switch …"; empty if there is none.
std::string first_problem_text(const std::vector<DesignNetwork>& networks) {
  for (const DesignNetwork& network : networks)
    if (!network.problem.empty()) return ": " + network.problem;
  return "";
}

/// Sentences on why networks cannot be built, for the first four reasons.
std::vector<std::string> problems_of(const std::vector<DesignNetwork>& networks) {
  constexpr std::size_t most_reasons = 4;
  std::vector<std::pair<std::string, std::size_t>> problems;
  for (const DesignNetwork& network : networks) {
    if (network.problem.empty()) continue;
    const auto known =
        std::ranges::find(problems, network.problem, &std::pair<std::string, std::size_t>::first);
    if (known == problems.end())
      problems.emplace_back(network.problem, 1);
    else
      ++known->second;
  }
  std::vector<std::string> reasons;
  for (const auto& [problem, count] : problems | std::views::take(most_reasons))
    reasons.push_back(fmt::format("{} cannot be built: {}", counted(count, "network"), problem));
  if (problems.size() > most_reasons)
    reasons.push_back(
        fmt::format("{} further reasons why networks cannot be built", problems.size() - most_reasons));
  return reasons;
}

}  // namespace

DesignSpace design_space(const DesignStudy& study) {
  check_number(study);
  NetworkReader reader(study);
  std::vector<DesignNetwork> networks;
  for (const DesignFamily& family : study.families) {
    const std::size_t before = networks.size();
    for (std::int64_t i = 0; i < family.networks.combinations(); ++i)
      networks.push_back(reader.read(family, i));
    // Single networks may be impossible; a family without any is a mistake.
    const ScenarioError* problem = reader.first_problem_of(family);
    if (problem && std::ranges::none_of(networks | std::views::drop(before), &DesignNetwork::is_candidate))
      throw ScenarioError(*problem);
  }
  if (std::ranges::none_of(networks, &DesignNetwork::is_candidate))
    throw ScenarioError({study.file.string(), "/families",
                         "all networks are left out" + first_problem_text(networks), "", "at least one"});
  check_comparable(study, networks);
  SweepPlan plan = plan_of(study, reader.pointers(), networks);
  std::vector<std::string> warnings = reader.warnings();
  std::ranges::copy(problems_of(networks), std::back_inserter(warnings));
  return {.networks = std::move(networks),
          .algorithms = reader.algorithms(),
          .plan = std::move(plan),
          .warnings = std::move(warnings)};
}

}  // namespace starling

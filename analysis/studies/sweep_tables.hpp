#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/statistics/estimate.hpp"
#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// The figures of an algorithm in a combination, averaged over its seeds.
struct SweepSummary {
  std::string algorithm;
  int seeds = 0;
  /// For each of sweep_figures(): the mean over the seeds, also for figures such as a seed's longest
  /// iteration, and its standard error. With one seed only the iteration time has an error, by equal-weighted
  /// cosines. Absent unless every seed has the figure.
  std::vector<std::optional<SampleEstimate>> figures;
};

/// The summary of each algorithm, in the scenario's order, from the successful runs of one combination, of
/// which there is at least one, in order of their seeds.
std::vector<SweepSummary> summaries_of(const std::vector<SweepRun>& runs);

/// Calls `visit` with the successful runs of each combination that has any, in order of the combinations.
void for_each_combination(const SweepStore& store,
                          const std::function<void(std::int64_t, const std::vector<SweepRun>&)>& visit);

/// Writes tables of all that a store has, each file whole or not at all:
/// - sweep.csv: a row per run and algorithm, with every varied value and every figure;
/// - sweep_summary.csv: a row per combination and algorithm: means over seeds, with the standard error and
///   the 95 % interval of the iteration time and of the speed-up;
/// - sweep_failed.csv: a row per run that failed, or combination that was left out, with the reason.
void write_sweep_tables(const SweepStore& store, const std::filesystem::path& folder);

/// Checks, before any run, that these tables can be written. @throws ScenarioError that names --out if a
/// folder has the name of one of them.
void check_places_of_tables(const std::filesystem::path& folder);

/// The name of the scenario of a successful run.
std::string name_of_scenario(const SweepRun& run);

/// A short name for each pointer: its last keys, as many as distinguish it from the other pointers, and never
/// an index alone: "workers", "1/delay", "algorithms/0".
std::vector<std::string> short_names(const std::vector<std::string>& pointers);

/// The varied values of a combination, with the short names of their pointers: "workers=8, delay=0ms". Values
/// that the base keeps (null) are left out.
std::string combination_text(const SweepPlan& plan, std::int64_t combination);

}  // namespace starling

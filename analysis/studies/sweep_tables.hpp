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

/// What an algorithm achieved in a combination, with all its seeds.
struct SweepSummary {
  std::string algorithm;
  int seeds = 0;
  /// Of every figure, in their order; its mean over the seeds, also of a seed's longest iteration, and its
  /// error: of one seed that of the iteration time alone, by equal-weighted cosines.
  std::vector<std::optional<SampleEstimate>> figures;
};

/// What algorithms achieved, from the runs of one combination, which are in order of their seeds; in the
/// order of the scenario.
std::vector<SweepSummary> summaries_of(const std::vector<SweepRun>& runs);

/// Calls `visit` with all runs of a combination that were done, for every one that has any, in order.
void for_each_combination(const SweepStore& store,
                          const std::function<void(std::int64_t, const std::vector<SweepRun>&)>& visit);

/// Writes, whole or not at all, from the store alone:
/// - sweep.csv: a row per run and algorithm, with every varied value and every figure;
/// - sweep_summary.csv: a row per combination and algorithm: means over seeds, with the standard error and
///   the 95 % interval of the iteration time and of the speed-up;
/// - sweep_failed.csv: a row per run that failed, or combination that was left out, with the reason.
void write_sweep_tables(const SweepStore& store, const std::filesystem::path& folder);

/// Before anything is run. @throws ScenarioError that names --out if a folder is where one of them belongs.
void check_places_of_tables(const std::filesystem::path& folder);

/// What the scenario of a run that was done is called.
std::string name_of_scenario(const SweepRun& run);

/// Each pointer by its last keys, as many as tell it from the others, and not by a number alone: "workers",
/// "1/delay", "algorithms/0".
std::vector<std::string> short_names(const std::vector<std::string>& pointers);

/// "workers=8, delay=0ms": each pointer by its short name.
std::string combination_text(const SweepPlan& plan, std::int64_t combination);

}  // namespace starling

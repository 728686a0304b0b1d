#include "analysis/reproduction/kept_runs.hpp"

#include <fmt/format.h>

#include <variant>

#include "io/version.hpp"

namespace starling {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunFigures, mean_s, median_s, relative_error, mean_active_workers,
                                   is_drifting, iterations, warmup_iterations)

std::string KeptRuns::key_of(const PublishedRun& run) {
  const auto* scenario = std::get_if<Scenario>(&run);
  const std::string run_key =
      scenario != nullptr ? hash_.of(*scenario) : std::get<CollectiveLatencyOptions>(run).as_read;
  return ScenarioHash::of(
      fmt::format("{} {}{}", build(), run_key, predictor_ == Predictor::model ? " by the model" : ""));
}

std::optional<RunFigures> KeptRuns::find(const PublishedRun& run) {
  try {
    return lines_.find(key_of(run)).get<RunFigures>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void KeptRuns::keep(const PublishedRun& run, const RunFigures& figures) { lines_.keep(key_of(run), figures); }

}  // namespace starling

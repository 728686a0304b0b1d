#include "analysis/reproduction/kept_runs.hpp"

#include <fmt/format.h>

#include <variant>

#include "io/version.hpp"

namespace starling {
namespace {

using nlohmann::json;

json json_of(const RunFigures& figures) {
  return {{"mean_s", figures.mean_s},
          {"median_s", figures.median_s},
          {"relative_error", figures.relative_error},
          {"mean_active_workers", figures.mean_active_workers},
          {"is_drifting", figures.is_drifting},
          {"iterations", figures.iterations},
          {"warmup_iterations", figures.warmup_iterations}};
}

std::optional<RunFigures> figures_of(const json& found) {
  if (!found.is_object()) return std::nullopt;
  try {
    return RunFigures{.mean_s = found.at("mean_s").get<double>(),
                      .median_s = found.at("median_s").get<double>(),
                      .relative_error = found.at("relative_error").get<double>(),
                      .mean_active_workers = found.at("mean_active_workers").get<double>(),
                      .is_drifting = found.at("is_drifting").get<bool>(),
                      .iterations = found.at("iterations").get<std::int64_t>(),
                      .warmup_iterations = found.at("warmup_iterations").get<std::int64_t>()};
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string KeptRuns::key_of(const PublishedRun& run) {
  const auto* scenario = std::get_if<Scenario>(&run);
  const std::string run_key =
      scenario != nullptr ? hash_.of(*scenario) : std::get<CollectiveLatencyOptions>(run).as_read;
  return ScenarioHash::of(
      fmt::format("{} {}{}", build(), run_key, predictor_ == Predictor::model ? " by the model" : ""));
}

std::optional<RunFigures> KeptRuns::find(const PublishedRun& run) {
  return figures_of(lines_.find(key_of(run)));
}

void KeptRuns::keep(const PublishedRun& run, const RunFigures& figures) {
  lines_.keep(key_of(run), json_of(figures));
}

}  // namespace starling

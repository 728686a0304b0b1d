#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>

#include "analysis/reproduction/collective_latency.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// A run that predictions are made from: a scenario with one algorithm, or a microbenchmark of a collective.
using PublishedRun = std::variant<Scenario, CollectiveLatencyOptions>;

/// Reads the document of a scenario or a benchmark, as made by published_scenario.hpp. `file`: its name in
/// errors.
/// @throws ScenarioError if it is not valid.
PublishedRun read_published_run(const nlohmann::json& document, const std::filesystem::path& file);

/// The figures of a run.
struct RunFigures {
  double mean_s = 0;          // of an iteration, or of the latency
  double median_s = 0;        // of the durations of all workers' iterations; 0 for a latency
  double relative_error = 0;  // standard error of the mean over the mean; if drifting, the change over it
  double mean_active_workers = 0;  // of an operation
  bool is_drifting = false;        // iterations still changed while they were counted
  /// The length of the run in the end, warm-up included; 0 for a latency.
  std::int64_t iterations = 0;
  std::int64_t warmup_iterations = 0;
};

/// How runs are predicted.
enum class Predictor { simulation, model };

/// Why the model cannot predict the run, as a clause; absent if it can, or if the run is invalid anyway.
std::optional<std::string> reason_without_model(const PublishedRun& run);

/// Predicts a run, with so many iterations that the standard error of the mean is about 1 % or, if that would
/// take more than 5·10⁷ events, with as many as those allow. A run whose iterations drift by more than 1 %
/// while they are counted is made four times as long, with four times the warm-up, until they do not, or
/// until so many events are reached. Safe to call from several threads at once.
/// @throws ScenarioError, DeadlockError, CommunicationError, std::invalid_argument if the run is impossible;
/// std::invalid_argument if the model cannot predict it.
RunFigures execute(const PublishedRun& run, Predictor predictor = Predictor::simulation);

/// Iterations times workers of a run, to which its time is roughly proportional.
std::int64_t size_of(const PublishedRun& run);

}  // namespace starling

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

/// What a prediction is made of: a scenario with one algorithm, or a microbenchmark of a collective.
using PublishedRun = std::variant<Scenario, CollectiveLatencyOptions>;

/// The scenario, or the benchmark, that published_scenario.hpp makes of an entry. Errors call it `file`.
/// @throws ScenarioError if it is not right.
PublishedRun read_published_run(const nlohmann::json& document, const std::filesystem::path& file);

/// What a run gave. Times in seconds.
struct RunFigures {
  double mean_s = 0;               // of an iteration, or of the latency
  double median_s = 0;             // of the durations of all workers' iterations; absent (0) for a latency
  double relative_error = 0;       // standard error of the mean, relative to it; if drifting, the change
  double mean_active_workers = 0;  // of an operation
  bool is_drifting = false;        // iterations still changed while they were counted
  /// How long the run was in the end; 0 of a latency.
  std::int64_t iterations = 0;
  std::int64_t warmup_iterations = 0;
};

/// By what runs are predicted.
enum class Predictor { simulation, model };

/// Why the model does not predict it, as a clause; nothing if it does, or if the run is impossible anyway.
std::optional<std::string> reason_without_model(const PublishedRun& run);

/// Predicts it, for so many iterations that the sampling error of the mean is about 1 % or, if that would
/// take more than 5·10⁷ events, as many as those allow. A run whose iterations change by more than that while
/// they are counted is made four times as long, and counted four times as late, until they do not, or as far
/// as so many events allow. Safe to call from several threads at once.
/// @throws ScenarioError, DeadlockError, CommunicationError, std::invalid_argument if that is impossible,
/// std::invalid_argument if the model does not predict it.
RunFigures execute(const PublishedRun& run, Predictor predictor = Predictor::simulation);

/// How many workers' iterations a run has: roughly proportional to the time that it takes.
std::int64_t size_of(const PublishedRun& run);

}  // namespace starling

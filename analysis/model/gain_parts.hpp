#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/running/run_observers.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// How much shorter an algorithm's mean iteration is than all-reduce's, divided among the three reasons why
/// decentralized training pays. The parts sum to the gain. Reference: Wang, Zhang, Wu, Johansson, "From
/// promise to practice: realizing high-performance decentralized training", ICLR 2025.
struct GainParts {
  double gain_s = 0;
  double overlap_s = 0;        // communication beside computing
  double cheaper_s = 0;        // communication that costs less
  double insensitivity_s = 0;  // less waiting for stragglers
};

/// The Shapley values of the three parts: what each adds to those switched on before it, as mean over all six
/// orders (Shapley 1953). gain_s[s] is the gain in seconds with the parts in subset s switched on: bit 0
/// overlap, bit 1 cheaper communication, bit 2 insensitivity. The parts sum to gain_s[7] − gain_s[0].
GainParts shapley_parts(const std::array<double, 8>& gain_s);

/// An algorithm's gain, or why it cannot be divided.
struct ExplainedGain {
  std::string label;
  double iteration_time_s = 0;  // mean
  std::optional<GainParts> parts = {};
  /// Standard errors of the gain and its parts, by equal-weighted cosines of their values in each iteration,
  /// under the same draws; the error of the factor on message costs is left out. Absent where iterations do
  /// not differ by chance, are too few or no whole periods, or where both algorithms do not run equally many.
  std::optional<GainParts> errors = {};
  std::string reason = {};
};

/// The gains of a scenario's algorithms over one of them, the baseline.
struct ExplainedGains {
  std::string baseline;
  double baseline_s = 0;  // its mean iteration
  std::vector<ExplainedGain> of_others;
};

/// Divides the gain of every algorithm over the scenario's first allreduce, by simulations in which each of
/// the three parts is switched on or off. Costs 8 to 19 simulations of each algorithm: one as it is, six of
/// the other combinations, and 1 to 12 that search for the factor on message costs (see below). The parts:
/// - insensitivity: without it, every iteration of every worker has the mean load of the run, under both
///   algorithms;
/// - overlap: without it, the last layer takes the time of the whole backward pass, and of the whole forward
///   pass, so that no gradient is ready sooner and no layer can begin later; `overlap` of D-PSGD, SGP and
///   decentralized Adam is switched off, too;
/// - cheaper communication: without it, all message costs are multiplied by the factor that makes an
///   iteration without overlap, of workers with equal loads, as long as all-reduce's.
/// So without all three there is no gain. Runs whose recurrence is exact are evaluated.
///
/// `iterations`: how many of each algorithm, warm-up included. If it is empty, the scenario's number, also
/// where iterations are to go on until means are precise: a caller that knows how many that takes passes
/// them.
/// @throws ScenarioError as ScenarioJob does, and if there is no allreduce.
ExplainedGains explain_gains(const Scenario& scenario, const RunObservers& observers = {},
                             const std::vector<std::int64_t>& iterations = {});

/// The index of the first allreduce, the baseline of gains. @throws ScenarioError if there is none.
std::size_t baseline_of_gains(const Scenario& scenario);

}  // namespace starling

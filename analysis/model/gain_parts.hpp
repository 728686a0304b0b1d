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

/// How much shorter an algorithm's mean iteration is than all-reduce's, and by what: the three reasons why
/// decentralized training pays, of Wang, Zhang, Wu, Johansson, "From promise to practice: realizing
/// high-performance decentralized training", ICLR 2025. The parts sum to the gain.
struct GainParts {
  double gain_s = 0;
  double overlap_s = 0;        // communication beside computing
  double cheaper_s = 0;        // communication that costs less
  double insensitivity_s = 0;  // less waiting for whoever is slow
};

/// The Shapley values of the three: what each adds to those that are there before it, as mean over all six
/// orders (Shapley 1953). gain_s[s] is the gain in seconds where the subset s is switched on: bit 0 overlap,
/// bit 1 cheaper communication, bit 2 insensitivity. The parts sum to gain_s[7] − gain_s[0].
GainParts shapley_parts(const std::array<double, 8>& gain_s);

/// An algorithm's gain, or why it cannot be divided.
struct ExplainedGain {
  std::string label;
  double iteration_time_s = 0;  // mean
  std::optional<GainParts> parts = {};
  /// Standard errors of the gain and its parts, by equal-weighted cosines of what they are in each iteration,
  /// under the same draws; that of the factor on what messages cost is left out. Absent where iterations do
  /// not differ by chance, or there are too few, no whole periods, or not as many of both.
  std::optional<GainParts> errors = {};
  std::string reason = {};
};

/// The gains of all algorithms of a scenario but the one that they gain over.
struct ExplainedGains {
  std::string baseline;
  double baseline_s = 0;  // its mean iteration
  std::vector<ExplainedGain> of_others;
};

/// Divides the gain of every algorithm over the scenario's first allreduce, by simulations in which each of
/// the three is there or switched off. Costs 8 to 19 simulations of each algorithm: one as it is, six of the
/// other combinations, and 1 to 12 that search for the factor on what messages cost (see below). The three:
/// - insensitivity: without it, every iteration of every worker meets the mean load of the run, under both
///   algorithms;
/// - overlap: without it, the whole backward pass is that of the last layer, and the whole forward pass, too,
///   so that no gradient is there sooner and no layer can begin later; D-PSGD, SGP and decentralized Adam
///   have `overlap` switched off, too;
/// - cheaper communication: without it, all that messages cost is multiplied by what makes an iteration
///   without overlap, of even workers, as long as all-reduce's.
/// So without all three there is no gain. Runs that are exact by the model are evaluated.
///
/// `iterations`: how many of each algorithm, warm-up included; the scenario's number if it is empty, also
/// where iterations are to go on until means are known. Whoever has a mean of more of them passes them on.
/// @throws ScenarioError as ScenarioJob does, and if there is no allreduce.
ExplainedGains explain_gains(const Scenario& scenario, const RunObservers& observers = {},
                             const std::vector<std::int64_t>& iterations = {});

/// The number of the first allreduce, over which gains are explained. @throws ScenarioError if there is none.
std::size_t baseline_of_gains(const Scenario& scenario);

}  // namespace starling

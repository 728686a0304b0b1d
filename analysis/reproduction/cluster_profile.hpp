#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace starling {

/// The ids of the published entries that numbers of a profile were fitted to. Empty for numbers that have
/// only a source, which is a text for people.
using CalibrationEntries = std::vector<std::string>;

/// The compute times of one worker's iteration, for a model at one batch size.
struct ProfileCompute {
  nlohmann::json match;  // as in ProfileSoftware
  std::string model;
  double batch_size = 0;  // samples per worker; tokens where those are the samples
  double forward_s = 0;
  double backward_s = 0;
  nlohmann::json optimizer_rate;       // as in a scenario; null if the update takes no time
  nlohmann::json imbalance;            // as in a scenario: the natural variation; null if there is none
  std::optional<double> mean_samples;  // of a batch, where entries state only a maximum
  std::optional<double> samples_per_epoch;
  CalibrationEntries calibrated_on;
};

/// The roofline of a GPU, for the compute times of models that have no measured ones.
struct ProfileRoofline {
  nlohmann::json compute;  // as in a scenario
  CalibrationEntries calibrated_on;
};

/// The behavior of a program: keys that scenarios of matching entries get.
struct ProfileSoftware {
  nlohmann::json match;      // keys that an entry's algorithm, workload, model or paper must have
  nlohmann::json algorithm;  // merged into the scenario's algorithm
  nlohmann::json cluster;    // merged into the scenario's cluster
  nlohmann::json workload;   // merged into the scenario's workload
  CalibrationEntries calibrated_on;
};

/// Where a value of the profile's cluster comes from.
struct ProfileParameter {
  std::string pointer;  // into the profile, of a value or an object of values
  CalibrationEntries calibrated_on;
};

/// All that scenarios need to know of a cluster that published entries were measured on.
struct ClusterProfile {
  std::filesystem::path file;
  std::string name;
  std::uint64_t seed = 1;
  nlohmann::json cluster;  // a scenario's block without workers and workers_per_host
  std::vector<ProfileCompute> compute;
  std::optional<ProfileRoofline> roofline;
  std::vector<ProfileSoftware> software;
  std::vector<ProfileParameter> parameters;
};

/// Reads and checks a profile, with what it inherits. @throws ScenarioError if anything is wrong, including a
/// value of the cluster without a source.
ClusterProfile read_cluster_profile(const std::filesystem::path& file);

/// All ids of published entries that a profile was fitted to, each once.
std::vector<std::string> calibration_entries(const ClusterProfile& profile);

}  // namespace starling

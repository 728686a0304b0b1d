#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/reproduction/cluster_profile.hpp"
#include "analysis/reproduction/published_file.hpp"
#include "analysis/reproduction/published_run.hpp"

namespace starling {

/// The profiles of clusters by their ids.
using ClusterProfiles = std::map<std::string, ClusterProfile>;

/// The state of a published entry; `predicted`: it has a prediction, but its published value is unknown.
enum class EntryStatus { compared, predicted, not_comparable, failed };

/// How a published entry is predicted, or why it is not.
struct EntryPlan {
  EntryStatus status = EntryStatus::compared;
  std::string reason = {};             // unless compared
  std::vector<std::size_t> runs = {};  // indices in ReproductionPlan::runs of those that it needs
  /// Computes the prediction from the figures of these runs, in that order.
  std::function<double(const std::vector<RunFigures>& figures)> predict = {};
  bool is_calibration = false;  // a profile's numbers were fitted to it
};

/// The runs that all predictions take, each only once.
struct ReproductionPlan {
  std::vector<EntryPlan> entries;  // of each published entry
  std::vector<PublishedRun> runs;
  std::vector<std::string> scenarios;  // of each run, as JSON
};

/// Turns published entries into runs. What prevents the prediction of an entry becomes the reason in its
/// plan.
ReproductionPlan plan_reproduction(const std::vector<PublishedEntry>& entries,
                                   const ClusterProfiles& profiles);

/// One of the plan's scenarios, with the length that its run had in the end.
std::string with_length(const std::string& scenario, const RunFigures& figures);

/// Makes the entries that the model cannot predict not comparable, with the reason.
void leave_out_unmodeled(ReproductionPlan& plan);

}  // namespace starling

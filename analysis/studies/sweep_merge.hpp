#pragma once

#include <functional>
#include <span>
#include <string>

#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// The plan that all parts of a sweep have in common. `parts` are folders; they are opened one after the
/// other, as there may be more of them than a process may have open files. @throws ScenarioError that names a
/// part if it belongs to another sweep than the first one, or was made with other contents of an input file.
SweepPlan plan_of_parts(std::span<const std::string> parts);

/// Replaces the plan of `whole` and merges the runs of all parts into it, in one transaction: if that fails,
/// the store is as before. Calls `warned` if parts have different results of the same run, of which the first
/// is kept, or were made by different builds.
void merge_parts(std::span<const std::string> parts, const SweepPlan& plan, SweepStore& whole,
                 const std::function<void(const std::string&)>& warned);

}  // namespace starling

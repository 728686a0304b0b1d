#pragma once

#include <functional>
#include <span>
#include <string>

#include "analysis/studies/sweep_store.hpp"

namespace starling {

/// The plan of the parts of a sweep: folders that are opened one after the other, as there may be more of
/// them than files may be open. @throws ScenarioError that names a part if it is of another sweep than the
/// first one, or was made of an input file that held something else.
SweepPlan plan_of_parts(std::span<const std::string> parts);

/// Makes a store hold what these have, or, if that fails, what it had. Warns where runs do not go together.
void merge_parts(std::span<const std::string> parts, const SweepPlan& plan, SweepStore& whole,
                 const std::function<void(const std::string&)>& warned);

}  // namespace starling

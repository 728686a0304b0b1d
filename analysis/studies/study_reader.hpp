#pragma once

#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "io/json/json_reader.hpp"

namespace starling {

/// The place that errors of a sweep name for an axis or a filter that was read at `place`.
SweepPlace place_of(const JsonPlace& place);

/// Reads the base scenario of a study: an object is the scenario itself, a text the name of its file.
/// @throws ScenarioError if the file cannot be read.
ScenarioDocument read_base(const JsonPlace& place);

/// Reads a base scenario that has algorithms. @throws ScenarioError also if it has several jobs, or no
/// algorithm.
ScenarioDocument read_base_with_algorithms(const JsonPlace& place);

/// Reads the axes of a study: a list whose elements are each either an object that maps JSON pointers to
/// lists of equal length, or a list of objects that have the same JSON pointers. Empty if the key is missing.
std::vector<SweepAxis> read_axes(const ObjectReader& study, const std::string& key);

/// Reads which combinations are left out, and why: a list of objects with `when` and `reason`. Empty if the
/// key is missing.
std::vector<SweepFilter> read_filters(const ObjectReader& study, const std::string& key);

/// How many seeds a study asks for; 1 if it does not say.
int read_seeds(ObjectReader& study);

/// @throws ScenarioError that names the option --seeds unless there are 1 to 1,000,000.
void check_seeds(int seeds);

}  // namespace starling

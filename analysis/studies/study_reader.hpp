#pragma once

#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "io/json/json_reader.hpp"

namespace starling {

/// Where errors of the sweep say they are that is made of what stands at `place`.
SweepPlace place_of(const JsonPlace& place);

/// A scenario in a study itself, or the file of one. @throws ScenarioError as those below.
ScenarioDocument read_base(const JsonPlace& place);

/// The same. @throws ScenarioError unless it is about at least one algorithm that has the network to itself.
ScenarioDocument read_base_with_algorithms(const JsonPlace& place);

/// What varies: a list, each axis an object of lists, which are as long, or a list of objects with the same
/// JSON pointers. None if the key is not there.
std::vector<SweepAxis> read_axes(const ObjectReader& study, const std::string& key);

/// What is left out, and why: a list of objects with `when` and `reason`. None if the key is not there.
std::vector<SweepFilter> read_filters(const ObjectReader& study, const std::string& key);

/// How many seeds a study asks for: one if it does not say.
int read_seeds(ObjectReader& study);

/// @throws ScenarioError that names the option --seeds if these are too few or too many.
void check_seeds(int seeds);

}  // namespace starling

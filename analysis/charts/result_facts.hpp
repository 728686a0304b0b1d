#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// What the scenario is called, else its file's folder.
std::string name_of(const SavedResult& result);

/// What somebody who ran this wanted to know, and what the result says to that, in sentences.
std::string question_of(const SavedResult& result);
std::vector<std::string> answer_of(const SavedResult& result);

/// Whether times are equal but for rounding.
bool take_as_long(double one_s, double other_s);

/// ", of the first seed" where there are several, of which only the first tells who took part and what was
/// learned; else empty.
std::string of_first_seed(const SavedResult& result);

/// The scenario and how it was found out, as names and values.
std::vector<std::pair<std::string, std::string>> facts_of(const SavedResult& result);

}  // namespace starling

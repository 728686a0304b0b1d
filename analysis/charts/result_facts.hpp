#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/results/files/saved_result.hpp"

namespace starling {

/// The name of the scenario; if it has none, that of the result's folder.
std::string name_of(const SavedResult& result);

/// The question behind a run, and the answer that its result gives, in sentences.
std::string question_of(const SavedResult& result);
std::vector<std::string> answer_of(const SavedResult& result);

/// Whether two times are equal within rounding errors.
bool take_as_long(double one_s, double other_s);

/// ", of the first seed" if the result has several seeds, as participation and learning are only those of the
/// first; else empty.
std::string of_first_seed(const SavedResult& result);

/// Facts about the scenario and how it was run, as names and values.
std::vector<std::pair<std::string, std::string>> facts_of(const SavedResult& result);

}  // namespace starling

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/validation/validation.hpp"

namespace starling {

/// validation.json; `starling schema validation` describes it.
nlohmann::ordered_json validation_json(const Validation& validation);

/// A table for people: a line for every case, the means, and of the worst cases the phase that differs.
std::string validation_table(const Validation& validation);

}  // namespace starling

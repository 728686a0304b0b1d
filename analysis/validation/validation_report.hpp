#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/validation/validation.hpp"

namespace starling {

/// The document of validation.json; `starling schema validation` describes it.
nlohmann::ordered_json validation_json(const Validation& validation);

/// A table for people: a line for every case, means by group, and for the worst cases the phase that differs
/// most.
std::string validation_table(const Validation& validation);

}  // namespace starling

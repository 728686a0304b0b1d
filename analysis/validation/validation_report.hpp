#pragma once

#include <string>

#include "analysis/validation/validation.hpp"

namespace starling {

/// The text of validation.json; `starling schema validation` describes it.
std::string validation_text(const Validation& validation);

/// For people: a line for every case, the means, and of the worst cases the phase that differs.
std::string validation_table(const Validation& validation);

}  // namespace starling

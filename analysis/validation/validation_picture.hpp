#pragma once

#include <filesystem>
#include <string>

#include "analysis/validation/validation.hpp"

namespace starling {

/// A gnuplot script that draws predicted against measured iteration times, above the relative errors with the
/// measurements' own spread as bars; dashed lines mark ±3 % and ±8 %. A color and a symbol for each label.
std::string validation_plot(const Validation& validation, const std::filesystem::path& svg_file);

/// Draws it with the program gnuplot. @throws std::runtime_error if that is not installed or fails.
void draw_validation(const Validation& validation, const std::filesystem::path& svg_file);

}  // namespace starling

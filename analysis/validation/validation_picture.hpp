#pragma once

#include <filesystem>
#include <string>

#include "analysis/validation/validation.hpp"

namespace starling {

/// A gnuplot script that draws predicted against measured iteration times, and below them the relative
/// errors, with the spread of measured repetitions as bars; dashed lines mark ±3 % and ±8 %. A color and a
/// symbol for each label.
std::string validation_plot(const Validation& validation, const std::filesystem::path& svg_file);

/// Runs that script with the program gnuplot. @throws std::runtime_error if gnuplot is not installed or
/// fails.
void draw_validation(const Validation& validation, const std::filesystem::path& svg_file);

}  // namespace starling

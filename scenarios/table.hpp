#pragma once

#include <string>

#include "scenarios/result.hpp"

namespace starling {

/// The result as a short table for people: one line per run, below a line that says what was simulated.
std::string result_table(const Result& result);

/// A time with four digits and a fitting unit: "615.3 ms".
std::string time_text(double seconds);

/// A number of bytes with four digits and a fitting unit (powers of 1000): "102.2 MB".
std::string bytes_text(double bytes);

}  // namespace starling

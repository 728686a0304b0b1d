#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace starling {

/// A text for gnuplot, in which nothing is special: no escapes, no commands.
std::string gnuplot_text(std::string_view text);

/// Lets gnuplot carry out a script that draws `picture`. @throws ScenarioError if there is no folder for it,
/// std::runtime_error if gnuplot is not installed or cannot.
void run_gnuplot(const std::string& script, const std::filesystem::path& picture);

}  // namespace starling

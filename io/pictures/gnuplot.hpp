#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace starling {

/// A text quoted for gnuplot, so that it contains neither escapes nor commands.
std::string gnuplot_text(std::string_view text);

/// A data block of gnuplot: rows of numbers, each with a line end, that plots refer to by name, such as
/// "$points".
std::string gnuplot_data(std::string_view name, std::string_view rows);

/// Gnuplot's settings for a picture of that size; the ending of its name gives the format: .svg, .png or
/// .pdf. @throws ScenarioError for any other name.
std::string gnuplot_terminal(const std::filesystem::path& picture, double width_in, double height_in);

/// Colors that people with any color vision tell apart. Reference: Okabe, Ito, "Color Universal Design",
/// 2008.
inline constexpr std::array<const char*, 7> distinguishable_colors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                                   "#E69F00", "#56B4E9", "#000000"};
/// Gnuplot's point types to combine with these colors.
inline constexpr std::array<int, 7> distinguishable_points{7, 5, 9, 13, 11, 15, 3};

/// Runs a gnuplot script that draws `picture`. An existing picture is replaced only once the new one is
/// complete. In PNG and PDF, characters that no font has are shown as "?", with a warning. @throws
/// ScenarioError if the folder does not exist or the file cannot be written; std::runtime_error if gnuplot is
/// not installed, fails or draws an incomplete picture; std::system_error if the result cannot be written.
void run_gnuplot(const std::string& script, const std::filesystem::path& picture);

}  // namespace starling

#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <string_view>

namespace starling {

/// A text for gnuplot, in which nothing is special: no escapes, no commands.
std::string gnuplot_text(std::string_view text);

/// Rows of numbers, each with a line end, that plots call by that name: "$points".
std::string gnuplot_data(std::string_view name, std::string_view rows);

/// The settings that make it draw a picture of that size, whose name says how: .svg, .png or .pdf. @throws
/// ScenarioError for any other name.
std::string gnuplot_terminal(const std::filesystem::path& picture, double width_in, double height_in);

/// Colors that people with any color vision tell apart. Reference: Okabe, Ito, "Color Universal Design",
/// 2008.
inline constexpr std::array<const char*, 7> told_apart_colors{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                              "#E69F00", "#56B4E9", "#000000"};
/// Gnuplot's point types that go with them.
inline constexpr std::array<int, 7> told_apart_points{7, 5, 9, 13, 11, 15, 3};

/// Lets gnuplot carry out a script that draws `picture`, which keeps what it has until that is done. Warns of
/// characters that no font has, of which PNG and PDF show "?". @throws ScenarioError if there is no folder
/// for it, or it cannot be written, std::runtime_error if gnuplot is not installed or cannot, or what it has
/// drawn is not whole, std::system_error if that cannot be written.
void run_gnuplot(const std::string& script, const std::filesystem::path& picture);

}  // namespace starling

#pragma once

#include <filesystem>
#include <string>

#include "topologies/networks/network.hpp"

namespace starling {

/// More vertices than that are a blot.
inline constexpr int most_vertices_drawn = 2000;

/// A gnuplot script that draws hosts, switches and cables: a grid as it is, in two dimensions of which
/// further ones lie side by side, with stubs for the cables that close it; switches above the hosts that they
/// join; anything else in a circle. @throws std::invalid_argument for more vertices than most_vertices_drawn,
/// or a file that is neither .svg nor .png nor .pdf.
std::string network_plot(const Network& network, const std::string& title, const std::filesystem::path& file);

/// Runs it. @throws std::runtime_error if gnuplot is not there or fails.
void draw_network(const Network& network, const std::string& title, const std::filesystem::path& file);

}  // namespace starling

#pragma once

#include <filesystem>
#include <string>

#include "topologies/networks/network.hpp"

namespace starling {

/// A gnuplot script that draws hosts, switches and cables where drawing_of() has them. @throws
/// std::invalid_argument for more vertices than most_vertices_drawn, or a file that is neither .svg nor .png
/// nor .pdf.
std::string network_plot(const Network& network, const std::string& title, const std::filesystem::path& file);

/// Runs it. @throws std::runtime_error if gnuplot is not there or fails.
void draw_network(const Network& network, const std::string& title, const std::filesystem::path& file);

}  // namespace starling

#pragma once

#include <filesystem>
#include <string>

#include "topologies/networks/network.hpp"

namespace starling {

/// A gnuplot script that draws hosts, switches and cables, placed by drawing_of(), to `file`. @throws
/// std::invalid_argument for more than most_vertices_drawn hosts and switches, or a file that is neither .svg
/// nor .png nor .pdf.
std::string network_plot(const Network& network, const std::string& title, const std::filesystem::path& file);

/// Runs that script. @throws std::runtime_error if gnuplot is not installed or fails.
void draw_network(const Network& network, const std::string& title, const std::filesystem::path& file);

}  // namespace starling

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// The graph of a file, which is read if its text is not there yet; see FileGraph for the formats.
/// @throws std::invalid_argument if the file cannot be read or used; the text names the file, and the line
/// where the format lets it.
std::unique_ptr<CommunicationGraph> read_graph_file(int workers, FileGraph file);

/// The same, of text that is there already; `name` stands for the file in errors.
std::unique_ptr<CommunicationGraph> read_edge_list(int workers, std::string_view text,
                                                   const std::string& name, bool is_directed);
std::unique_ptr<CommunicationGraph> read_graphml(int workers, const std::string& text,
                                                 const std::string& name, std::optional<bool> is_directed);

}  // namespace starling

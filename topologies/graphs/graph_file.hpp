#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "topologies/graphs/communication_graph.hpp"

namespace starling {

/// The graph of a file, which is read unless `file.text` is there; see FileGraph for the formats.
/// @throws std::invalid_argument if the file cannot be read or its graph cannot be used; the text names the
/// file and, where known, the line.
std::unique_ptr<CommunicationGraph> read_graph_file(int workers, FileGraph file);

/// The same for text in memory; `name` is what errors call it.
std::unique_ptr<CommunicationGraph> read_edge_list(int workers, std::string_view text,
                                                   const std::string& name, bool is_directed);
std::unique_ptr<CommunicationGraph> read_graphml(int workers, const std::string& text,
                                                 const std::string& name, std::optional<bool> is_directed);

}  // namespace starling

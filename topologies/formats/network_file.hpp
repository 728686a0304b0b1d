#pragma once

#include <string>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// A network given by a file: GraphML, the node-link JSON of networkx, or a SimGrid platform of the form that
/// `starling network --export simgrid` writes.
struct FileNetworkOptions {
  static constexpr std::string_view name = "file";
  static constexpr std::string_view summary =
      "a GraphML file, node-link JSON, or a SimGrid platform such as `starling network --export` writes "
      "where hosts have one worker each";
  std::string path = {};
};

void describe_kind(FileNetworkOptions& options, int hosts, OptionVisitor& visitor);

/// Reads the file; see GivenNetwork for which nodes are hosts. Routes are the shortest, found by search, but
/// those of a platform are as given there.
///
/// @throws std::invalid_argument with file and line, or JSON pointer, of what is wrong; ScenarioError if the
/// file cannot be read or is no JSON.
Fabric build_from_file(int hosts, const FileNetworkOptions& options);

}  // namespace starling

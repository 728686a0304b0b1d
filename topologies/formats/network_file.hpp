#pragma once

#include <string>
#include <string_view>

#include "topologies/layouts/fabric.hpp"

namespace starling {

/// A network read from a file: GraphML, the node-link JSON of networkx, or a SimGrid platform in the form
/// that `starling network --export simgrid` writes.
struct FileNetworkOptions {
  static constexpr std::string_view name = "file";
  static constexpr std::string_view summary =
      "a GraphML file, node-link JSON, or a SimGrid platform such as `starling network --export` writes "
      "where hosts have one worker each";
  std::string path = {};
};

void describe_kind(FileNetworkOptions& options, int hosts, OptionVisitor& visitor);

/// Reads the file; fabric_of(const GivenNetwork&, int) says which nodes are hosts. Routes are shortest paths,
/// found by search, except that a platform lists its routes.
///
/// @throws std::invalid_argument with file and line, or JSON pointer, of the error; ScenarioError if the file
/// cannot be read or is not valid JSON.
Fabric build_from_file(int hosts, const FileNetworkOptions& options);

}  // namespace starling

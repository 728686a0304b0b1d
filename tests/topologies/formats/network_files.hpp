#pragma once

#include <doctest/doctest.h>

#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "tests/io/scratch_folder.hpp"
#include "tests/topologies/networks/clusters.hpp"
#include "topologies/networks/export_network.hpp"

namespace starling {

/// Exports a network and reads it back, for as many hosts.
inline Network read_back(const Network& network, const std::string& format, const std::string& file_name) {
  const ScratchFolder folder;
  const std::string path = (folder.path() / file_name).string();
  std::ofstream file(path);
  export_network(network, format, file);
  file.close();
  return network_of(network.workers(), FileNetworkOptions{.path = path});
}

/// The error of reading a network file with this text for a cluster of that many hosts, without the folder's
/// path; "no error" if there is none.
inline std::string error_in(const std::string& file_name, const std::string& text, int hosts) {
  const ScratchFolder folder;
  try {
    network_of(hosts, FileNetworkOptions{.path = folder.write(file_name, text).string()});
  } catch (const std::exception& error) {
    std::string message = error.what();
    const std::string path = folder.path().string() + "/";
    for (std::size_t at = message.find(path); at != std::string::npos; at = message.find(path))
      message.erase(at, path.size());
    return message;
  }
  return "no error";
}

inline void check_same_links(const Network& one, const Network& other) {
  REQUIRE(one.links().size() == other.links().size());
  for (std::size_t i = 0; i < one.links().size(); ++i) {
    CHECK(one.links()[i].name == other.links()[i].name);
    CHECK(one.links()[i].bandwidth_Bps == other.links()[i].bandwidth_Bps);
    CHECK(one.links()[i].latency_s == other.links()[i].latency_s);
    CHECK(one.links()[i].is_entry == other.links()[i].is_entry);
  }
}

/// The routes between all pairs of workers, as texts.
inline std::vector<std::string> texts_of_routes(const Network& network) {
  std::vector<std::string> texts;
  for (Rank source = 0; source < network.workers(); ++source)
    for (Rank destination = 0; destination < network.workers(); ++destination)
      if (source != destination) texts.push_back(route_text(network, source, destination));
  return texts;
}

}  // namespace starling

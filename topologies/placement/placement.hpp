#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options/option_visitor.hpp"

namespace starling {

/// How ranks are assigned to hosts.
struct PlacementOptions {
  /// One of placement_names().
  std::string name = "block";
  /// The host of each rank: given instead of a name, or found for "optimized". Empty: `name` decides.
  std::vector<int> hosts = {};
  /// The seed of "random".
  std::uint64_t seed = 1;
};

inline constexpr std::string_view optimized_placement = "optimized";

/// The most hosts for which a placement is optimized.
inline constexpr int most_optimized_hosts = 1024;

/// Whether the placement is the default, rank r on host r / workers_per_host.
inline bool is_block(const PlacementOptions& options) {
  return options.hosts.empty() && options.name == "block";
}

/// The placement as `starling network` calls it: its name, or "list" if hosts are given.
inline std::string shown_name(const PlacementOptions& options) {
  return options.hosts.empty() ? options.name : "list";
}

/// The ranks and hosts that a placement is for.
struct PlacementSite {
  int workers = 1;
  int workers_per_host = 1;
  int hosts = 1;
  /// The sizes of the grid that the hosts form, row-major; empty if they form none.
  std::span<const int> dimensions = {};
};

std::vector<std::string> placement_names();

/// Describes the key "placement" of a cluster; `workers` is 0 if their number is unknown.
void describe_placement(PlacementOptions& options, int workers, int hosts, OptionVisitor& visitor);

/// The host of each rank. Empty means rank r on host r / workers_per_host: for "block", and for "optimized"
/// until hosts have been found.
///
/// round_robin: rank r on host r mod hosts. random: the places of block, in random order. snake: blocks of
/// workers_per_host ranks along a line that goes through the grid row by row, back and forth, so that each
/// host is a neighbor of the previous one; in a Hamming mesh, hosts on different boards have a switch in
/// between (a reflected Gray code of mixed radix; Knuth, "The Art of Computer Programming", 4A, 7.2.1.1,
/// algorithm H).
///
/// The options must be such as describe_placement() accepts.
/// @throws std::invalid_argument if the network has no grid for "snake" or more than most_optimized_hosts for
/// "optimized", or a list of hosts has the wrong length or overfills a host; the text begins with
/// "placement".
std::vector<int> hosts_of_ranks(const PlacementOptions& options, const PlacementSite& site);

/// The number of ranks per host, if every host has the same number of consecutive ranks; the host of the last
/// ranks may have fewer. 0 otherwise. `hosts` holds the host of each rank.
int ranks_of_each_host(std::span<const int> hosts);

/// The hosts of a grid in snake order. `dimensions` must not be empty.
std::vector<int> snake_order(std::span<const int> dimensions);

/// The host of each rank, if each block of workers_per_host consecutive ranks is on the next host of `order`.
std::vector<int> blocks_on(std::span<const int> order, const PlacementSite& site);

}  // namespace starling

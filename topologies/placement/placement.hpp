#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/options/option_visitor.hpp"

namespace starling {

/// On which host each rank is.
struct PlacementOptions {
  /// One of placement_names().
  std::string name = "block";
  /// The host of each rank, in place of a name, or as found for "optimized". Empty means by the name.
  std::vector<int> hosts = {};
  /// Of "random".
  std::uint64_t seed = 1;
};

inline constexpr std::string_view optimized_placement = "optimized";

/// Whether rank r is on host r / workers_per_host, as where nothing is said.
inline bool is_block(const PlacementOptions& options) {
  return options.hosts.empty() && options.name == "block";
}

/// As facts call it: its name, or "list" where hosts are given.
inline std::string shown_name(const PlacementOptions& options) {
  return options.hosts.empty() ? options.name : "list";
}

/// What ranks are placed on.
struct PlacementSite {
  int workers = 1;
  int workers_per_host = 1;
  int hosts = 1;
  /// The dimensions of the grid that the hosts stand on, row-major; empty where they stand on none.
  std::span<const int> dimensions = {};
};

std::vector<std::string> placement_names();

/// The key "placement" of a cluster of so many workers; 0 where that is unknown.
void describe_placement(PlacementOptions& options, int workers, int hosts, OptionVisitor& visitor);

/// The host of each rank; empty for rank r on host r / workers_per_host, which is "block", and "optimized" as
/// long as no hosts were found.
///
/// round_robin: rank r on host r mod hosts. random: the places of block, in random order. snake: blocks of
/// workers_per_host ranks along a line that goes through the grid row by row, back and forth, so that each
/// host is next to the one before it, in a Hamming mesh with a switch in between where their boards differ (a
/// reflected Gray code of mixed radix; Knuth, "The Art of Computer Programming", 4A, 7.2.1.1, algorithm H).
///
/// The options are as described.
/// @throws std::invalid_argument if there is no such placement here; the text begins with "placement" and
/// says what was given and what would be accepted.
std::vector<int> hosts_of_ranks(const PlacementOptions& options, const PlacementSite& site);

/// How many ranks each host has, one after the other, the last host perhaps fewer; 0 if numbers differ
/// otherwise, or a host has ranks at several places. `hosts` holds that of each rank.
int ranks_of_each_host(std::span<const int> hosts);

/// The hosts of a grid in the order of the snake. `dimensions` must not be empty.
std::vector<int> snake_order(std::span<const int> dimensions);

/// The host of each rank where every workers_per_host successive ranks are on the next host of `order`.
std::vector<int> blocks_on(std::span<const int> order, const PlacementSite& site);

}  // namespace starling

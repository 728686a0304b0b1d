#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "topologies/formats/network_file.hpp"
#include "topologies/layouts/dragonfly.hpp"
#include "topologies/layouts/hamming_mesh.hpp"
#include "topologies/layouts/link_options.hpp"
#include "topologies/layouts/rail.hpp"
#include "topologies/layouts/random_regular.hpp"
#include "topologies/layouts/slim_fly.hpp"

namespace starling {

/// Every host on one switch. Two hosts are two links apart, so α is twice the latency of a link.
struct StarOptions {
  static constexpr std::string_view name = "star";
  static constexpr std::string_view summary = "every host on one switch";
  /// From each host to the switch.
  LinkOptions link = {};
  /// Instead of `link`, the link of each host in order, for hosts with unequal network cards. Empty: all have
  /// `link`.
  std::vector<LinkOptions> host_links = {};
};

/// Hosts 0, 1, … in a ring, with one cable from host i to host i+1. A ring of two hosts has one cable, not
/// two.
struct RingOptions {
  static constexpr std::string_view name = "ring";
  static constexpr std::string_view summary = "hosts connected in a cycle";
  LinkOptions link = {};
  /// False: the hosts are the vertices of the ring and forward messages. True: there is a switch at each
  /// vertex, `link` joins the switches, and each switch has one host, joined by `host_link`.
  bool switches = false;
  /// From a host to its switch, if there are switches; the default is `link`.
  std::optional<LinkOptions> host_link = {};
};

/// A ring without the cable from the last host to the first.
struct LineOptions {
  static constexpr std::string_view name = "line";
  static constexpr std::string_view summary = "a ring without the cable from the last host to the first";
  LinkOptions link = {};
  /// As in RingOptions.
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// A grid with wrap-around in every dimension. Host numbers are row-major: the last dimension varies fastest.
/// In a dimension of size 2 one cable joins two neighbors; a dimension of size 1 has no cables.
struct TorusOptions {
  static constexpr std::string_view name = "torus";
  static constexpr std::string_view summary = "a grid of any number of dimensions, with wrap-around in each";
  /// The sizes, one or more; their product is the number of hosts.
  std::vector<int> dimensions = {};
  LinkOptions link = {};
  /// Instead of `link`, the link of each dimension. Empty: all have `link`.
  std::vector<LinkOptions> dimension_links = {};
  /// As in RingOptions, but with `dimension_links` and switches, `host_link` is required.
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// A torus without the wrap-around cables.
struct MeshOptions {
  static constexpr std::string_view name = "mesh";
  static constexpr std::string_view summary = "a torus without the wrap-around cables";
  /// As in TorusOptions.
  std::vector<int> dimensions = {};
  LinkOptions link = {};
  std::vector<LinkOptions> dimension_links = {};
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// Hosts whose numbers differ in exactly one bit are joined. The number of hosts must be a power of two.
struct HypercubeOptions {
  static constexpr std::string_view name = "hypercube";
  static constexpr std::string_view summary =
      "hosts whose numbers differ in one bit are connected; their number is a power of two";
  LinkOptions link = {};
  /// As in RingOptions.
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// A cable between every two hosts.
struct CompleteOptions {
  static constexpr std::string_view name = "complete";
  static constexpr std::string_view summary = "a cable between every two hosts";
  LinkOptions link = {};
  /// As in RingOptions.
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// One level of a fat tree: the switches of level i and their cables to level i−1 (level 0 are the hosts).
struct FatTreeLevel {
  /// Down ports: how many vertices of the level below each switch of this level reaches.
  int down = 0;
  /// Up ports: how many switches of this level each vertex of the level below reaches.
  int up = 0;
  /// The number of cables between two vertices that are joined.
  int parallel = 1;
  /// The cables between this level and the one below; the default is the network's `link`.
  std::optional<LinkOptions> link = {};
};

/// Either `k`: the three-level Clos network of k-port switches, with k³/4 ports for hosts. k must be even.
/// Or `levels` from the hosts upward: with down ports d and up ports u it has ∏d ports for hosts, and level i
/// has ∏(u of levels ≤ i)·∏(d of levels > i) switches. Exactly one of the two must be given.
///
/// Hosts take the ports in order. There may be fewer hosts than ports; all switches are built nevertheless.
/// References: Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center network architecture", SIGCOMM
/// 2008; Öhring, Ibel, Das, Kumar, "On generalized fat trees", IPPS 1995 (XGFT(h; d…; u…)).
struct FatTreeOptions {
  static constexpr std::string_view name = "fat_tree";
  static constexpr std::string_view summary =
      "a Clos network of k-port switches, or levels with given up and down ports";
  std::optional<int> k = {};
  std::vector<FatTreeLevel> levels = {};
  LinkOptions link = {};
};

/// Leaf switches with `hosts_per_leaf` ports for hosts, each joined to every spine switch. Hosts fill one
/// leaf after the other.
struct LeafSpineOptions {
  static constexpr std::string_view name = "leaf_spine";
  static constexpr std::string_view summary =
      "leaf switches, each connected to every spine switch, with oversubscription";
  int hosts_per_leaf = 0;
  int spines = 0;
  /// From a host to its leaf.
  LinkOptions link = {};
  /// The bandwidth of a leaf to its hosts over that to the spines. A link from leaf to spine gets the
  /// bandwidth hosts_per_leaf·bandwidth/(spines·oversubscription) and the latency of `link`. The default, if
  /// there is no `spine_link` either, is 1: no oversubscription.
  std::optional<double> oversubscription = {};
  /// From a leaf to a spine; excludes `oversubscription`.
  std::optional<LinkOptions> spine_link = {};
  /// The default is as many as the hosts need.
  std::optional<int> leaves = {};
};

/// A cable between two vertices of a GraphOptions.
struct GraphCable {
  int from = 0;
  int to = 0;
  LinkOptions link = {};
};

/// Any network, cable by cable. Vertices 0 … hosts−1 are the hosts, the following ones the switches. There
/// must be a path between any two hosts. Routes may pass through hosts, unless `hosts_forward` is false.
/// Among equally short paths, those over the first `preferred_switches` switches are taken.
struct GraphOptions {
  static constexpr std::string_view name = "graph";
  static constexpr std::string_view summary = "any network, cable by cable";
  int switches = 0;
  std::vector<GraphCable> cables = {};
  bool hosts_forward = true;
  int preferred_switches = 0;
};

using NetworkKind =
    std::variant<StarOptions, RingOptions, LineOptions, TorusOptions, MeshOptions, HypercubeOptions,
                 CompleteOptions, FatTreeOptions, LeafSpineOptions, DragonflyOptions, HammingMeshOptions,
                 SlimFlyOptions, RandomRegularOptions, RailOptions, GraphOptions, FileNetworkOptions>;

/// Changes selected links of the finished network, but not those inside hosts; later overrides win over
/// earlier ones. Exactly one of the three selectors must be given and must match some link, and at least one
/// change must be given.
struct LinkOverride {
  /// Selector: links (each one direction of a cable) by name, such as "host3 -> switch0", or by shell
  /// pattern: "leaf* -> spine0". The second of parallel cables is called "leaf0 -> spine0 #2".
  std::optional<std::string> link = {};
  /// Selector: both directions of the cables between two vertices, by names or patterns: {"leaf0", "spine*"}.
  std::optional<std::array<std::string, 2>> between = {};
  /// Selector: every link from or to this host.
  std::optional<int> host = {};

  std::optional<double> bandwidth_Bps = {};
  std::optional<double> latency_s = {};
  /// Removes the cables, both directions, even if the selector names only one; excludes the other two
  /// changes. Routes are then the shortest ones that remain.
  std::optional<bool> has_failed = {};

  bool removes_cables() const { return has_failed.value_or(false); }
};

/// How a route chooses among several links that lead equally near to the destination.
enum class PathChoice {
  /// By a hash of the two workers and the vertex, as Ethernet fabrics do per flow (ECMP), with one flow for
  /// each pair of workers. Flows may collide.
  hash,
  /// By the digits of the destination host's number (D-mod-k), as InfiniBand subnet managers do on fat trees.
  /// In a fat tree with full bisection bandwidth, shift permutations do not collide, not even with parallel
  /// cables.
  destination,
  /// The first link by the number of the sending worker, all others by the digits of the number of the
  /// receiving worker: for hosts with several ports, where every GPU uses the nearest one, as with NCCL. A
  /// worker sends through one port and receives through one port; the workers of a host share its ports
  /// evenly.
  worker,
};

struct NetworkOptions {
  NetworkKind kind = StarOptions{};
  PathChoice path_choice = PathChoice::hash;
  /// Selects another hash function for PathChoice::hash; absent means 0.
  std::optional<std::uint64_t> hash_seed = {};
  std::vector<LinkOverride> overrides = {};
};

void describe(FatTreeLevel& level, OptionVisitor& visitor);
void describe_override(LinkOverride& change, int hosts, OptionVisitor& visitor);

/// Describes the network between `hosts` hosts. With 0 hosts, their number is unknown, and checks and
/// defaults that depend on it are left out.
void describe_network(NetworkOptions& options, int hosts, OptionVisitor& visitor);

}  // namespace starling

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

/// Every host on one switch: hosts on a star are two links apart, so α between them is twice the link's
/// latency.
struct StarOptions {
  static constexpr std::string_view name = "star";
  static constexpr std::string_view summary = "every host on one switch";
  /// From each host to the switch.
  LinkOptions link = {};
  /// Instead of `link`, one for each host in order: hosts with unequal network cards. Empty means all alike.
  std::vector<LinkOptions> host_links = {};
};

/// Hosts 0, 1, … joined in a circle: host i to host i+1 is one link. Two hosts have one cable between them,
/// not two.
struct RingOptions {
  static constexpr std::string_view name = "ring";
  static constexpr std::string_view summary = "hosts joined in a circle";
  LinkOptions link = {};
  /// False: the hosts are the vertices of the graph and forward. True: a switch stands at each vertex, `link`
  /// joins the switches, and each switch has one host on a link of its own.
  bool switches = false;
  /// From a host to its switch, where there are switches; left out, the same as `link`.
  std::optional<LinkOptions> host_link = {};
};

/// A ring without the cable from the last host to the first.
struct LineOptions {
  static constexpr std::string_view name = "line";
  static constexpr std::string_view summary = "a ring without the closing cable";
  LinkOptions link = {};
  /// As in RingOptions.
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// A grid that is closed in every dimension. Host numbers are row-major: the last dimension varies fastest. A
/// dimension of size 2 has one cable between its two hosts, a dimension of size 1 none.
struct TorusOptions {
  static constexpr std::string_view name = "torus";
  static constexpr std::string_view summary = "a grid of any dimension, closed in each";
  /// Their product is the number of hosts. Any number of dimensions from one up.
  std::vector<int> dimensions = {};
  LinkOptions link = {};
  /// Instead of `link`, one for each dimension. Empty means all alike.
  std::vector<LinkOptions> dimension_links = {};
  /// As in RingOptions; where `dimension_links` is given, `host_link` must be as well.
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// A torus without the closing cables.
struct MeshOptions {
  static constexpr std::string_view name = "mesh";
  static constexpr std::string_view summary = "a torus without the closing cables";
  /// As in TorusOptions.
  std::vector<int> dimensions = {};
  LinkOptions link = {};
  std::vector<LinkOptions> dimension_links = {};
  bool switches = false;
  std::optional<LinkOptions> host_link = {};
};

/// Hosts whose numbers differ in one bit are joined. The number of hosts must be a power of two.
struct HypercubeOptions {
  static constexpr std::string_view name = "hypercube";
  static constexpr std::string_view summary =
      "hosts whose numbers differ in one bit are joined; a power of two of them";
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

/// One level of a fat tree: the switches of level i and the cables down to level i−1 (level 0 are the hosts).
struct FatTreeLevel {
  /// Down ports: how many vertices of the level below each switch of this level reaches.
  int down = 0;
  /// Up ports: how many switches of this level each vertex of the level below reaches.
  int up = 0;
  /// Cables between two vertices that are joined.
  int parallel = 1;
  /// The cables between this level and the one below; left out, the network's `link`.
  std::optional<LinkOptions> link = {};
};

/// Either `k`: the three-level Clos network of k-port switches, with k³/4 ports for hosts. k must be even.
/// Or `levels` from the hosts upward: with down ports d and up ports u it has ∏d ports for hosts, and level i
/// has ∏(u of levels ≤ i)·∏(d of levels > i) switches. Exactly one of the two must be given.
///
/// Hosts take the ports in order and may be fewer than the ports; all switches are there in any case.
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

/// Leaf switches with `hosts_per_leaf` ports for hosts, each joined to every spine switch. Hosts fill leaf
/// after leaf.
struct LeafSpineOptions {
  static constexpr std::string_view name = "leaf_spine";
  static constexpr std::string_view summary =
      "leaf switches, each joined to every spine switch, with oversubscription";
  int hosts_per_leaf = 0;
  int spines = 0;
  /// From a host to its leaf.
  LinkOptions link = {};
  /// What a leaf can take in from its hosts over what it can pass on to the spines: derives the bandwidth of
  /// the link from leaf to spine as hosts_per_leaf·bandwidth/(spines·oversubscription), with the latency of
  /// `link`. Left out together with `spine_link`: 1, no oversubscription.
  std::optional<double> oversubscription = {};
  /// From a leaf to a spine, given outright; excludes `oversubscription`.
  std::optional<LinkOptions> spine_link = {};
  /// Left out: as many as the hosts need.
  std::optional<int> leaves = {};
};

/// A cable between two vertices of a GraphOptions.
struct GraphCable {
  int from = 0;
  int to = 0;
  LinkOptions link = {};
};

/// Any network, cable by cable. Vertices 0 … hosts−1 are the hosts, those after them the switches. Every two
/// hosts must be joined; hosts with several cables forward, unless they are said not to.
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

/// Changes some links of the finished network (not those inside hosts); later overrides win over earlier
/// ones. Exactly one of the three selectors must be given, it must select something, and it must be said what
/// becomes of that.
struct LinkOverride {
  /// Selector: one direction by its name, such as "host3 -> switch0", or by a shell pattern: "leaf* ->
  /// spine0". The second of parallel cables is called "leaf0 -> spine0 #2".
  std::optional<std::string> link = {};
  /// Selector: both directions of the cables between two vertices, by names or patterns: {"leaf0", "spine*"}.
  std::optional<std::array<std::string, 2>> between = {};
  /// Selector: every link from or to this host.
  std::optional<int> host = {};

  std::optional<double> bandwidth_Bps = {};
  std::optional<double> latency_s = {};
  /// The cables are gone, in both directions, also where the selector names one; goes with neither value.
  /// Routes are the shortest that are left.
  std::optional<bool> has_failed = {};

  bool takes_away() const { return has_failed.value_or(false); }
};

/// How a route chooses where several next links are equally near to the destination.
enum class PathChoice {
  /// By a hash of the two workers and the vertex: what Ethernet fabrics do per flow (ECMP), which two workers
  /// have one of. Flows may collide.
  hash,
  /// By the digits of the destination host's number (D-mod-k): what InfiniBand subnet managers do on fat
  /// trees. Shifts do not collide in a fat tree with full bisection, also where cables are parallel.
  destination,
  /// Out of a host by the place of the worker that sends, from there on by the digits of the number of the
  /// one that receives: hosts with several ports, of which every GPU uses the one next to it, as NCCL does.
  /// All that one worker sends takes one port, and all that it receives; workers of a host share the ports
  /// evenly.
  worker,
};

struct NetworkOptions {
  NetworkKind kind = StarOptions{};
  PathChoice path_choice = PathChoice::hash;
  /// Which of the hashes; absent as 0.
  std::optional<std::uint64_t> hash_seed = {};
  std::vector<LinkOverride> overrides = {};
};

void describe(FatTreeLevel& level, OptionVisitor& visitor);
void describe_override(LinkOverride& change, int hosts, OptionVisitor& visitor);

/// Describes the network between that many hosts; without hosts, what depends on their number is unknown.
void describe_network(NetworkOptions& options, int hosts, OptionVisitor& visitor);

}  // namespace starling

#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "base/types.hpp"

namespace starling {

/// Which neighbors a worker of a ring sends to.
enum class RingDirection { both, left, right };

/// Workers 0, 1, … in a circle. Sends to rank − 1 (left), rank + 1 (right), or both.
struct RingGraph {
  static constexpr std::string_view name = "ring";
  static constexpr std::string_view summary = "sends to rank − 1 (left), rank + 1 (right), or both";
  RingDirection direction = RingDirection::both;
};

/// Every worker is joined with the worker in the center.
struct StarGraph {
  static constexpr std::string_view name = "star";
  static constexpr std::string_view summary = "every worker is joined with the one in the center";
  Rank center = 0;
};

/// Every worker is joined with every other.
struct CompleteGraph {
  static constexpr std::string_view name = "complete";
  static constexpr std::string_view summary = "everyone with everyone";
};

/// Rows × columns, row-major, not closed.
struct Mesh2dGraph {
  static constexpr std::string_view name = "mesh_2d";
  static constexpr std::string_view summary = "a grid, row-major, not closed";
  /// Left out: the two factors of the number of workers that are nearest to each other, the smaller first.
  std::optional<std::array<int, 2>> dimensions = {};
};

/// A grid that is closed in every dimension, row-major. A dimension of size 2 gives one neighbor, of size 1
/// none.
struct TorusGraph {
  static constexpr std::string_view name = "torus";
  static constexpr std::string_view summary = "a grid of any dimension, closed";
  /// Their product is the number of workers. Empty: two dimensions, as in Mesh2dGraph.
  std::vector<int> dimensions = {};
};

/// Workers whose numbers differ in one bit are joined. The number of workers must be a power of two.
struct HypercubeGraph {
  static constexpr std::string_view name = "hypercube";
  static constexpr std::string_view summary = "workers whose numbers differ in one bit; P a power of two";
};

/// Directed: every worker sends to those base^k further on, for every base^k < workers.
struct ExponentialGraph {
  static constexpr std::string_view name = "exponential";
  static constexpr std::string_view summary = "directed: to those base^k further on";
  int base = 2;
};

/// Every worker is joined with those base^k further on and further back, for every base^k ≤ workers / 2.
struct SymmetricExponentialGraph {
  static constexpr std::string_view name = "symmetric_exponential";
  static constexpr std::string_view summary = "those base^k ≤ P/2 further on and back";
  int base = 4;
};

/// How the workers at distance 2^r find each other.
enum class ExponentialPairs {
  /// exchange where the number of workers is a power of two, else shift.
  automatic,
  /// Rank i with i XOR 2^r: pairs that send to each other.
  exchange,
  /// Rank i sends to i + 2^r and receives from i − 2^r, modulo any number of workers.
  shift,
};

/// One distance of the exponential graph in each iteration: 2^r with r = iteration mod ⌈log₂ workers⌉.
/// Reference: Ying, Yuan, Chen, Hu, Pan, Yin, "Exponential graph is provably efficient for decentralized deep
/// training", NeurIPS 2021.
struct OnePeerExponentialGraph {
  static constexpr std::string_view name = "one_peer_exponential";
  static constexpr std::string_view summary = "one distance 2^r in each iteration";
  ExponentialPairs pairs = ExponentialPairs::automatic;
  /// n distances instead of one: iteration t takes the exponents (t·n + 0 … n−1) mod ⌈log₂ workers⌉. At most
  /// as many as there are exponents.
  int peers = 1;
};

/// Pairs {i, i+1} with i even and pairs {i, i−1} with i even take turns. The number of workers must be even.
struct OnePeerRingGraph {
  static constexpr std::string_view name = "one_peer_ring";
  static constexpr std::string_view summary = "the left and the right neighbor take turns; P even";
};

/// Averages inside hosts and across pairs of hosts at distance 2^r take turns. The hosts must be full and
/// their number a power of two, at least 2.
///
/// Two iterations for each r = 0 … log₂(hosts) − 1. The pairs of hosts (j, j + 2^r) are counted in the order
/// of j, on from one r to the next; pairs with an even number average inside each host first and across both
/// hosts second, those with an odd number the other way round.
/// Reference: Wang, Zhang, Wu, Johansson, "From promise to practice: realizing high-performance decentralized
/// training", ICLR 2025.
struct AlternatingExponentialRingGraph {
  static constexpr std::string_view name = "alternating_exponential_ring";
  static constexpr std::string_view summary = "averages inside hosts and across pairs of hosts take turns";
};

/// A random connected graph in which every worker has `degree` neighbors. workers · degree must be even.
/// Reference: Steger, Wormald, "Generating random regular graphs quickly", Combinatorics, Probability and
/// Computing 8(4), 1999.
struct RandomRegularGraph {
  static constexpr bool is_random = true;
  static constexpr std::string_view name = "random_regular";
  static constexpr std::string_view summary = "a random connected graph in which all have the same degree";
  int degree = 4;
};

/// A ring in which everyone is joined with the `neighbors` nearest, where each edge is moved to a random
/// worker with the given probability.
/// Reference: Watts, Strogatz, "Collective dynamics of 'small-world' networks", Nature 393, 1998.
struct SmallWorldGraph {
  static constexpr bool is_random = true;
  static constexpr std::string_view name = "small_world";
  static constexpr std::string_view summary = "a ring of nearest neighbors with some edges moved";
  /// Even, at least 2, less than the number of workers.
  int neighbors = 4;
  double rewiring_probability = 0.1;
};

/// An edge over which `source` sends to `destination`. The weight is what the destination multiplies the
/// source's model with; an edge from a worker to itself gives its own weight.
struct GraphEdge {
  Rank source = 0;
  Rank destination = 0;
  std::optional<double> weight = {};
};

/// Any graph, edge by edge. Either all edges have weights or none. A worker without an edge to itself has the
/// own weight 1 − (the weights that it receives with).
struct EdgeListGraph {
  static constexpr std::string_view name = "edge_list";
  static constexpr std::string_view summary = "any graph, edge by edge";
  std::vector<GraphEdge> edges = {};
  /// False: every edge runs both ways and is given once.
  bool is_directed = false;
};

/// A graph from a file: GraphML where the name ends in .graphml or .xml, with nodes called by their ranks, or
/// else in the order of these, and weights in the edge attribute "weight" of type double; anything else is
/// read as lines "source destination [weight]", where # begins a comment.
struct FileGraph {
  static constexpr std::string_view name = "file";
  static constexpr std::string_view summary =
      "a graph from a file: GraphML (`.graphml`, `.xml`, weights in the edge attribute `weight`; nodes "
      "called 0, 1, … or n0, n1, … are the workers of these numbers, others are numbered as they come, with "
      "a warning), or lines of source, destination and perhaps weight, where `#` begins a comment";
  std::string path = {};
  /// Left out: what a GraphML file says of itself (the option may not differ from it); edge lists are
  /// undirected.
  std::optional<bool> is_directed = {};
  /// What the file holds, once it has been read.
  std::shared_ptr<const std::string> text = {};
};

/// By its name.
bool is_graphml(const FileGraph& file);

/// Takes up what the file holds, unless that has been done. A pipe can be read only once.
/// @throws std::invalid_argument if the file cannot be read; the text names it.
void read_text(FileGraph& file);

using CommunicationGraphKind =
    std::variant<RingGraph, StarGraph, CompleteGraph, Mesh2dGraph, TorusGraph, HypercubeGraph,
                 ExponentialGraph, SymmetricExponentialGraph, OnePeerExponentialGraph, OnePeerRingGraph,
                 AlternatingExponentialRingGraph, RandomRegularGraph, SmallWorldGraph, EdgeListGraph,
                 FileGraph>;

/// Describes the kind of a graph, its options, and the seed of the random kinds.
void describe_graph(CommunicationGraphKind& kind, std::uint64_t& seed, OptionVisitor& visitor);

struct CommunicationGraphOptions {
  int workers = 0;
  /// Ranks of a host are consecutive. Only alternating_exponential_ring asks for it.
  int workers_per_host = 1;
  CommunicationGraphKind kind = RingGraph{};
  /// Of the random kinds.
  std::uint64_t seed = 1;
};

}  // namespace starling

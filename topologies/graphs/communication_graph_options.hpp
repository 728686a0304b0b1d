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

/// The neighbors that a worker of a ring sends to.
enum class RingDirection { both, left, right };

/// Workers 0, 1, … in a ring. Each sends to rank − 1 (left), rank + 1 (right), or both.
struct RingGraph {
  static constexpr std::string_view name = "ring";
  static constexpr std::string_view summary =
      "each worker sends to rank − 1 (left), rank + 1 (right), or both";
  RingDirection direction = RingDirection::both;
};

/// Every worker is joined to the worker in the center.
struct StarGraph {
  static constexpr std::string_view name = "star";
  static constexpr std::string_view summary = "every worker is connected to the one in the center";
  Rank center = 0;
};

/// Every worker is joined to every other.
struct CompleteGraph {
  static constexpr std::string_view name = "complete";
  static constexpr std::string_view summary = "every worker is connected to every other";
};

/// A grid of rows × columns without wrap-around; ranks are row-major.
struct Mesh2dGraph {
  static constexpr std::string_view name = "mesh_2d";
  static constexpr std::string_view summary =
      "a two-dimensional grid without wrap-around; ranks are row-major";
  /// The default is the two factors of the number of workers that are nearest to each other, the smaller
  /// first.
  std::optional<std::array<int, 2>> dimensions = {};
};

/// A grid with wrap-around in every dimension; ranks are row-major. A dimension of size 2 gives one neighbor,
/// one of size 1 none.
struct TorusGraph {
  static constexpr std::string_view name = "torus";
  static constexpr std::string_view summary =
      "a grid of any number of dimensions with wrap-around; ranks are row-major";
  /// Their product is the number of workers. Empty: two dimensions, the default of Mesh2dGraph.
  std::vector<int> dimensions = {};
};

/// Workers whose ranks differ in exactly one bit are joined. The number of workers must be a power of two.
struct HypercubeGraph {
  static constexpr std::string_view name = "hypercube";
  static constexpr std::string_view summary =
      "workers whose ranks differ in one bit are connected; P is a power of two";
};

/// Directed: worker i sends to (i + base^k) mod P for every base^k < P.
struct ExponentialGraph {
  static constexpr std::string_view name = "exponential";
  static constexpr std::string_view summary =
      "directed: rank i sends to i + base^k modulo P, for every base^k < P";
  int base = 2;
};

/// Worker i is joined to (i ± base^k) mod P for every base^k ≤ P / 2.
struct SymmetricExponentialGraph {
  static constexpr std::string_view name = "symmetric_exponential";
  static constexpr std::string_view summary =
      "rank i is connected to i ± base^k modulo P, for every base^k ≤ P/2";
  int base = 4;
};

/// How workers at distance 2^r are paired.
enum class ExponentialPairs {
  /// exchange if the number of workers is a power of two, otherwise shift.
  automatic,
  /// Rank i and i XOR 2^r send to each other.
  exchange,
  /// Rank i sends to i + 2^r and receives from i − 2^r, modulo the number of workers, which may be any.
  shift,
};

/// In iteration t, one distance of the exponential graph: 2^r with r = t mod ⌈log₂ workers⌉.
/// Reference: Ying, Yuan, Chen, Hu, Pan, Yin, "Exponential graph is provably efficient for decentralized deep
/// training", NeurIPS 2021.
struct OnePeerExponentialGraph {
  static constexpr std::string_view name = "one_peer_exponential";
  static constexpr std::string_view summary =
      "workers send over one distance 2^r in each iteration, r in turn";
  ExponentialPairs pairs = ExponentialPairs::automatic;
  /// n, the number of distances per iteration: iteration t takes the exponents (t·n + 0 … n−1) mod ⌈log₂
  /// workers⌉. At most ⌈log₂ workers⌉, or 1 for a single worker.
  int peers = 1;
};

/// In even iterations the pairs {i, i+1} with i even average, in odd iterations the pairs {i−1, i} with i
/// even. The number of workers must be even.
struct OnePeerRingGraph {
  static constexpr std::string_view name = "one_peer_ring";
  static constexpr std::string_view summary =
      "workers average with the left and the right neighbor in alternate iterations; P is even";
};

/// Averaging inside each host alternates with averaging over pairs of hosts at distance 2^r. All hosts must
/// hold workers_per_host workers, and their number must be a power of two, at least 2.
///
/// There are two iterations for each r = 0 … log₂(hosts) − 1. Pairs of hosts are j and j XOR 2^r; they are
/// numbered in the order of the lower host, and the count continues from one r to the next. Even-numbered
/// pairs average inside each host first and over both hosts second, odd-numbered pairs the other way round.
/// Reference: Wang, Zhang, Wu, Johansson, "From promise to practice: realizing high-performance decentralized
/// training", ICLR 2025.
struct AlternatingExponentialRingGraph {
  static constexpr std::string_view name = "alternating_exponential_ring";
  static constexpr std::string_view summary =
      "averaging inside hosts alternates with averaging across pairs of hosts";
};

/// A random connected graph in which every worker has `degree` neighbors. workers · degree must be even.
/// Reference: Steger, Wormald, "Generating random regular graphs quickly", Combinatorics, Probability and
/// Computing 8(4), 1999.
struct RandomRegularGraph {
  static constexpr bool is_random = true;
  static constexpr std::string_view name = "random_regular";
  static constexpr std::string_view summary =
      "a random connected graph in which all workers have the same number of neighbors";
  int degree = 4;
};

/// A ring in which every worker is joined to its `neighbors` nearest ones; then, with the given probability,
/// one end of each edge is moved to a random worker.
/// Reference: Watts, Strogatz, "Collective dynamics of 'small-world' networks", Nature 393, 1998.
struct SmallWorldGraph {
  static constexpr bool is_random = true;
  static constexpr std::string_view name = "small_world";
  static constexpr std::string_view summary = "a ring of nearest neighbors with some edges moved";
  /// Even, at least 2, less than the number of workers.
  int neighbors = 4;
  double rewiring_probability = 0.1;
};

/// An edge over which `source` sends to `destination`. The destination multiplies the source's model by
/// `weight`; an edge from a worker to itself gives the weight of its own model.
struct GraphEdge {
  Rank source = 0;
  Rank destination = 0;
  std::optional<double> weight = {};
};

/// Any graph, edge by edge. Either all edges have weights or none. Without an edge from a worker to itself,
/// the weight of its own model is 1 − Σ (weights of the edges to it).
struct EdgeListGraph {
  static constexpr std::string_view name = "edge_list";
  static constexpr std::string_view summary = "any graph, edge by edge";
  std::vector<GraphEdge> edges = {};
  /// False: every edge is given once and runs both ways.
  bool is_directed = false;
};

/// A graph from a file. If the name ends in .graphml or .xml, the file is GraphML: nodes are named by their
/// ranks (0, 1, … or n0, n1, …) or else numbered in the order of the file, and weights are the edge attribute
/// "weight". Any other file consists of lines "source destination [weight]", where # begins a comment.
struct FileGraph {
  static constexpr std::string_view name = "file";
  static constexpr std::string_view summary =
      "a graph from a file: GraphML (`.graphml`, `.xml`, weights in the edge attribute `weight`; nodes named "
      "0, 1, … or n0, n1, … are the workers of these ranks, others are numbered in file order, with a "
      "warning), or lines of source, destination and optionally weight, where `#` begins a comment";
  std::string path = {};
  /// The default is what a GraphML file declares, which the option must not contradict; edge lists are
  /// undirected by default.
  std::optional<bool> is_directed = {};
  /// The contents of the file, once it has been read.
  std::shared_ptr<const std::string> text = {};
};

/// Whether the file is GraphML, by the ending of its name.
bool is_graphml(const FileGraph& file);

/// Reads the file into `text`, unless that has been done: a pipe can be read only once.
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
  /// Used by alternating_exponential_ring only, which takes the ranks of a host for consecutive.
  int workers_per_host = 1;
  CommunicationGraphKind kind = RingGraph{};
  /// The seed of the random kinds.
  std::uint64_t seed = 1;
};

}  // namespace starling

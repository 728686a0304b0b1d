#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/numbers/power_of_two.hpp"
#include "base/reject.hpp"
#include "sim/random.hpp"
#include "topologies/graphs/alternating_graphs.hpp"
#include "topologies/graphs/centered_graph.hpp"
#include "topologies/graphs/circulant_graph.hpp"
#include "topologies/graphs/communication_graph.hpp"
#include "topologies/graphs/exchange_graph.hpp"
#include "topologies/graphs/graph_file.hpp"
#include "topologies/graphs/grid_graph.hpp"
#include "topologies/graphs/mixing_matrix.hpp"
#include "topologies/graphs/random_graphs.hpp"
#include "topologies/graphs/stored_graph.hpp"

namespace starling {
namespace {

using Graph = std::unique_ptr<CommunicationGraph>;
using Distances = std::vector<std::vector<int>>;

/// How many times a random graph is drawn until it is connected.
constexpr int most_attempts = 100;

void check_power_of_two(std::string_view kind, std::string_view what, int number) {
  if (!is_power_of_two(number)) reject("graph {}: {} must be a power of two, got {}", kind, what, number);
}

/// 1, base, base², … up to `limit`, included.
std::vector<int> powers(std::string_view kind, int base, int limit) {
  check_at_least(fmt::format("graph {}: base", kind), base, 2);
  std::vector<int> found;
  for (std::int64_t power = 1; power <= limit; power *= base) found.push_back(static_cast<int>(power));
  return found;
}

void check_dimensions(std::string_view kind, const std::vector<int>& dimensions, int workers) {
  double product = 1;
  for (const int size : dimensions) {
    check_at_least(fmt::format("graph {}: each dimension", kind), size, 1);
    product *= size;
  }
  if (product != workers) {
    reject("graph {}: dimensions {} hold {:.0f} workers, but there are {}", kind,
           fmt::join(dimensions, " × "), product, workers);
  }
}

/// The two factors of `workers` that are nearest to each other, the smaller first.
std::vector<int> nearest_factors(int workers) {
  int rows = static_cast<int>(std::sqrt(static_cast<double>(workers)));
  while (workers % rows != 0) --rows;
  return {rows, workers / rows};
}

/// Rejects a graph with too many edges before it is drawn.
void check_degree(std::string_view kind, int workers, int degree) {
  if (static_cast<double>(workers) * (degree + 1.0) > most_weights)
    reject("graph {}: {} workers with {} neighbors each have too many weights; at most {:.0f} are supported",
           kind, workers, degree, most_weights);
}

class Builder {
 public:
  explicit Builder(const CommunicationGraphOptions& options)
      : workers_(options.workers),
        workers_per_host_(options.workers_per_host),
        random_(options.seed, Purpose::graph) {}

  Graph operator()(const RingGraph& ring) const {
    std::vector<int> distances;
    if (workers_ > 1 && ring.direction != RingDirection::left) distances.push_back(1);
    if (workers_ > 1 && ring.direction != RingDirection::right) distances.push_back(workers_ - 1);
    return circulant({distances});
  }

  Graph operator()(const StarGraph& star) const {
    if (star.center < 0 || star.center >= workers_) {
      reject("graph star: center must be a rank, 0 to {}, got {}", workers_ - 1, star.center);
    }
    return std::make_unique<CenteredGraph>(workers_, star.center);
  }

  Graph operator()(const CompleteGraph&) const {
    std::vector<int> distances(static_cast<std::size_t>(workers_ - 1));
    std::iota(distances.begin(), distances.end(), 1);
    return circulant({distances});
  }

  Graph operator()(const Mesh2dGraph& mesh) const {
    const std::vector<int> dimensions =
        mesh.dimensions ? std::vector<int>(mesh.dimensions->begin(), mesh.dimensions->end())
                        : nearest_factors(workers_);
    check_dimensions("mesh_2d", dimensions, workers_);
    return std::make_unique<GridGraph>(dimensions, false);
  }

  Graph operator()(const TorusGraph& torus) const {
    const std::vector<int> dimensions =
        torus.dimensions.empty() ? nearest_factors(workers_) : torus.dimensions;
    check_dimensions("torus", dimensions, workers_);
    return std::make_unique<GridGraph>(dimensions, true);
  }

  Graph operator()(const HypercubeGraph&) const {
    check_power_of_two("hypercube", "the number of workers", workers_);
    return std::make_unique<ExchangeGraph>(workers_, Distances{powers("hypercube", 2, workers_ - 1)});
  }

  Graph operator()(const ExponentialGraph& graph) const {
    return circulant({powers("exponential", graph.base, workers_ - 1)});
  }

  Graph operator()(const SymmetricExponentialGraph& graph) const {
    std::vector<int> distances = powers("symmetric_exponential", graph.base, workers_ / 2);
    const std::size_t forward = distances.size();
    for (std::size_t index = 0; index < forward; ++index) distances.push_back(workers_ - distances[index]);
    return circulant({distances});
  }

  Graph operator()(const OnePeerExponentialGraph& graph) const {
    const bool is_exchange = graph.pairs == ExponentialPairs::exchange ||
                             (graph.pairs == ExponentialPairs::automatic && is_power_of_two(workers_));
    if (is_exchange) {
      check_power_of_two("one_peer_exponential", "with pairs \"exchange\" the number of workers", workers_);
      return std::make_unique<ExchangeGraph>(workers_, rotating_distances(graph.peers));
    }
    return circulant(rotating_distances(graph.peers));
  }

  Graph operator()(const OnePeerRingGraph&) const {
    if (workers_ % 2 != 0) {
      reject("graph one_peer_ring: the number of workers must be even, got {}", workers_);
    }
    return std::make_unique<AlternatingPairs>(workers_);
  }

  Graph operator()(const AlternatingExponentialRingGraph&) const {
    if (workers_ % workers_per_host_ != 0) {
      reject("graph alternating_exponential_ring: {} workers do not fill hosts of {}", workers_,
             workers_per_host_);
    }
    const int hosts = workers_ / workers_per_host_;
    check_at_least("graph alternating_exponential_ring: the number of hosts", hosts, 2);
    check_power_of_two("alternating_exponential_ring", "the number of hosts", hosts);
    return std::make_unique<AlternatingHosts>(hosts, workers_per_host_);
  }

  Graph operator()(const RandomRegularGraph& graph) const {
    check_at_least("graph random_regular: degree", graph.degree, 1);
    if (graph.degree >= workers_) {
      reject("graph random_regular: degree must be less than the number of workers, {}, got {}", workers_,
             graph.degree);
    }
    if (workers_ % 2 != 0 && graph.degree % 2 != 0) {
      reject("graph random_regular: workers times degree must be even, got {} × {}", workers_, graph.degree);
    }
    check_degree("random_regular", workers_, graph.degree);
    return first_connected("random_regular", [&](int attempt) {
      return random_regular_edges(workers_, graph.degree, random_, attempt);
    });
  }

  Graph operator()(const SmallWorldGraph& graph) const {
    if (graph.neighbors < 2 || graph.neighbors % 2 != 0 || graph.neighbors >= workers_) {
      reject(
          "graph small_world: neighbors must be even, at least 2 and less than the number of workers, {}, "
          "got {}",
          workers_, graph.neighbors);
    }
    if (!(graph.rewiring_probability >= 0 && graph.rewiring_probability <= 1)) {
      reject("graph small_world: rewiring probability must be between 0 and 1, got {}",
             graph.rewiring_probability);
    }
    check_degree("small_world", workers_, graph.neighbors);
    return first_connected("small_world", [&](int attempt) {
      return std::optional(
          small_world_edges(workers_, graph.neighbors, graph.rewiring_probability, random_, attempt));
    });
  }

  Graph operator()(const EdgeListGraph& graph) const {
    const auto place_of = [](std::size_t index) {
      return fmt::format("graph edge_list: edge {}", index + 1);
    };
    auto stored = std::make_unique<StoredGraph>(
        workers_, checked_edges(workers_, graph.edges, graph.is_directed, place_of));
    check_connected("graph edge_list", *stored);
    return stored;
  }

  Graph operator()(const FileGraph& graph) const { return read_graph_file(workers_, graph); }

 private:
  Graph circulant(Distances distances) const {
    return std::make_unique<CirculantGraph>(workers_, std::move(distances));
  }

  /// The distances of each iteration of a period: the next `peers` of 1, 2, 4, …, cyclically.
  Distances rotating_distances(int peers) const {
    const int exponents = ceil_log2(workers_);
    if (peers < 1 || peers > std::max(exponents, 1)) {
      reject("graph one_peer_exponential: peers must be between 1 and {} for {} workers, got {}",
             std::max(exponents, 1), workers_, peers);
    }
    if (exponents == 0) return {{}};
    Distances distances(static_cast<std::size_t>(exponents / std::gcd(exponents, peers)));
    for (std::size_t index = 0; index < distances.size() * static_cast<std::size_t>(peers); ++index) {
      distances[index / static_cast<std::size_t>(peers)].push_back(
          1 << index % static_cast<std::size_t>(exponents));
    }
    return distances;
  }

  template <typename Draw>
  Graph first_connected(std::string_view kind, const Draw& draw) const {
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      const auto edges = draw(attempt);
      if (!edges) continue;
      const auto place_of = [](std::size_t) { return std::string(); };
      auto graph = std::make_unique<StoredGraph>(workers_, checked_edges(workers_, *edges, false, place_of));
      if (is_connected(*graph)) return graph;
    }
    reject("graph {}: none of {} random graphs of {} workers is connected; give workers more neighbors", kind,
           most_attempts, workers_);
  }

  int workers_;
  int workers_per_host_;
  CounterRandom random_;
};

}  // namespace

std::unique_ptr<CommunicationGraph> build_communication_graph(const CommunicationGraphOptions& options) {
  check_at_least("graph: the number of workers", options.workers, 1);
  check_at_least("graph: workers per host", options.workers_per_host, 1);
  return std::visit(Builder(options), options.kind);
}

}  // namespace starling

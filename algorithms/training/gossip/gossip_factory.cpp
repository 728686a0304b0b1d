#include "algorithms/training/gossip/gossip_factory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "algorithms/training/gossip/adpsgd.hpp"
#include "algorithms/training/gossip/averaging_groups.hpp"
#include "algorithms/training/gossip/decentralized_averaging.hpp"
#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/gossip/graph_mixing.hpp"
#include "algorithms/training/gossip/local_sgd.hpp"
#include "algorithms/training/gossip/sgp.hpp"
#include "base/ceil_log2.hpp"

namespace starling {
namespace {

/// Sums of that many weights around 1/P in double precision stay well within it.
constexpr double stochastic_tolerance = 1e-9;

void require_at_least(int least, std::string_view algorithm, std::string_view option, int value) {
  if (value >= least) return;
  throw std::invalid_argument(
      fmt::format("{}: {} is {}; it must be {} or more", algorithm, option, value, least));
}

void require_buckets(std::string_view algorithm, ModelBuckets bucket_bytes, bool overlaps) {
  if (!bucket_bytes) return;
  if (!(*bucket_bytes >= 0 && std::isfinite(*bucket_bytes))) {
    throw std::invalid_argument(
        fmt::format("{}: bucket_bytes is {}; it must be finite and not negative", algorithm, *bucket_bytes));
  }
  if (overlaps) {
    throw std::invalid_argument(
        fmt::format("{}: bucket_bytes stands beside overlap; only one of the two can be", algorithm));
  }
}

void require_ranks(std::string_view algorithm, const MixingSchedule& mixing, const ClusterFacts& facts) {
  if (mixing.ranks() == facts.workers) return;
  throw std::invalid_argument(fmt::format("{}: the graph has {} ranks, but there are {} workers", algorithm,
                                          mixing.ranks(), facts.workers));
}

void require_unit_sum(std::string_view algorithm, std::string_view what, double own,
                      const std::vector<MixingNeighbor>& others, Rank rank, std::int64_t iteration) {
  double sum = own;
  for (const MixingNeighbor& other : others) sum += other.weight;
  if (std::abs(sum - 1) <= stochastic_tolerance) return;
  throw std::invalid_argument(fmt::format("{}: the {} of rank {} in iteration {} sum to {}; it must be 1",
                                          algorithm, what, rank, iteration, sum));
}

enum class Kept { sum, mean };

void require_stochastic(std::string_view algorithm, const MixingSchedule& mixing, Kept kept) {
  for (std::int64_t iteration = 0; iteration < mixing.period(); ++iteration) {
    for (Rank rank = 0; rank < mixing.ranks(); ++rank) {
      const double own = mixing.own_weight(rank, iteration);
      require_unit_sum(algorithm, "weights of what leaves", own, mixing.out_neighbors(rank, iteration), rank,
                       iteration);
      if (kept == Kept::sum) continue;
      require_unit_sum(algorithm, "weights of what arrives", own, mixing.in_neighbors(rank, iteration), rank,
                       iteration);
    }
  }
}

/// Calls `make`; what it throws then begins with the algorithm's name.
template <typename Make>
auto named(std::string_view algorithm, const Make& make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: {}", algorithm, error.what()));
  }
}

/// The options' graph of all workers, which must be connected, with its weights; `automatic` is what a rule
/// left automatic becomes where the graph brings no weights.
MixingMatrix mixing_matrix(const MixingOptions& options, const ClusterFacts& facts,
                           MixingRule automatic = MixingRule::automatic) {
  std::shared_ptr<const CommunicationGraph> graph =
      build_communication_graph({.workers = facts.workers,
                                 .workers_per_host = facts.workers_per_host,
                                 .kind = options.graph,
                                 .seed = options.seed});
  check_connected("graph", *graph);
  const bool is_automatic = options.rule == MixingRule::automatic && !graph->has_weights();
  return MixingMatrix(std::move(graph), is_automatic ? automatic : options.rule);
}

void require_neighbors(const SgpOptions& options, int workers) {
  const int powers = workers > 1 ? ceil_log2(workers) : 1;
  if (options.neighbors >= 1 && (workers == 1 || options.neighbors <= powers)) return;
  throw std::invalid_argument(
      fmt::format("neighbors is {}; with {} workers it must be 1 … {}", options.neighbors, workers, powers));
}

/// Whom SGP's graph joins.
ClusterFacts facts_of_mixing(const SgpOptions& options, const ClusterFacts& facts) {
  return options.per_host ? facts_of_hosts(facts) : facts;
}

/// What SGP uses where it is told nothing else.
MixingOptions directed_exponential(const SgpOptions& options, int workers) {
  require_neighbors(options, workers);
  const int peers = workers > 1 ? options.neighbors : 1;
  return {.graph = OnePeerExponentialGraph{.pairs = ExponentialPairs::shift, .peers = peers}};
}

}  // namespace

MixingMatrix mixing_matrix_of(const DpsgdOptions& options, const ClusterFacts& facts) {
  return named(options.kind, [&] {
    MixingMatrix matrix = mixing_matrix(options.mixing, facts);
    check_stochastic(matrix, Stochastic::doubly);
    return matrix;
  });
}

MixingMatrix mixing_matrix_of(const SgpOptions& options, const ClusterFacts& facts) {
  return named(options.kind, [&] {
    const ClusterFacts mixed = facts_of_mixing(options, facts);
    MixingMatrix matrix =
        mixing_matrix(options.mixing ? *options.mixing : directed_exponential(options, mixed.workers), mixed,
                      MixingRule::push_sum);
    check_stochastic(matrix, Stochastic::columns);
    return matrix;
  });
}

MixingMatrix mixing_matrix_of(const DecentralizedAdamOptions& options, const ClusterFacts& facts) {
  return named(options.kind, [&] { return mixing_matrix({.graph = averaging_graph(options.graph)}, facts); });
}

std::unique_ptr<TrainingAlgorithm> make_local_sgd(const LocalSgdOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  require_at_least(1, options.kind, "workers", facts.workers);
  require_at_least(1, options.kind, "synchronization_period", options.synchronization_period);
  require_buckets(options.kind, options.bucket_bytes, false);
  const CollectiveChoice collective(options.kind, options.collective, facts, workload.bytes_per_element);
  return std::make_unique<LocalSgd>(options, workload, collective);
}

std::unique_ptr<TrainingAlgorithm> make_dpsgd(const DpsgdOptions& options, const ClusterFacts& facts,
                                              std::shared_ptr<const MixingSchedule> mixing) {
  require_at_least(1, options.kind, "workers", facts.workers);
  if (mixing) {
    require_ranks(options.kind, *mixing, facts);
    require_stochastic(options.kind, *mixing, Kept::mean);
  } else {
    mixing = std::make_shared<GraphMixing>(mixing_matrix_of(options, facts));
  }
  require_buckets(options.kind, options.bucket_bytes, options.overlap);
  return std::make_unique<Dpsgd>(options, std::move(mixing));
}

std::unique_ptr<TrainingAlgorithm> make_adpsgd(const AdpsgdOptions& options, const ClusterFacts& facts,
                                               const MixingSchedule* graph) {
  require_at_least(1, options.kind, "workers", facts.workers);
  if (graph) require_ranks(options.kind, *graph, facts);
  return named(options.kind, [&] {
    if (graph) return std::make_unique<Adpsgd>(Pairing::over_graph(*graph, options.seed));
    if (!options.mixing) return std::make_unique<Adpsgd>(Pairing::exponential(facts.workers));
    const GraphMixing edges(mixing_matrix(*options.mixing, facts));
    if (edges.period() > 1) throw std::invalid_argument("the graph changes with the iterations; it must not");
    return std::make_unique<Adpsgd>(Pairing::over_graph(edges, options.seed));
  });
}

std::unique_ptr<TrainingAlgorithm> make_sgp(const SgpOptions& options, const Workload& workload,
                                            const ClusterFacts& facts,
                                            std::shared_ptr<const MixingSchedule> mixing) {
  require_at_least(1, options.kind, "workers", facts.workers);
  require_at_least(1, options.kind, "workers_per_host", facts.workers_per_host);
  require_at_least(0, options.kind, "overlap", options.overlap);
  if (mixing) {
    require_ranks(options.kind, *mixing, facts_of_mixing(options, facts));
    require_stochastic(options.kind, *mixing, Kept::sum);
  } else {
    mixing = std::make_shared<GraphMixing>(mixing_matrix_of(options, facts));
  }
  require_buckets(options.kind, options.bucket_bytes, options.overlap > 0);
  if (options.per_host && options.bucket_bytes)
    throw std::invalid_argument(
        fmt::format("{}: per_host and bucket_bytes exclude each other", options.kind));
  if (!options.per_host) return std::make_unique<Sgp>(options, std::move(mixing));
  return std::make_unique<Sgp>(options, std::make_shared<HostMixing>(std::move(mixing), facts),
                               std::make_unique<HostSharing>(workload, facts));
}

std::unique_ptr<TrainingAlgorithm> make_decentralized_adam(const DecentralizedAdamOptions& options,
                                                           const Workload& workload,
                                                           const ClusterFacts& facts) {
  require_at_least(1, options.kind, "workers", facts.workers);
  require_at_least(1, options.kind, "workers_per_host", facts.workers_per_host);
  if (!(options.bucket_bytes > 0 && std::isfinite(options.bucket_bytes))) {
    throw std::invalid_argument(fmt::format("{}: bucket_bytes is {}; it must be finite and above 0",
                                            options.kind, options.bucket_bytes));
  }
  return named(options.kind,
               [&] { return std::make_unique<DecentralizedAveraging>(options, workload, facts); });
}

}  // namespace starling

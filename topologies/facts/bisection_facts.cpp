#include "topologies/facts/bisection_facts.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <variant>

#include "topologies/facts/distances.hpp"
#include "topologies/networks/bisection.hpp"
#include "topologies/networks/network_options.hpp"

namespace starling {
namespace {

constexpr int most_hosts_tried_out = 12;
/// For each of up to 924 maximum flows.
constexpr std::size_t most_links_tried_out = 10'000;
constexpr int most_vertices_of_spectrum = 1000;

/// Whether the halves by host number are known to be a minimum bisection.
struct WorstByNumber {
  int hosts;

  bool operator()(const StarOptions& options) const { return options.host_links.empty(); }
  bool operator()(const RingOptions&) const { return true; }
  bool operator()(const LineOptions&) const { return true; }
  bool operator()(const CompleteOptions&) const { return true; }
  bool operator()(const HypercubeOptions&) const { return true; }
  bool operator()(const TorusOptions& options) const { return is_even_grid(options); }
  bool operator()(const MeshOptions& options) const { return is_even_grid(options); }
  bool operator()(const FatTreeOptions& options) const {
    const int top = options.k ? *options.k : options.levels.back().down;
    return top % 2 == 0 && has_equivalent_hosts({.network = {.kind = options}}, hosts);
  }
  bool operator()(const LeafSpineOptions& options) const {
    return hosts % options.hosts_per_leaf == 0 && hosts / options.hosts_per_leaf % 2 == 0;
  }
  template <typename Options>
  bool operator()(const Options&) const {
    return false;
  }

 private:
  template <typename Options>
  static bool is_even_grid(const Options& options) {
    return options.dimension_links.empty() && *std::ranges::max_element(options.dimensions) % 2 == 0;
  }
};

double flow_Bps(const Network& network, std::span<const int> order) {
  return flow_between_halves_Bps(order, links_of_cables(network), network.hosts() + network.switches());
}

/// The minimum over all partitions into halves.
double least_of_all_Bps(const Network& network) {
  const int hosts = network.hosts();
  std::vector<bool> is_second(index_of(hosts), true);
  std::fill_n(is_second.begin(), hosts / 2, false);
  double least_Bps = std::numeric_limits<double>::infinity();
  do {
    std::vector<int> order(index_of(hosts));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_partition(order, [&](int host) { return !is_second[index_of(host)]; });
    least_Bps = std::min(least_Bps, flow_Bps(network, order));
  } while (std::next_permutation(is_second.begin(), is_second.end()));
  return least_Bps;
}

/// The Laplacian matrix of bandwidths (the lesser of both directions of a cable), reduced to the hosts.
Eigen::MatrixXd laplacian_of_hosts(const Network& network) {
  const int vertices = network.hosts() + network.switches();
  Eigen::MatrixXd sums = Eigen::MatrixXd::Zero(vertices, vertices);
  for (const Link& link : links_of_cables(network))
    sums(link.from_vertex, link.to_vertex) += link.bandwidth_Bps;
  const Eigen::MatrixXd both = sums.cwiseMin(sums.transpose());
  Eigen::MatrixXd laplacian = -both;
  laplacian.diagonal() = both.rowwise().sum();
  const int hosts = network.hosts();
  const int switches = network.switches();
  if (switches == 0) return laplacian;
  const Eigen::MatrixXd across = laplacian.topRightCorner(hosts, switches);
  const Eigen::MatrixXd inner = laplacian.bottomRightCorner(switches, switches);
  return laplacian.topLeftCorner(hosts, hosts) - across * inner.ldlt().solve(across.transpose());
}

/// The hosts in the order of the Fiedler vector, and the lower bound that its eigenvalue gives.
struct Spectrum {
  std::vector<int> order;
  double least_Bps = 0;
};

Spectrum spectrum_of(const Network& network) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(laplacian_of_hosts(network));
  const int hosts = network.hosts();
  Spectrum spectrum{.order = std::vector<int>(index_of(hosts))};
  std::iota(spectrum.order.begin(), spectrum.order.end(), 0);
  const Eigen::VectorXd fiedler = solver.eigenvectors().col(1);
  std::ranges::stable_sort(spectrum.order, {}, [&](int host) { return fiedler(host); });
  const double halves = static_cast<double>(hosts / 2) * (hosts - hosts / 2);
  // Less what rounding may have added, so that it stays a lower bound.
  spectrum.least_Bps = std::max(0.0, solver.eigenvalues()(1) * (1 - 1e-9)) * halves / hosts;
  return spectrum;
}

}  // namespace

BisectionFacts bisection_facts(const ClusterOptions& cluster, const Network& network) {
  using Known = BisectionFacts::Known;
  const int hosts = network.hosts();
  if (hosts < 2) return {.known = Known::exactly};
  const bool is_worst =
      cluster.network.overrides.empty() && std::visit(WorstByNumber{hosts}, cluster.network.kind);
  if (!is_worst && hosts <= most_hosts_tried_out && network.links().size() <= most_links_tried_out) {
    const double bandwidth_Bps = least_of_all_Bps(network);
    return {.known = Known::exactly, .most_Bps = bandwidth_Bps, .least_Bps = bandwidth_Bps};
  }
  BisectionFacts facts{.most_Bps = network.bisection_bandwidth_Bps()};
  if (is_worst) return {.known = Known::exactly, .most_Bps = facts.most_Bps, .least_Bps = facts.most_Bps};
  if (hosts + network.switches() > most_vertices_of_spectrum) return facts;
  const Spectrum spectrum = spectrum_of(network);
  facts.most_Bps = std::min(facts.most_Bps, flow_Bps(network, spectrum.order));
  facts.least_Bps = std::min(spectrum.least_Bps, facts.most_Bps);
  facts.known = facts.least_Bps == facts.most_Bps ? Known::exactly : Known::between;
  return facts;
}

}  // namespace starling

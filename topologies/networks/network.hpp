#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/numbers/jitter.hpp"
#include "sim/routes.hpp"
#include "topologies/layouts/fabric.hpp"
#include "topologies/networks/cluster_options.hpp"
#include "topologies/networks/host_costs.hpp"

namespace starling {

class RouteCache;

/// The hosts, switches and links of a cluster, and the routes between its workers.
///
/// A route between hosts is a shortest path by number of links, unless the kind of network says otherwise
/// (dragonfly, platform files). Among equally short paths PathChoice decides, deterministically. The route
/// consists of network links only: the workers of a host share its network card, and messages to other hosts
/// do not cross the workers' ports. A route inside a host is worker → host → worker over the ports of both
/// workers; the first port has the intra-host latency and the second has none, so that ports are contended
/// for and α is paid once.
///
/// PathChoice::hash: of the n links by which vertex v may forward a message from rank s to rank d, it takes
/// number mix(mix(s·2³² + d + mix(hash_seed)) + v) mod n (base/numbers/mix.hpp), counted in the order of link
/// numbers. If hosts have one worker each, s and d are the numbers of the hosts.
///
/// PathChoice::destination (D-mod-k): let a message to host d have passed vertices at which it could go on to
/// w₁, w₂, … different vertices, and let it now have n links to w vertices to choose from. It takes link ⌊d /
/// (w₁ w₂ …)⌋ mod n, where the links are ordered by their number among parallel links first, and by their
/// link number second. On the second half of the route, where only one vertex is next, the choice among
/// parallel links mirrors the one made at the same distance from the source, so that all messages to one host
/// come down the same links. PathChoice::worker does the same with the number of the receiving worker
/// (ordered by host and place in the host) instead of d, but the first link follows from the number of the
/// sending worker. On rails, where each card serves some of a host's workers, only the workers of the same
/// card are counted. Reference: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift
/// permutations on real life fat trees", Technion CCIT report 776, 2010.
///
/// On rails, a message leaves by the network card of its sender and arrives at the card of its receiver. If
/// the two cards are on different rails and messages change rails inside hosts (PXN), it first goes to the
/// worker of the sender's host whose card is on the receiver's rail, over the ports of both. If network cards
/// have links of their own (nic_link), every route between hosts begins and ends with one of them.
///
/// Routes are computed on demand and cached: one for each pair of hosts that was asked for, or of workers,
/// inside a host and where routes between hosts differ by worker. O(1) after the first call for a pair.
/// summary_once() leaves the cache as it is. Not thread-safe: const members, too, change the cache.
class Network final : public Routes {
 public:
  Network(Network&&) noexcept;
  Network& operator=(Network&&) noexcept;
  ~Network() override;

  int workers() const override { return workers_; }
  int hosts() const override { return hosts_; }
  int host_of(Rank rank) const override {
    if (!hosts_of_ranks_.empty()) return hosts_of_ranks_[static_cast<std::size_t>(rank)];
    return workers_per_host_ == 1 ? rank : rank / workers_per_host_;
  }
  std::span<const Link> links() const override { return links_; }
  std::span<const LinkIndex> route(Rank source, Rank destination) const override;

  /// As summary(), but a route between hosts is computed anew and not cached: for callers that ask once for
  /// each of many routes, which may be long (on a ring, a quarter of its hosts on average).
  RouteSummary summary_once(Rank source, Rank destination) const;

  int workers_per_host() const { return workers_per_host_; }
  /// Whether ranks 0 … workers_per_host−1 are on one host, the next as many on another, and so on.
  bool has_consecutive_ranks() const;
  /// The sizes of the grid that the hosts form, row-major; empty if they form none.
  std::span<const int> dimensions() const { return dimensions_; }
  int nics_per_host() const { return nics_per_host_; }
  /// The number, within its host, of the network card that a worker uses.
  int nic_of(Rank rank) const;
  int switches() const { return switches_; }
  /// Whether routes between two hosts may pass through other hosts.
  bool do_hosts_forward() const { return do_hosts_forward_; }
  bool takes_shortest_paths() const { return router_->takes_shortest_paths(); }
  std::span<const Vertex> vertices() const { return vertices_; }
  /// The vertex of a worker; where hosts hold one worker each, that of its host.
  int worker_vertex(Rank rank) const;

  /// Applies the costs of the hosts' network stack to all links of the network: multiplies their bandwidths
  /// by `goodput`, which must be in (0, 1]; limits the links from and to hosts to `rate_Bps`; and adds
  /// `latency_s` to each link that leaves a host.
  void add_host_costs(const HostCosts& costs);
  /// Whether add_host_costs() has reduced the bandwidth of some link to `rate_Bps`.
  bool is_limited_by_hosts() const { return is_limited_by_hosts_; }

  /// Breaks ties between simultaneous events: multiplies the latency of every link by a factor drawn
  /// uniformly from 1 ± jitter.share. A link without latency gets up to jitter.share · 1 ns.
  void jitter_latencies(const Jitter& jitter);

  /// α between two different workers, in seconds: the sum of the latencies on the route.
  double alpha_s(Rank source, Rank destination) const;
  /// 1/β between two different workers, in bytes per second: the least bandwidth on the route.
  double bandwidth_Bps(Rank source, Rank destination) const;

  /// The number of links that a route between two workers on different hosts could take at a vertex that it
  /// passes; 1 if a file gives the routes.
  std::size_t next_links(Rank source, Rank destination, int vertex) const;

  /// The greatest number of links on a route between two hosts; 0 for a single host. Deliberate detours
  /// (Valiant routing on a dragonfly) do not count.
  int diameter() const;
  /// The maximum flow from the first ⌊hosts/2⌋ hosts to the others. On a grid (torus, mesh, Hamming mesh …)
  /// hosts are ordered along each dimension in turn, and the least of these flows counts. 0 for a single
  /// host. Each call computes one maximum flow per dimension (about 10 ms at 10⁵ links).
  double bisection_bandwidth_Bps() const;

 private:
  friend Network build_network(const ClusterOptions& options);
  Network(const ClusterOptions& options, Fabric fabric);

  /// The cache key of a rank: the vertex of its host, or of the worker itself where routes differ by worker.
  int end_of_route(Rank rank) const;
  RouteEnds ends_of(Rank source, Rank destination) const;
  std::span<const LinkIndex> find_route(Rank source, Rank destination) const;
  /// Writes the route between two workers on different hosts to search_.route.
  void search_route(Rank source, Rank destination) const;
  std::span<const LinkIndex> intra_host_route(Rank source, Rank destination) const;
  LinkIndex first_link_between(int from, int to) const;
  void append_links(int from, int to, std::vector<LinkIndex>& found) const;
  void append_route_between_hosts(Rank source, Rank destination, const RouteEnds& ends) const;
  void append_given_route(int vertex, std::span<const RouteStep> steps) const;
  void append_hashed_route(Rank source, Rank destination, const RouteEnds& ends) const;
  void append_route_by_digits(Rank source, Rank destination, const RouteEnds& ends) const;
  /// Writes the links that PathChoice::destination or worker selects, hop by hop, to search_.hops.
  void find_hops(Rank source, Rank destination, const RouteEnds& ends) const;
  /// The number of a worker, counted host by host in the order of places; with several network cards per
  /// host, counted among the workers that use the card of the same number.
  std::size_t number_of(Rank rank) const;
  /// Writes the links that may be taken from a vertex to search_.candidates, and the vertices they lead to to
  /// search_.next.
  void find_next_links(const RouteEnds& ends, int vertex) const;
  int number_among_parallel(LinkIndex link) const;
  void append_intra_host_links(const LinkOptions& link);
  void append_nic_links(const LinkOptions& link);
  void number_places();
  /// The worker of the same host that uses network card `nic`: the one with the same place among the workers
  /// of its card as `rank` has among its own.
  Rank neighbor_at(Rank rank, int nic) const;
  /// The link from the workers to a network card; the next link number is the opposite direction.
  LinkIndex nic_link(int host, int nic) const;

  int workers_ = 0;
  int workers_per_host_ = 1;
  int hosts_ = 0;
  int switches_ = 0;
  int nics_per_host_ = 1;
  bool changes_nics_inside_hosts_ = false;
  bool do_hosts_forward_ = true;
  PathChoice path_choice_ = PathChoice::hash;
  std::uint64_t hash_seed_ = 0;
  bool routes_differ_between_workers_ = false;  // between the same two hosts
  bool is_limited_by_hosts_ = false;
  std::vector<int> dimensions_;
  std::vector<int> hosts_of_ranks_;  // empty if rank r is on host r / workers_per_host
  std::vector<Vertex> vertices_;
  /// Empty unless routes depend on the place of a worker in its host, and ranks do not give it: the place of
  /// each rank among the workers of its host, and the ranks by host and place.
  std::vector<int> place_in_host_;
  std::vector<Rank> rank_at_;
  /// First the links of the network, sorted by (from, to); then, if hosts have several workers, two for each
  /// worker: to its host and back; then, if there is a nic_link, two for each network card: to the network
  /// and back.
  std::vector<Link> links_;
  std::optional<LinkIndex> first_nic_link_;
  /// The first link of each vertex of the network, and at the end the number of links.
  std::vector<LinkIndex> first_link_;
  /// The vertex that each link of the network leads to, kept apart from links_ for fast searches.
  std::vector<int> to_vertex_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<RouteCache> cache_;
  /// One hop of a route by PathChoice::destination or worker.
  struct Hop {
    LinkIndex link = 0;
    std::size_t parallel_links = 0;  // 0 if several vertices could be next
    std::size_t parallel = 0;        // which of the parallel links the digit selects
  };
  /// Scratch space of the search for a route, kept so that its vectors need not be allocated anew.
  struct Search {
    std::vector<LinkIndex> route;
    std::vector<int> next;
    std::vector<LinkIndex> candidates;
    std::vector<Hop> hops;
  };
  mutable Search search_;
};

/// Builds the network of a cluster.
///
/// @throws std::invalid_argument if the options are invalid or contradict each other; the text says what was
/// given and what would be accepted.
Network build_network(const ClusterOptions& options);

/// The links between hosts and switches, two for each cable; those inside hosts are left out.
std::span<const Link> links_of_cables(const Network& network);

}  // namespace starling

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
/// A route between hosts is a shortest path by number of links, unless the kind says otherwise (dragonfly);
/// among equally short ones PathChoice decides, the same on every run. It uses the network's links only: a
/// host's card is shared by its workers, and what it sends does not cross their ports. A route in a host is
/// worker → host → worker over the workers' ports, of which the first has the intra-host latency, the second
/// none; so ports are contended for, and α is paid once.
///
/// Where path_choice is hash, vertex v passes a message from rank s to rank d on to number
/// mix(mix(s·2³² + d + mix(hash_seed)) + v) mod n of its n next links (mix.hpp), in the order of their
/// numbers; where hosts have one worker each, s and d are the numbers of the hosts.
///
/// Where it is destination (D-mod-k), a message to host d takes, of the n links to w vertices that are next
/// after vertices with w1, w2, … of them, number d / (w1 w2 …) mod n in the order of their numbers among
/// parallel links, then of their own. On the second half of the way, where one vertex is next, parallel links
/// are chosen as they were at the same distance from the other end, so that whatever is for one host comes
/// down the same links. Where it is worker, workers count in place of hosts, by hosts and places in them, and
/// the first link is that of the sender's number. On rails, whose cards tell workers apart, only the workers
/// of a card count. Reference: Zahavi, "D-Mod-K routing providing non-blocking traffic for shift permutations
/// on real life fat trees", Technion CCIT report 776, 2010.
///
/// On rails, what a worker sends leaves by its own network card and arrives at that of the other worker.
/// Where the two are not on one rail and messages change rails inside hosts, it first goes to the worker of
/// its host that has the right card, over the ports of both. Where network cards have links of their own,
/// every route between hosts begins with one and ends with one.
///
/// Routes are found on demand and kept, one for each pair of hosts (of workers inside a host, and where
/// routes between hosts differ by worker) that was asked for: O(1) after the first call. Calls on one object
/// must not run at the same time on several threads.
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

  int workers_per_host() const { return workers_per_host_; }
  /// Whether ranks 0 … workers_per_host−1 are on one host, the next as many on another, and so on.
  bool has_consecutive_ranks() const;
  /// The dimensions of the grid that the hosts stand on, row-major; empty where they stand on none.
  std::span<const int> dimensions() const { return dimensions_; }
  int nics_per_host() const { return nics_per_host_; }
  /// Which of its host's network cards a worker uses.
  int nic_of(Rank rank) const;
  int switches() const { return switches_; }
  /// Whether paths may lead through hosts.
  bool do_hosts_forward() const { return do_hosts_forward_; }
  bool takes_shortest_paths() const { return router_->takes_shortest_paths(); }
  std::span<const Vertex> vertices() const { return vertices_; }
  /// The worker's own vertex: its host where that holds one worker at most.
  int worker_vertex(Rank rank) const;

  /// What hosts add to what their links take: a message gets `goodput` (0 … 1] of the bandwidth of each link
  /// between hosts, the rest being headers, no more than `rate_Bps` of a link that leaves a host or comes to
  /// it, and takes `latency_s` more on each that leaves one.
  void add_host_costs(const HostCosts& costs);
  /// Whether some cable takes more than its hosts move, as far as they have been added.
  bool is_limited_by_hosts() const { return is_limited_by_hosts_; }

  /// Breaks ties: multiplies the latency of every link by a factor drawn uniformly from 1 ± the jitter's
  /// share. A link without latency gets up to that share of a nanosecond.
  void jitter_latencies(const Jitter& jitter);

  /// α between two different workers: the sum of the latencies on the route.
  double alpha_s(Rank source, Rank destination) const;
  /// 1/β between two different workers: the least bandwidth on the route.
  double bandwidth_Bps(Rank source, Rank destination) const;

  /// How many links lead on from a vertex on the way between two workers on different hosts, of which the
  /// route takes one; 1 where routes are given.
  std::size_t next_links(Rank source, Rank destination, int vertex) const;

  /// The greatest number of links on a route between two hosts; 0 for one host. Detours that routes take on
  /// purpose (Valiant's, of a dragonfly) do not count.
  int diameter() const;
  /// What half of the hosts can send to the other half at once: the greatest flow from the first ⌊hosts/2⌋
  /// hosts to the others. In a torus or mesh the least over all dimensions, each taken as the most
  /// significant in turn. 0 for one host. Costs one maximum flow for each dimension (about 10 ms at 10⁵
  /// links) on each call.
  double bisection_bandwidth_Bps() const;

 private:
  friend Network build_network(const ClusterOptions& options);
  Network(const ClusterOptions& options, Fabric fabric);

  /// The vertices that tell routes from each other: of hosts, or, where these differ by worker, of workers.
  int end_of_route(Rank rank) const;
  RouteEnds ends_of(Rank source, Rank destination) const;
  std::span<const LinkIndex> find_route(Rank source, Rank destination) const;
  std::span<const LinkIndex> intra_host_route(Rank source, Rank destination) const;
  LinkIndex first_link_between(int from, int to) const;
  void append_links(int from, int to, std::vector<LinkIndex>& found) const;
  void append_route_between_hosts(Rank source, Rank destination, const RouteEnds& ends) const;
  void append_given_route(int vertex, std::span<const RouteStep> steps) const;
  void append_hashed_route(Rank source, Rank destination, const RouteEnds& ends) const;
  void append_route_by_digits(Rank source, Rank destination, const RouteEnds& ends) const;
  /// What digits say at each vertex on the way, to search_.hops.
  void find_hops(Rank source, Rank destination, const RouteEnds& ends) const;
  /// A worker's number by hosts and places in them; where hosts have several network cards, among those that
  /// use the same ones.
  std::size_t number_of(Rank rank) const;
  /// The links that lead on from a vertex, to search_.candidates, and where to, to search_.next.
  void find_next_links(const RouteEnds& ends, int vertex) const;
  int number_among_parallel(LinkIndex link) const;
  void append_intra_host_links(const LinkOptions& link);
  void append_nic_links(const LinkOptions& link);
  void number_places();
  /// The worker on the same host that uses that network card, the one in the same place among those that do.
  Rank neighbor_at(Rank rank, int nic) const;
  /// The link from the workers to a network card; the link after it leads back.
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
  bool routes_differ_between_workers_ = false;  // of the same two hosts
  bool is_limited_by_hosts_ = false;
  std::vector<int> dimensions_;
  std::vector<int> hosts_of_ranks_;  // empty where rank r is on host r / workers_per_host
  std::vector<Vertex> vertices_;
  /// Where it matters which of a host's workers one is, and ranks do not say it: each rank's number among
  /// those of its host, and the ranks by host and that number.
  std::vector<int> place_in_host_;
  std::vector<Rank> rank_at_;
  /// Those of the network, sorted by (from, to), then two for each worker: to its host and back, then two for
  /// each network card, if cards have any: to the network and back.
  std::vector<Link> links_;
  std::optional<LinkIndex> first_nic_link_;
  /// For each vertex of the network its first link; one entry more at the end.
  std::vector<LinkIndex> first_link_;
  /// For each link of the network where it leads: what is looked through, close together.
  std::vector<int> to_vertex_;
  std::unique_ptr<Router> router_;
  std::unique_ptr<RouteCache> cache_;
  /// A link that PathChoice::destination or worker has taken.
  struct Hop {
    LinkIndex link = 0;
    std::size_t parallel_links = 0;  // 0 where several vertices were next
    std::size_t parallel = 0;        // what the digit says of parallel links
  };
  /// What finding a route needs; kept for the memory of its vectors.
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
/// @throws std::invalid_argument if the options contradict each other or themselves; the text says what was
/// given and what would be accepted.
Network build_network(const ClusterOptions& options);

/// The links of a network that join hosts and switches, not the workers of a host; each cable is two of them.
std::span<const Link> links_of_cables(const Network& network);

}  // namespace starling

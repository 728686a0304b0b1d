#include "topologies/networks/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "base/errors.hpp"
#include "base/numbers/mix.hpp"
#include "base/numbers/pair_of.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"
#include "base/types.hpp"
#include "sim/random.hpp"
#include "topologies/layouts/reachability.hpp"
#include "topologies/networks/bisection.hpp"
#include "topologies/networks/breadth_first_router.hpp"
#include "topologies/networks/build_fabric.hpp"
#include "topologies/networks/route_cache.hpp"
#include "topologies/networks/wiring.hpp"

namespace starling {
namespace {

/// The hosts of a row-major grid, ordered with the given dimension as the most significant one.
std::vector<int> hosts_along(std::span<const int> dimensions, std::size_t dimension) {
  int stride = 1;
  for (const int size : dimensions.subspan(dimension + 1)) stride *= size;
  const int size = dimensions[dimension];
  std::vector<int> hosts(static_cast<std::size_t>(
      std::accumulate(dimensions.begin(), dimensions.end(), 1, std::multiplies<int>())));
  std::iota(hosts.begin(), hosts.end(), 0);
  std::stable_sort(hosts.begin(), hosts.end(), [stride, size](int left, int right) {
    return left / stride % size < right / stride % size;
  });
  return hosts;
}

/// Whether the component of host 0, which holds all hosts, is a tree.
bool is_tree(const Fabric& fabric) {
  const std::vector<bool> is_joined =
      reached_from(0, static_cast<int>(fabric.vertices.size()), fabric.cables);
  const auto joins_hosts = [&](const Cable& cable) { return is_joined[index_of(cable.from)]; };
  return std::ranges::count_if(fabric.cables, joins_hosts) == std::ranges::count(is_joined, true) - 1;
}

}  // namespace

Network::Network(const ClusterOptions& options, Fabric fabric)
    : workers_(options.workers),
      workers_per_host_(options.workers_per_host),
      hosts_(fabric.hosts),
      switches_(static_cast<int>(fabric.vertices.size()) - fabric.hosts),
      nics_per_host_(fabric.nics_per_host),
      changes_nics_inside_hosts_(fabric.changes_nics_inside_hosts),
      do_hosts_forward_(fabric.hosts_forward),
      path_choice_(options.network.path_choice),
      hash_seed_(options.network.hash_seed.value_or(0)),
      dimensions_(std::move(fabric.dimensions)),
      hosts_of_ranks_(hosts_of_ranks(options.placement, {.workers = options.workers,
                                                         .workers_per_host = options.workers_per_host,
                                                         .hosts = fabric.hosts,
                                                         .dimensions = dimensions_})),
      links_(links_of(fabric)),
      cache_(std::make_unique<RouteCache>()) {
  apply_overrides(options.network.overrides, fabric, links_);
  routes_differ_between_workers_ =
      nics_per_host_ > 1 || path_choice_ == PathChoice::worker ||
      (path_choice_ == PathChoice::hash && workers_per_host_ > 1 && !is_tree(fabric));
  first_link_ = first_links_of(links_, hosts_ + switches_);
  for (const Link& link : links_) to_vertex_.push_back(link.to_vertex);
  router_ = fabric.router ? std::move(fabric.router) : breadth_first_router(fabric);
  const bool asks_for_choice = path_choice_ != PathChoice::hash || options.network.hash_seed;
  if (asks_for_choice && hosts_ > 1 && !router_->given_route({0, 1}).empty())
    reject("{} has no effect, as the file gives every route; remove it",
           options.network.hash_seed ? "hash_seed" : "path_choice");
  vertices_ = std::move(fabric.vertices);
  if (workers_per_host_ > 1) append_intra_host_links(*options.intra_host_link);
  if (options.nic_link) append_nic_links(*options.nic_link);
  const bool places_count = path_choice_ == PathChoice::worker && !hosts_of_ranks_.empty();
  if (nics_per_host_ > 1 || places_count) number_places();
}

Network::Network(Network&&) noexcept = default;
Network& Network::operator=(Network&&) noexcept = default;
Network::~Network() = default;

void Network::append_intra_host_links(const LinkOptions& link) {
  for (Rank rank = 0; rank < workers_; ++rank) {
    vertices_.push_back({VertexKind::worker, fmt::format("worker{}", rank)});
    const std::string& worker = vertices_.back().name;
    const std::string& host = vertices_[static_cast<std::size_t>(host_of(rank))].name;
    links_.push_back({fmt::format("{} -> {}", worker, host), worker_vertex(rank), host_of(rank),
                      link.bandwidth_Bps, link.latency_s, true});
    links_.push_back({fmt::format("{} -> {}", host, worker), host_of(rank), worker_vertex(rank),
                      link.bandwidth_Bps, 0, false});
  }
}

void Network::append_nic_links(const LinkOptions& link) {
  first_nic_link_ = static_cast<LinkIndex>(links_.size());
  for (int host = 0; host < hosts_; ++host) {
    const std::string host_name = vertices_[static_cast<std::size_t>(host)].name;
    for (int nic = 0; nic < nics_per_host_; ++nic) {
      const auto vertex = static_cast<int>(vertices_.size());
      vertices_.push_back({VertexKind::nic, fmt::format("nic{}_{}", host, nic)});
      const std::string& name = vertices_.back().name;
      links_.push_back(
          {fmt::format("{} -> {}", name, host_name), vertex, host, link.bandwidth_Bps, link.latency_s, true});
      links_.push_back({fmt::format("{} -> {}", host_name, name), host, vertex, link.bandwidth_Bps,
                        link.latency_s, false});
    }
  }
}

void Network::number_places() {
  std::vector<int> counts(static_cast<std::size_t>(hosts_), 0);
  place_in_host_.resize(static_cast<std::size_t>(workers_));
  rank_at_.resize(index_of(hosts_) * index_of(workers_per_host_));
  for (Rank rank = 0; rank < workers_; ++rank) {
    const int place = counts[static_cast<std::size_t>(host_of(rank))]++;
    place_in_host_[static_cast<std::size_t>(rank)] = place;
    rank_at_[static_cast<std::size_t>(host_of(rank) * workers_per_host_ + place)] = rank;
  }
}

int Network::nic_of(Rank rank) const {
  if (nics_per_host_ == 1) return 0;
  return place_in_host_[static_cast<std::size_t>(rank)] * nics_per_host_ / workers_per_host_;
}

Rank Network::neighbor_at(Rank rank, int nic) const {
  const int workers_of_nic = workers_per_host_ / nics_per_host_;
  const int place = nic * workers_of_nic + place_in_host_[static_cast<std::size_t>(rank)] % workers_of_nic;
  return rank_at_[static_cast<std::size_t>(host_of(rank) * workers_per_host_ + place)];
}

LinkIndex Network::nic_link(int host, int nic) const {
  return *first_nic_link_ + 2 * (host * nics_per_host_ + nic);
}

void Network::add_host_costs(const HostCosts& costs) {
  STARLING_INVARIANT(costs.goodput > 0 && costs.goodput <= 1 && costs.latency_s >= 0 && costs.rate_Bps > 0);
  for (Link& link : std::span(links_).first(static_cast<std::size_t>(first_link_.back()))) {
    link.bandwidth_Bps *= costs.goodput;
    const bool is_of_host = link.from_vertex < hosts_ || link.to_vertex < hosts_;
    if (is_of_host && link.bandwidth_Bps > costs.rate_Bps) {
      link.bandwidth_Bps = costs.rate_Bps;
      is_limited_by_hosts_ = true;
    }
    if (link.is_entry) link.latency_s += costs.latency_s;
  }
}

void Network::jitter_latencies(const Jitter& jitter) {
  constexpr double least_s = 1e-9;
  const CounterRandom random(jitter.seed, Purpose::ties);
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const double drawn = random.uniform(static_cast<std::uint32_t>(i), 0);
    double& latency_s = links_[i].latency_s;
    latency_s =
        latency_s > 0 ? latency_s * (1 + jitter.share * (2 * drawn - 1)) : least_s * jitter.share * drawn;
  }
}

int Network::worker_vertex(Rank rank) const {
  return workers_per_host_ == 1 ? host_of(rank) : hosts_ + switches_ + rank;
}

bool Network::has_consecutive_ranks() const {
  for (Rank rank = 0; rank < workers_; ++rank)
    if (host_of(rank) != host_of(rank - rank % workers_per_host_)) return false;
  return true;
}

std::span<const LinkIndex> Network::route(Rank source, Rank destination) const {
  if (host_of(source) == host_of(destination)) return intra_host_route(source, destination);
  const std::span<const LinkIndex> known = cache_->find(end_of_route(source), end_of_route(destination));
  return known.empty() ? find_route(source, destination) : known;
}

int Network::end_of_route(Rank rank) const {
  return routes_differ_between_workers_ ? worker_vertex(rank) : host_of(rank);
}

std::span<const LinkIndex> Network::intra_host_route(Rank source, Rank destination) const {
  const std::span<const LinkIndex> known = cache_->find(worker_vertex(source), worker_vertex(destination));
  if (!known.empty()) return known;
  STARLING_INVARIANT(source != destination && source >= 0 && source < workers_ && destination >= 0 &&
                     destination < workers_);
  const LinkIndex first = first_link_.back();
  const std::array<LinkIndex, 2> ports = {first + 2 * source, first + 2 * destination + 1};
  return cache_->insert(worker_vertex(source), worker_vertex(destination), ports);
}

/// The hosts and cards between which the network part of a route runs.
RouteEnds Network::ends_of(Rank source, Rank destination) const {
  const int nic = nic_of(destination);
  return {host_of(source), host_of(destination), changes_nics_inside_hosts_ ? nic : nic_of(source), nic,
          hash_seed_};
}

std::size_t Network::next_links(Rank source, Rank destination, int vertex) const {
  const RouteEnds ends = ends_of(source, destination);
  if (!router_->given_route(ends).empty()) return 1;
  find_next_links(ends, vertex);
  return search_.candidates.size();
}

RouteSummary Network::summary_once(Rank source, Rank destination) const {
  if (host_of(source) == host_of(destination)) return summary(source, destination);
  search_route(source, destination);
  return summary(search_.route);
}

std::span<const LinkIndex> Network::find_route(Rank source, Rank destination) const {
  search_route(source, destination);
  return cache_->insert(end_of_route(source), end_of_route(destination), search_.route);
}

void Network::search_route(Rank source, Rank destination) const {
  STARLING_INVARIANT(source >= 0 && source < workers_ && destination >= 0 && destination < workers_);
  const RouteEnds ends = ends_of(source, destination);
  std::vector<LinkIndex>& route = search_.route;
  route.clear();
  if (ends.source_nic != nic_of(source)) {
    const std::span<const LinkIndex> ports = intra_host_route(source, neighbor_at(source, ends.source_nic));
    route.assign(ports.begin(), ports.end());
  }
  if (first_nic_link_) route.push_back(nic_link(ends.source_host, ends.source_nic));
  append_route_between_hosts(source, destination, ends);
  if (first_nic_link_) route.push_back(nic_link(ends.destination_host, ends.destination_nic) + 1);
}

void Network::append_route_between_hosts(Rank source, Rank destination, const RouteEnds& ends) const {
  if (const auto given = router_->given_route(ends); !given.empty())
    append_given_route(ends.source_host, given);
  else if (path_choice_ == PathChoice::hash)
    append_hashed_route(source, destination, ends);
  else
    append_route_by_digits(source, destination, ends);
}

void Network::append_given_route(int vertex, std::span<const RouteStep> steps) const {
  for (const RouteStep& step : steps) {
    search_.route.push_back(first_link_between(vertex, step.to_vertex) + step.parallel);
    vertex = step.to_vertex;
  }
}

void Network::append_hashed_route(Rank source, Rank destination, const RouteEnds& ends) const {
  const std::uint64_t pair = workers_per_host_ == 1 ? pair_of(ends.source_host, ends.destination_host)
                                                    : pair_of(source, destination);
  const std::uint64_t flow = mix(pair + mix(hash_seed_));
  for (int vertex = ends.source_host; vertex != ends.destination_host;) {
    find_next_links(ends, vertex);
    const std::size_t choice = mix(flow + static_cast<std::uint64_t>(vertex)) % search_.candidates.size();
    search_.route.push_back(search_.candidates[choice]);
    vertex = to_vertex_[static_cast<std::size_t>(search_.route.back())];
  }
}

void Network::append_route_by_digits(Rank source, Rank destination, const RouteEnds& ends) const {
  find_hops(source, destination, ends);
  const std::vector<Hop>& hops = search_.hops;
  for (std::size_t i = 0; i < hops.size(); ++i) {
    const std::size_t opposite = hops.size() - 1 - i;
    const Hop& hop = hops[i];
    if (i <= opposite || hop.parallel_links == 0) {
      search_.route.push_back(hop.link);
      continue;
    }
    const LinkIndex first = hop.link - number_among_parallel(hop.link);
    search_.route.push_back(first + static_cast<LinkIndex>(hops[opposite].parallel % hop.parallel_links));
  }
}

void Network::find_hops(Rank source, Rank destination, const RouteEnds& ends) const {
  const bool workers_choose = path_choice_ == PathChoice::worker;
  std::size_t digits = workers_choose ? number_of(destination) : index_of(ends.destination_host);
  auto& [route, next, candidates, hops] = search_;
  hops.clear();
  for (int vertex = ends.source_host; vertex != ends.destination_host;) {
    find_next_links(ends, vertex);
    // The first parallel link to each neighbor, then the second one to each, and so on.
    std::ranges::stable_sort(candidates, {}, [&](LinkIndex link) { return number_among_parallel(link); });
    const bool sender_chooses = workers_choose && hops.empty();
    const LinkIndex link = candidates[(sender_chooses ? number_of(source) : digits) % candidates.size()];
    const std::size_t parallel = digits % candidates.size() / next.size();
    hops.push_back({link, next.size() == 1 ? candidates.size() : 0, parallel});
    digits /= next.size();
    vertex = to_vertex_[index_of(link)];
  }
}

std::size_t Network::number_of(Rank rank) const {
  if (place_in_host_.empty()) return index_of(rank);
  const int workers_of_nic = workers_per_host_ / nics_per_host_;
  return index_of(host_of(rank) * workers_of_nic + place_in_host_[index_of(rank)] % workers_of_nic);
}

void Network::find_next_links(const RouteEnds& ends, int vertex) const {
  auto& next = search_.next;
  next.clear();
  router_->next_on_route(ends, vertex, next);
  std::sort(next.begin(), next.end());
  search_.candidates.clear();
  for (const int neighbor : next) append_links(vertex, neighbor, search_.candidates);
}

int Network::number_among_parallel(LinkIndex link) const {
  const Link& found = links_[index_of(link)];
  return link - first_link_between(found.from_vertex, found.to_vertex);
}

/// The first link between two vertices, or its place in the order if there is none. O(1) if the neighbors of
/// `from` have consecutive numbers.
LinkIndex Network::first_link_between(int from, int to) const {
  const auto begin = to_vertex_.begin() + first_link_[static_cast<std::size_t>(from)];
  const auto end = to_vertex_.begin() + first_link_[static_cast<std::size_t>(from) + 1];
  if (to >= *begin && to - *begin < end - begin) {
    const auto guess = begin + (to - *begin);
    if (*guess == to && (guess == begin || guess[-1] != to))
      return static_cast<LinkIndex>(guess - to_vertex_.begin());
  }
  return static_cast<LinkIndex>(std::lower_bound(begin, end, to) - to_vertex_.begin());
}

void Network::append_links(int from, int to, std::vector<LinkIndex>& found) const {
  const LinkIndex end = first_link_[static_cast<std::size_t>(from) + 1];
  for (LinkIndex link = first_link_between(from, to);
       link != end && to_vertex_[static_cast<std::size_t>(link)] == to; ++link)
    found.push_back(link);
}

double Network::alpha_s(Rank source, Rank destination) const {
  return summary(source, destination).latency_s;
}

double Network::bandwidth_Bps(Rank source, Rank destination) const {
  return summary(source, destination).least_bandwidth_Bps;
}

int Network::diameter() const { return router_->diameter(); }

double Network::bisection_bandwidth_Bps() const {
  if (hosts_ == 1) return 0;
  const std::span<const Link> network_links(links_.data(), static_cast<std::size_t>(first_link_.back()));
  const std::vector<int> dimensions = dimensions_.empty() ? std::vector{hosts_} : dimensions_;
  double least_Bps = std::numeric_limits<double>::infinity();
  for (std::size_t dimension = 0; dimension < dimensions.size(); ++dimension) {
    if (dimensions[dimension] == 1) continue;
    const std::vector<int> hosts = hosts_along(dimensions, dimension);
    least_Bps = std::min(least_Bps, flow_between_halves_Bps(hosts, network_links, hosts_ + switches_));
  }
  return least_Bps;
}

Network build_network(const ClusterOptions& options) {
  ClusterOptions checked = options;  // descriptions may change what they describe
  check_options("cluster", [&](OptionVisitor& visitor) { describe(checked, visitor); });
  Fabric fabric = build_fabric(options.hosts(), options.network.kind, options.nics_per_host);
  remove_failed(options.network.overrides, fabric);
  return Network(options, std::move(fabric));
}

std::span<const Link> links_of_cables(const Network& network) {
  const int vertices = network.hosts() + network.switches();
  const auto is_cable = [vertices](const Link& link) {
    return link.from_vertex < vertices && link.to_vertex < vertices;
  };
  const std::span<const Link> all = network.links();
  return all.first(static_cast<std::size_t>(std::ranges::find_if_not(all, is_cable) - all.begin()));
}

}  // namespace starling

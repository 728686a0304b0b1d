#include "topologies/placement/placement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <utility>

#include "base/errors.hpp"
#include "base/reject.hpp"
#include "base/types.hpp"
#include "sim/random.hpp"

namespace starling {
namespace {

constexpr std::array<std::string_view, 5> names = {"block", "round_robin", "random", "snake",
                                                   optimized_placement};

std::vector<int> block(const PlacementSite& site) {
  std::vector<int> hosts(static_cast<std::size_t>(site.workers));
  for (Rank rank = 0; rank < site.workers; ++rank)
    hosts[static_cast<std::size_t>(rank)] = rank / site.workers_per_host;
  return hosts;
}

std::vector<int> round_robin(const PlacementSite& site) {
  std::vector<int> hosts(static_cast<std::size_t>(site.workers));
  for (Rank rank = 0; rank < site.workers; ++rank) hosts[static_cast<std::size_t>(rank)] = rank % site.hosts;
  return hosts;
}

/// A random permutation (Fisher–Yates). Reference: Knuth, "The Art of Computer Programming", 2, 3.4.2,
/// algorithm P.
std::vector<int> shuffled(std::vector<int> hosts, std::uint64_t seed) {
  const CounterRandom random(seed, Purpose::placement);
  for (std::size_t left = hosts.size(); left > 1; --left)
    std::swap(hosts[left - 1], hosts[random.below(left, 0, left)]);
  return hosts;
}

std::vector<int> snake(const PlacementSite& site) {
  if (site.dimensions.empty())
    reject(
        "placement \"snake\" needs a network whose hosts form a grid, which this one is not; it is for ring, "
        "line, torus, mesh, hypercube and hamming_mesh");
  return blocks_on(snake_order(site.dimensions), site);
}

void check_optimizable(const PlacementSite& site) {
  if (site.hosts > most_optimized_hosts)
    reject(
        "placement \"optimized\" is for at most {} hosts, the cluster has {}; {}a list of hosts has no limit",
        most_optimized_hosts, site.hosts, site.dimensions.empty() ? "" : "\"snake\" or ");
}

std::vector<int> listed(const PlacementOptions& options, const PlacementSite& site) {
  if (options.hosts.size() != static_cast<std::size_t>(site.workers))
    reject("placement gives the hosts of {} ranks, but there are {} workers; give one host for each",
           options.hosts.size(), site.workers);
  std::vector<int> ranks_on(static_cast<std::size_t>(site.hosts), 0);
  for (std::size_t rank = 0; rank < options.hosts.size(); ++rank) {
    const int host = options.hosts[rank];
    if (++ranks_on[static_cast<std::size_t>(host)] > site.workers_per_host)
      reject("placement puts rank {} on host {}, which is full; a host holds at most {} (workers_per_host)",
             rank, host, site.workers_per_host);
  }
  return options.hosts;
}

}  // namespace

std::vector<std::string> placement_names() { return {names.begin(), names.end()}; }

void describe_placement(PlacementOptions& options, int workers, int hosts, OptionVisitor& visitor) {
  const bool is_known = workers > 0;
  const auto count = static_cast<std::size_t>(workers);
  const std::string wanted = fmt::format("the host of each of the {} workers", workers);
  visitor.choice_or_integers(
      {"placement",
       "the host of each rank: `block`: rank r on host ⌊r/workers_per_host⌋; `round_robin`: rank r on host r "
       "mod hosts; `random`: by the scenario's seed; `snake`: back and forth through the rows of a grid, so "
       "that neighboring ranks are on neighboring hosts; `optimized`: so that the messages of the algorithms "
       "cross few and fast links (at most 1024 hosts); or a list with the host of each rank",
       "`\"block\"`"},
      options.name, {.names = placement_names()}, options.hosts, {0, is_known ? hosts - 1 : 1 << 20},
      is_known ? ListSize{.least = 1,
                          .greatest = count,
                          .noun = "hosts",
                          .problem = "not one host for each worker",
                          .wanted = wanted}
               : ListSize{.least = 1, .noun = "hosts"});
  visitor.seed(options.seed);
}

std::vector<int> hosts_of_ranks(const PlacementOptions& options, const PlacementSite& site) {
  if (!options.hosts.empty()) return listed(options, site);
  if (options.name == optimized_placement) check_optimizable(site);
  if (is_block(options) || options.name == optimized_placement) return {};
  if (options.name == "round_robin") return round_robin(site);
  if (options.name == "random") return shuffled(block(site), options.seed);
  STARLING_INVARIANT(options.name == "snake");
  return snake(site);
}

int ranks_of_each_host(std::span<const int> hosts) {
  const auto has_other_host = [&](int host) { return host != hosts.front(); };
  const std::ptrdiff_t count = std::ranges::find_if(hosts, has_other_host) - hosts.begin();
  std::set<int> seen;
  for (auto rank = hosts.begin(); rank != hosts.end();) {
    const auto end = rank + std::min(count, hosts.end() - rank);
    if (std::find_if(rank, end, [&](int host) { return host != *rank; }) != end) return 0;
    if (!seen.insert(*rank).second) return 0;
    rank = end;
  }
  return static_cast<int>(count);
}

std::vector<int> snake_order(std::span<const int> dimensions) {
  std::vector<int> order = {0};
  int stride = 1;
  for (std::size_t index = dimensions.size(); index-- > 0;) {
    const std::vector<int> row = std::move(order);
    order.clear();
    for (int place = 0; place < dimensions[index]; ++place) {
      const auto first = static_cast<std::ptrdiff_t>(order.size());
      for (const int host : row) order.push_back(place * stride + host);
      if (place % 2 == 1) std::reverse(order.begin() + first, order.end());
    }
    stride *= dimensions[index];
  }
  return order;
}

std::vector<int> blocks_on(std::span<const int> order, const PlacementSite& site) {
  std::vector<int> hosts = block(site);
  for (int& host : hosts) host = order[static_cast<std::size_t>(host)];
  return hosts;
}

}  // namespace starling

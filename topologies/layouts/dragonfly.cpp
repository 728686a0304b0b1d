#include "topologies/layouts/dragonfly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>

#include "base/numbers/mix.hpp"
#include "base/numbers/pair_of.hpp"
#include "topologies/layouts/option_checks.hpp"

namespace starling {
namespace {

constexpr int most_per_group = 4096;

/// The sizes by the letters of the paper. Routers are numbered group by group.
struct Sizes {
  int a = 1;  // routers per group
  int p = 1;  // hosts per router
  int h = 1;  // global links per router
  int g = 1;  // groups

  double hosts() const { return 1.0 * g * a * p; }
  int most_groups() const { return a * h + 1; }
  /// Global links between two groups.
  int trunks() const { return g > 1 ? a * h / (g - 1) : 0; }
  double cables() const { return hosts() + 0.5 * g * a * (a - 1.0) + 0.5 * g * (g - 1.0) * trunks(); }

  /// The router whose global link number `trunk` leads from one group to another.
  int gateway(int from_group, int to_group, int trunk) const {
    const int distance = (from_group - to_group + g) % g;
    return from_group * a + (trunk * (g - 1) + distance - 1) / h;
  }
};

int routers_of_balanced(int hosts) {
  int p = 1;
  while (2.0 * p * p * (2.0 * p * p + 1) < hosts) ++p;
  return 2 * p;
}

int half(int routers) { return std::max(1, routers / 2); }

Sizes unchecked_sizes_of(int hosts, const DragonflyOptions& options) {
  Sizes sizes;
  sizes.a = options.routers_per_group.value_or(routers_of_balanced(hosts));
  sizes.p = options.hosts_per_router.value_or(half(sizes.a));
  sizes.h = options.global_links_per_router.value_or(half(sizes.a));
  sizes.g = options.groups.value_or((hosts - 1) / sizes.p / sizes.a + 1);
  return sizes;
}

Sizes sizes_of(int hosts, const DragonflyOptions& options) {
  const Sizes sizes = unchecked_sizes_of(hosts, options);
  check_cable_count("dragonfly", sizes.cables());
  return sizes;
}

class DragonflyRouter final : public Router {
 public:
  DragonflyRouter(int hosts, const Sizes& sizes, DragonflyRouting routing)
      : hosts_(hosts), sizes_(sizes), routing_(routing) {}

  void next_vertices(int vertex, int destination, std::vector<int>& next) const override {
    if (vertex < hosts_) {
      next.push_back(hosts_ + vertex / sizes_.p);
    } else if (vertex - hosts_ == destination / sizes_.p) {
      next.push_back(destination);
    } else {
      append_toward(vertex - hosts_, destination / sizes_.p, next);
    }
  }

  void next_on_route(const RouteEnds& ends, int vertex, std::vector<int>& next) const override {
    const int source_group = group_of(ends.source_host / sizes_.p);
    const int destination_group = group_of(ends.destination_host / sizes_.p);
    const bool is_detour = routing_ == DragonflyRouting::valiant && sizes_.g >= least_groups_of_detours &&
                           vertex >= hosts_ && source_group != destination_group &&
                           group_of(vertex - hosts_) == source_group;
    if (!is_detour) return next_vertices(vertex, ends.destination_host, next);
    append_toward_group(vertex - hosts_, intermediate_group(ends), nowhere, next);
  }

  bool takes_shortest_paths() const override { return false; }

  int diameter() const override {
    if (hosts_ == 1) return 0;
    const int last = (hosts_ - 1) / sizes_.p;
    int links = last > 0 && sizes_.a > 1 ? 3 : 2;
    for (int distance = 1; distance < sizes_.g && links < 5; ++distance) {
      for (int from = 0; from < sizes_.a && links < 5; ++from) {
        for (int to = 0; to < sizes_.a; ++to) {
          if (is_used(distance, from, to, last))
            links = std::max(links, 2 + hops_between(distance, from, to));
        }
      }
    }
    return links;
  }

 private:
  static constexpr int nowhere = -1;

  int group_of(int router) const { return router / sizes_.a; }

  /// A group other than those of both hosts. The hash is that of PathChoice::hash with the number −1 in place
  /// of a vertex, for the pair of hosts.
  int intermediate_group(const RouteEnds& ends) const {
    const auto [low, high] =
        std::minmax({group_of(ends.source_host / sizes_.p), group_of(ends.destination_host / sizes_.p)});
    const std::uint64_t hash =
        mix(mix(pair_of(ends.source_host, ends.destination_host) + mix(ends.hash_seed)) - 1);
    int group = static_cast<int>(hash % static_cast<std::uint64_t>(sizes_.g - 2));
    if (group >= low) ++group;
    if (group >= high) ++group;
    return group;
  }

  void append_toward(int router, int destination, std::vector<int>& next) const {
    if (group_of(router) == group_of(destination)) {
      next.push_back(hosts_ + destination);
    } else {
      append_toward_group(router, group_of(destination), destination, next);
    }
  }

  /// The number of links from `router` to `destination` (or, for nowhere, into `group`) over global cable
  /// `trunk`: to its near end, over it, and from its far end.
  int hops_over(int trunk, int router, int group, int destination) const {
    const int gateway = sizes_.gateway(group_of(router), group, trunk);
    const int entrance = sizes_.gateway(group, group_of(router), trunk);
    return (router != gateway) + 1 + (destination != nowhere && destination != entrance);
  }

  /// Appends the next routers towards `group`, over those global cables that make the way to `destination`
  /// shortest, or, if that is nowhere, the way into the group.
  void append_toward_group(int router, int group, int destination, std::vector<int>& next) const {
    int least = std::numeric_limits<int>::max();
    for (int trunk = 0; trunk < sizes_.trunks(); ++trunk)
      least = std::min(least, hops_over(trunk, router, group, destination));
    const std::size_t first = next.size();
    for (int trunk = 0; trunk < sizes_.trunks(); ++trunk) {
      if (hops_over(trunk, router, group, destination) > least) continue;
      const int gateway = sizes_.gateway(group_of(router), group, trunk);
      next.push_back(hosts_ + (gateway == router ? sizes_.gateway(group, group_of(router), trunk) : gateway));
    }
    const auto begin = next.begin() + static_cast<std::ptrdiff_t>(first);
    std::sort(begin, next.end());
    next.erase(std::unique(begin, next.end()), next.end());
  }

  /// The number of links between router `from` of a group and router `to` of the group that comes `distance`
  /// groups before it.
  int hops_between(int distance, int from, int to) const {
    const int group = sizes_.g - distance;  // seen from group 0
    int least = std::numeric_limits<int>::max();
    for (int trunk = 0; trunk < sizes_.trunks(); ++trunk)
      least = std::min(least, hops_over(trunk, from, group, group * sizes_.a + to));
    return least;
  }

  /// Whether both routers of some pair with this distance of groups and these places in them have hosts;
  /// `last` is the last router that has any.
  bool is_used(int distance, int from, int to, int last) const {
    const int full = (last + 1) / sizes_.a;  // groups that are full: 0 … full − 1
    const int rest = (last + 1) % sizes_.a;  // routers with hosts in the next group
    const auto is_full = [&](int group) { return group % sizes_.g < full; };
    // Then two full groups are that far apart, one way round or the other.
    if (distance < full || sizes_.g - distance < full) return true;
    return (from < rest && is_full(full - distance + sizes_.g)) || (to < rest && is_full(full + distance));
  }

  int hosts_;
  Sizes sizes_;
  DragonflyRouting routing_;
};

void append_local_cables(const Sizes& sizes, const LinkOptions& link, Fabric& fabric) {
  for (int group = 0; group < sizes.g; ++group) {
    const int first = fabric.hosts + group * sizes.a;
    for (int from = 0; from < sizes.a; ++from) {
      for (int to = from + 1; to < sizes.a; ++to) fabric.cables.push_back({first + from, first + to, link});
    }
  }
}

void append_global_cables(const Sizes& sizes, const LinkOptions& link, Fabric& fabric) {
  for (int group = 0; group < sizes.g; ++group) {
    for (int other = group + 1; other < sizes.g; ++other) {
      for (int trunk = 0; trunk < sizes.trunks(); ++trunk) {
        fabric.cables.push_back({fabric.hosts + sizes.gateway(group, other, trunk),
                                 fabric.hosts + sizes.gateway(other, group, trunk), link});
      }
    }
  }
}

void require_groups(const Sizes& sizes, int hosts, int needed, OptionVisitor& visitor) {
  visitor.require(sizes.g >= needed, "groups", fmt::format("{} hosts do not fit", hosts),
                  fmt::format("at least {}", needed));
  visitor.require(
      sizes.g <= sizes.most_groups(), "groups",
      fmt::format("{} groups need more global links than the {} of a group", sizes.g, sizes.a * sizes.h),
      fmt::format("at most {} groups, or more global links", sizes.most_groups()));
}

void describe_sizes(DragonflyOptions& options, int hosts, OptionVisitor& visitor) {
  constexpr IntegerRange range{1, most_per_group};
  const bool is_known = hosts > 0;
  Sizes sizes;
  sizes.a = described_size(visitor,
                           {"routers_per_group", "a: routers of each group, connected all to all",
                            "that of the smallest balanced dragonfly (a = 2p = 2h) with room for the hosts"},
                           options.routers_per_group, routers_of_balanced(hosts), range, is_known);
  sizes.p = described_size(visitor, {"hosts_per_router", "p: hosts of each router", "a/2, which is balanced"},
                           options.hosts_per_router, half(sizes.a), port_range, is_known);
  sizes.h = described_size(
      visitor,
      {"global_links_per_router", "h: ports of each router to other groups", "a/2, which is balanced"},
      options.global_links_per_router, half(sizes.a), range, is_known);
  const int needed = is_known ? (hosts - 1) / sizes.p / sizes.a + 1 : 1;
  sizes.g = described_size(
      visitor,
      {"groups",
       "number of groups, at most ah + 1; every two are connected by ah/(groups − 1) links, rounded down",
       "as many as the hosts need"},
      options.groups, needed, port_range, is_known);
  require_groups(sizes, hosts, needed, visitor);
}

}  // namespace

void describe_kind(DragonflyOptions& options, int hosts, OptionVisitor& visitor) {
  describe_sizes(options, hosts, visitor);
  visitor.choice({"routing",
                  "`minimal`: directly to the destination's group; `valiant`: over an intermediate group, "
                  "chosen by a hash of both hosts, which takes at least 3 groups"},
                 options.routing,
                 {{"minimal", DragonflyRouting::minimal}, {"valiant", DragonflyRouting::valiant}});
  describe_needed_link(visitor, "link from a host to its router", options.link);
  visitor.object({"local_link", "link between routers of a group", "as `link`"}, options.local_link);
  visitor.object({"global_link", "link between routers of two groups", "as `link`"}, options.global_link);
}

int dragonfly_groups(int hosts, const DragonflyOptions& options) {
  return unchecked_sizes_of(hosts, options).g;
}

Fabric build_dragonfly(int hosts, const DragonflyOptions& options) {
  const Sizes sizes = sizes_of(hosts, options);
  const LinkOptions local_link = options.local_link.value_or(options.link);
  const LinkOptions global_link = options.global_link.value_or(options.link);
  Fabric fabric = hosts_on_switches(hosts, sizes.p, options.link, sizes.g * sizes.a, "router");
  append_local_cables(sizes, local_link, fabric);
  append_global_cables(sizes, global_link, fabric);
  fabric.router = std::make_unique<DragonflyRouter>(hosts, sizes, options.routing);
  return fabric;
}

}  // namespace starling

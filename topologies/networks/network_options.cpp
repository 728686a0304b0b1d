#include "topologies/networks/network_options.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

#include "base/options/option_kinds.hpp"

namespace starling {
namespace {

/// Describes a link that may be absent; its bandwidth is then 0.
void optional_link(OptionVisitor& visitor, const Option& option, LinkOptions& link) {
  visitor.object(option, Nested{.describe = [&](OptionVisitor& inner) { describe(link, inner); },
                                .is_present = link.bandwidth_Bps != 0,
                                .may_be_absent = true,
                                .set_present =
                                    [&](bool is_present) {
                                      if (!is_present) link = {};
                                    }});
}

/// Describes whether there are switches between the hosts, and the links from hosts to switches.
template <typename Options>
void describe_switches(Options& options, OptionVisitor& visitor) {
  visitor.flag({"switches",
                "each host is replaced by a switch that has one host on a link of its own; otherwise hosts "
                "forward messages"},
               options.switches);
  visitor.object({"host_link", "link from a host to its switch", "as `link`"}, options.host_link);
  visitor.require(options.switches || !options.host_link, "host_link",
                  "there are no switches to link hosts to", "also \"switches\": true");
}

template <typename Options>
void describe_plain(Options& options, OptionVisitor& visitor) {
  describe_needed_link(visitor, "link between neighboring hosts or, with `switches`, between their switches",
                       options.link);
  describe_switches(options, visitor);
}

void describe_kind(StarOptions& options, int hosts, OptionVisitor& visitor) {
  optional_link(visitor,
                {"link", "link from each host to the switch; two hosts are two links apart",
                 "absent if `host_links` is given"},
                options.link);
  visitor.list(
      {"host_links", "instead of `link`: one link for each host, in order of host numbers", "`link` for all"},
      options.host_links, {.least = 1, .noun = "links"});
  const std::size_t links = options.host_links.size();
  visitor.exactly_one({"link", "host_links"});
  visitor.require(hosts == 0 || links == 0 || links == static_cast<std::size_t>(hosts), "host_links",
                  "wrong number of links", fmt::format("one for each of the {} hosts", hosts),
                  fmt::format("{}", links));
}

void describe_kind(RingOptions& options, int, OptionVisitor& visitor) { describe_plain(options, visitor); }
void describe_kind(LineOptions& options, int, OptionVisitor& visitor) { describe_plain(options, visitor); }

void describe_kind(HypercubeOptions& options, int hosts, OptionVisitor& visitor) {
  const unsigned count = static_cast<unsigned>(hosts);
  visitor.require(hosts == 0 || std::has_single_bit(count), "", "a hypercube needs a power of two of hosts",
                  fmt::format("{} or {}", std::bit_floor(count), 2.0 * std::bit_floor(count)),
                  fmt::format("{} hosts", hosts));
  describe_plain(options, visitor);
}

void describe_kind(CompleteOptions& options, int, OptionVisitor& visitor) {
  describe_plain(options, visitor);
}

/// Whether the product of the sizes is `hosts`. Stops when it exceeds that, so it does not overflow.
bool are_places_for(const std::vector<int>& dimensions, int hosts) {
  std::int64_t places = 1;
  for (const int size : dimensions) {
    if (places > hosts) return false;
    places *= size;
  }
  return places == hosts;
}

template <typename Options>
void describe_grid(Options& options, int hosts, OptionVisitor& visitor) {
  visitor.integers({.key = "dimensions",
                    .meaning = "sizes whose product is the number of hosts; host numbers are row-major",
                    .is_needed = true},
                   options.dimensions, port_range, {.least = 1, .noun = "sizes"});
  visitor.require(hosts == 0 || are_places_for(options.dimensions, hosts), "dimensions",
                  "wrong number of hosts", fmt::format("sizes whose product is {}", hosts));
  optional_link(visitor,
                {"link", "link between neighboring hosts or, with `switches`, between their switches",
                 "absent if `dimension_links` is given"},
                options.link);
  visitor.list(
      {"dimension_links", "instead of `link`: one link for each dimension, in order", "`link` for all"},
      options.dimension_links, {.least = 1, .noun = "links"});
  visitor.exactly_one({"link", "dimension_links"});
  const std::size_t links = options.dimension_links.size();
  visitor.require(links == 0 || links == options.dimensions.size(), "dimension_links",
                  "wrong number of links",
                  fmt::format("one for each of the {} dimensions", options.dimensions.size()));
  describe_switches(options, visitor);
  visitor.require(!options.switches || options.host_link || links == 0, "",
                  "key \"host_link\" is missing: with \"dimension_links\" it has no default", "");
}

void describe_kind(TorusOptions& options, int hosts, OptionVisitor& visitor) {
  describe_grid(options, hosts, visitor);
}
void describe_kind(MeshOptions& options, int hosts, OptionVisitor& visitor) {
  describe_grid(options, hosts, visitor);
}

void require_ports(const FatTreeOptions& options, int hosts, OptionVisitor& visitor) {
  if (options.k) {
    const int ports = *options.k * *options.k * *options.k / 4;
    visitor.require(*options.k % 2 == 0, "k", "must be even", "an even number of ports per switch");
    visitor.require(hosts <= ports, "k",
                    fmt::format("{} hosts do not fit on the k³/4 = {} ports", hosts, ports), "a larger k");
  }
  if (options.levels.empty()) return;
  double ports = 1;
  for (const FatTreeLevel& level : options.levels) ports *= level.down;
  visitor.require(hosts <= ports, "levels", fmt::format("{} hosts do not fit on {:.0f} ports", hosts, ports),
                  "more down ports");
}

void describe_kind(FatTreeOptions& options, int hosts, OptionVisitor& visitor) {
  visitor.integer({"k", "ports per switch of a three-level Clos network with k³/4 ports for hosts; even",
                   "absent if `levels` is given"},
                  options.k, {2, 256});
  visitor.list(
      {"levels", "instead of `k`: the levels of switches, from the hosts upward", "absent if `k` is given"},
      options.levels, {.least = 1});
  visitor.exactly_one({"k", "levels"});
  require_ports(options, hosts, visitor);
  optional_link(
      visitor,
      {"link", "link of every level without a `link` of its own; required unless all levels have one",
       "absent"},
      options.link);
  const bool has_links =
      !options.levels.empty() &&
      std::ranges::all_of(options.levels, [](const FatTreeLevel& level) { return level.link.has_value(); });
  visitor.require(has_links || options.link.bandwidth_Bps > 0, "", "key \"link\" is missing", "an object");
}

void describe_kind(LeafSpineOptions& options, int hosts, OptionVisitor& visitor) {
  visitor.integer(
      {.key = "hosts_per_leaf", .meaning = "ports of each leaf switch for hosts", .is_needed = true},
      options.hosts_per_leaf, port_range);
  visitor.integer({.key = "spines", .meaning = "number of spine switches", .is_needed = true}, options.spines,
                  port_range);
  describe_needed_link(visitor, "link from a host to its leaf switch", options.link);
  visitor.at_most_one("oversubscription", "spine_link");
  visitor.object(
      {"spine_link", "link from a leaf switch to a spine switch", "follows from `oversubscription`"},
      options.spine_link);
  double oversubscription = options.oversubscription.value_or(1);
  visitor.number({.key = "oversubscription",
                  .meaning = "a leaf switch's bandwidth to its hosts over its bandwidth to the spines; "
                             "determines the bandwidth of links from leaf to spine",
                  .without = "spine_link"},
                 oversubscription, {.least = 1e-6, .greatest = 1e6});
  options.oversubscription = options.spine_link ? std::nullopt : std::optional(oversubscription);

  const int needed =
      options.hosts_per_leaf > 0 ? (hosts + options.hosts_per_leaf - 1) / options.hosts_per_leaf : 0;
  const int leaves =
      described_size(visitor, {"leaves", "number of leaf switches", "as many as the hosts need"},
                     options.leaves, needed, port_range, needed > 0);
  visitor.require(leaves >= needed, "leaves", fmt::format("{} hosts do not fit", hosts),
                  fmt::format("at least {}", needed));
}

void describe_kind(GraphOptions& options, int hosts, OptionVisitor& visitor) {
  visitor.integer(
      {"switches", "number of switches; their vertex numbers follow those of the hosts, 0 … hosts − 1"},
      options.switches, {0, most_ports});
  visitor.list({.key = "cables",
                .meaning = "all cables; there must be a path between every two hosts",
                .is_needed = true},
               options.cables, {.least = hosts > 1 ? 1U : 0U});
  visitor.flag({"hosts_forward", "whether routes between two hosts may pass through other hosts"},
               options.hosts_forward);
  visitor.integer({"preferred_switches",
                   "N: among equally short paths, those over the first N switches are taken, as NVSwitches "
                   "are preferred to network cards"},
                  options.preferred_switches, {0, most_ports});
  visitor.require(options.preferred_switches <= options.switches, "preferred_switches",
                  "there are fewer switches", fmt::format("at most {}", options.switches));
}

std::vector<std::string> texts_of(const std::optional<std::array<std::string, 2>>& pair) {
  return pair ? std::vector<std::string>(pair->begin(), pair->end()) : std::vector<std::string>();
}

}  // namespace

void describe(FatTreeLevel& level, OptionVisitor& visitor) {
  visitor.integer({.key = "down",
                   .meaning = "how many vertices of the level below each switch of this level reaches",
                   .is_needed = true},
                  level.down, port_range);
  visitor.integer({.key = "up",
                   .meaning = "how many switches of this level each vertex of the level below reaches",
                   .is_needed = true},
                  level.up, port_range);
  visitor.integer({"parallel", "parallel cables between two connected vertices"}, level.parallel, port_range);
  visitor.object({"link", "link between this level and the one below", "the network's `link`"}, level.link);
}

void describe(GraphCable& cable, OptionVisitor& visitor) {
  constexpr IntegerRange vertices{.least = 0, .greatest = 2 * most_ports - 1};
  visitor.integer({.key = "from", .meaning = "one vertex of the cable", .is_needed = true}, cable.from,
                  vertices);
  visitor.integer({.key = "to", .meaning = "the other vertex of the cable", .is_needed = true}, cable.to,
                  vertices);
  describe_needed_link(visitor, "bandwidth and latency of the cable", cable.link);
}

void describe_override(LinkOverride& change, int hosts, OptionVisitor& visitor) {
  visitor.exactly_one({"link", "between", "host"}, "must say which links it changes");
  visitor.at_least_one({"bandwidth", "latency", "failed"}, "changes nothing");
  visitor.text(
      {"link",
       "one direction of a cable by its name, such as `\"host3 -> switch0\"`; `*` matches any characters",
       "absent"},
      change.link);
  std::vector<std::string> ends = texts_of(change.between);
  visitor.texts(
      {"between", "both directions of the cables between two vertices, which are given by name or pattern",
       "absent"},
      ends,
      {.least = 2, .greatest = 2, .problem = "wrong number of ends", .wanted = "two names of vertices"});
  if (ends.size() == 2) change.between = {ends[0], ends[1]};
  visitor.integer({"host", "every link from or to this host", "absent"}, change.host,
                  {0, (hosts > 0 ? hosts : most_ports) - 1});
  visitor.rate({"bandwidth", "new bandwidth of each selected link", "unchanged"}, change.bandwidth_Bps);
  visitor.time({"latency", "new latency of each selected link", "unchanged"}, change.latency_s);
  visitor.flag(
      {"failed", "removes the cables, in both directions; routes are then the shortest remaining ones",
       "false"},
      change.has_failed);
  visitor.require(!change.removes_cables() || !(change.bandwidth_Bps || change.latency_s), "failed",
                  "a removed cable has neither bandwidth nor latency", "no other change");
}

void describe_network(NetworkOptions& options, int hosts, OptionVisitor& visitor) {
  Kinds kinds = kinds_of(options.kind, "kind of network");
  kinds.later = {"wan"};
  kinds.describe = [&](OptionVisitor& inner) {
    std::visit([&](auto& kind) { describe_kind(kind, hosts, inner); }, options.kind);
    inner.choice({"path_choice",
                  "how a route is chosen among several shortest paths: `hash`: by a hash of both workers and "
                  "the vertex (ECMP); `destination`: by the digits of the destination host's number "
                  "(D-mod-k); `worker`: by the numbers of the workers (hosts with several ports, every GPU "
                  "using the nearest one). Platform files, which give their routes, accept `hash` only"},
                 options.path_choice,
                 {{"hash", PathChoice::hash},
                  {"destination", PathChoice::destination},
                  {"worker", PathChoice::worker}});
    inner.integer({.key = "hash_seed",
                   .meaning = "with `path_choice` `\"hash\"` only: seed of the hash function, which "
                              "determines which flows share links",
                   .otherwise = "0"},
                  options.hash_seed);
    inner.require(!options.hash_seed || options.path_choice == PathChoice::hash, "hash_seed",
                  "applies to path_choice \"hash\" only", "this path_choice, or no \"hash_seed\"");
    inner.list(
        {"overrides", "changes of selected links of the complete network; later ones override earlier ones",
         "none"},
        NestedList{
            .size = [&] { return options.overrides.size(); },
            .resize = [&](std::size_t count) { options.overrides.resize(count); },
            .describe = [&](std::size_t i,
                            OptionVisitor& each) { describe_override(options.overrides[i], hosts, each); }});
  };
  visitor.kind(kinds);
}

}  // namespace starling

#include "scenarios/reading/network_reader.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <functional>
#include <utility>

#include "io/scenario_error.hpp"
#include "topologies/networks/option_checks.hpp"

namespace starling {

using nlohmann::ordered_json;

namespace {

constexpr int most_ports = 1 << 20;

void check_cables(const JsonPlace& place, double cables) {
  if (cables > largest_cable_count)
    throw ScenarioError({place.file(), place.pointer(), "network too large",
                         fmt::format("{:.0f} cables", cables),
                         fmt::format("at most {}", largest_cable_count)});
}

[[noreturn]] void fail_missing(const JsonPlace& place, std::string_view key, std::string_view why) {
  throw ScenarioError(
      {place.file(), place.pointer(), fmt::format("key \"{}\" is missing: {}", key, why), "", ""});
}

/// Of two keys that exclude each other, one must be there.
void check_one_of(const ObjectReader& object, const std::string& first, const std::string& second) {
  const JsonPlace& place = object.place();
  if (object.has(first) && object.has(second))
    throw ScenarioError({place.file(), place.pointer(), "two keys exclude each other",
                         fmt::format("both \"{}\" and \"{}\"", first, second), "one of them"});
  if (!object.has(first) && !object.has(second))
    throw ScenarioError({place.file(), place.pointer(),
                         fmt::format("key \"{}\" or \"{}\" is missing", first, second), "", ""});
}

LinkOptions link_of(ObjectReader& object) { return object.object("link", read_link); }

/// Whether switches stand between the hosts, and how hosts are joined to them.
template <typename Options>
void read_switches(ObjectReader& object, Options& options) {
  options.switches = object.boolean("switches", false);
  if (object.has("host_link") && !options.switches)
    object.at("host_link")
        .fail("there are no switches that hosts could be linked to", "\"switches\": true beside it");
  options.host_link = object.optional_object("host_link", read_link);
}

std::vector<std::string> with_common_keys(std::vector<std::string> keys) {
  keys.insert(keys.begin(), "kind");
  keys.insert(keys.end(), {"path_choice", "overrides"});
  return keys;
}

ObjectReader open(const JsonPlace& place, std::vector<std::string> keys, const std::string& kind) {
  ObjectReader object(place, with_common_keys(std::move(keys)));
  object.note("kind", kind);
  return object;
}

NetworkKind read_star(ObjectReader& object, int hosts) {
  StarOptions options;
  check_one_of(object, "link", "host_links");
  if (object.has("link")) options.link = link_of(object);
  options.host_links = object.list("host_links", read_link);
  if (!options.host_links.empty() && options.host_links.size() != static_cast<std::size_t>(hosts))
    throw ScenarioError({object.place().file(), object.place().pointer() + "/host_links",
                         "wrong number of links", fmt::format("{}", options.host_links.size()),
                         fmt::format("one for each of the {} hosts", hosts)});
  if (object.has("host_links") && options.host_links.empty())
    object.at("host_links").fail("too short", fmt::format("one link for each of the {} hosts", hosts));
  return options;
}

template <typename Options>
NetworkKind read_plain(ObjectReader& object, int) {
  Options options;
  options.link = link_of(object);
  read_switches(object, options);
  return options;
}

NetworkKind read_hypercube(ObjectReader& object, int hosts) {
  if (!std::has_single_bit(static_cast<unsigned>(hosts)))
    throw ScenarioError({object.place().file(), object.place().pointer(),
                         "a hypercube needs a power of two of hosts", fmt::format("{} hosts", hosts),
                         fmt::format("{} or {}", std::bit_floor(static_cast<unsigned>(hosts)),
                                     std::bit_ceil(static_cast<unsigned>(hosts)))});
  return read_plain<HypercubeOptions>(object, hosts);
}

NetworkKind read_complete(ObjectReader& object, int hosts) {
  check_cables(object.place(), 0.5 * hosts * (hosts - 1.0));
  return read_plain<CompleteOptions>(object, hosts);
}

std::vector<int> read_dimensions(ObjectReader& object, int hosts) {
  const JsonPlace place = object.at("dimensions");
  std::vector<int> dimensions;
  std::int64_t product = 1;
  for (const JsonPlace& element : place.elements(1)) {
    dimensions.push_back(static_cast<int>(element.integer({1, most_ports})));
    product *= dimensions.back();
    if (product > hosts) break;
  }
  if (product != hosts) place.fail("wrong number of hosts", fmt::format("sizes whose product is {}", hosts));
  object.note("dimensions", dimensions);
  return dimensions;
}

template <typename Options>
NetworkKind read_grid(ObjectReader& object, int hosts) {
  Options options;
  options.dimensions = read_dimensions(object, hosts);
  check_one_of(object, "link", "dimension_links");
  if (object.has("link")) options.link = link_of(object);
  options.dimension_links = object.list("dimension_links", read_link);
  if (object.has("dimension_links") && options.dimension_links.size() != options.dimensions.size())
    object.at("dimension_links")
        .fail("wrong number of links",
              fmt::format("one for each of the {} dimensions", options.dimensions.size()));
  read_switches(object, options);
  if (options.switches && !options.host_link && object.has("dimension_links"))
    fail_missing(object.place(), "host_link", "with \"dimension_links\" it has no default");
  return options;
}

Normalized<FatTreeLevel> read_level(const JsonPlace& place) {
  ObjectReader object(place, {"down", "up", "parallel", "link"});
  FatTreeLevel level;
  level.down = object.small_integer("down", {1, most_ports});
  level.up = object.small_integer("up", {1, most_ports});
  level.parallel = object.small_integer("parallel", {1, most_ports}, 1);
  level.link = object.optional_object("link", read_link);
  return {level, object.as_read()};
}

/// Cables of all levels: level i has ∏(up of levels ≤ i)·∏(down of levels > i) switches, each with
/// down·parallel cables.
double fat_tree_cables(const std::vector<FatTreeLevel>& levels) {
  double cables = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    double switches = 1;
    for (std::size_t j = 0; j < levels.size(); ++j) switches *= j <= i ? levels[j].up : levels[j].down;
    cables += switches * levels[i].down * levels[i].parallel;
  }
  return cables;
}

void read_k(ObjectReader& object, FatTreeOptions& options, int hosts) {
  const int k = object.small_integer("k", {2, 256});
  const int ports = k * k * k / 4;
  if (k % 2 != 0) object.at("k").fail("must be even", "an even number of ports per switch");
  if (ports < hosts)
    object.at("k").fail(fmt::format("{} hosts do not fit on the k³/4 = {} ports", hosts, ports),
                        "a larger k");
  options.k = k;
}

void read_levels(ObjectReader& object, FatTreeOptions& options, int hosts) {
  options.levels = object.list("levels", read_level, 1);
  double ports = 1;
  for (const FatTreeLevel& level : options.levels) ports *= level.down;
  if (ports < hosts)
    object.at("levels").fail(fmt::format("{} hosts do not fit on {:.0f} ports", hosts, ports),
                             "more down ports");
  check_cables(object.place(), fat_tree_cables(options.levels));
}

NetworkKind read_fat_tree(ObjectReader& object, int hosts) {
  FatTreeOptions options;
  check_one_of(object, "k", "levels");
  if (object.has("k")) read_k(object, options, hosts);
  if (object.has("levels")) read_levels(object, options, hosts);

  bool levels_have_links = !options.levels.empty();
  for (const FatTreeLevel& level : options.levels) levels_have_links = levels_have_links && level.link;
  if (object.has("link") || !levels_have_links) options.link = link_of(object);
  return options;
}

NetworkKind read_leaf_spine(ObjectReader& object, int hosts) {
  LeafSpineOptions options;
  options.hosts_per_leaf = object.small_integer("hosts_per_leaf", {1, most_ports});
  options.spines = object.small_integer("spines", {1, most_ports});
  options.link = link_of(object);
  if (object.has("oversubscription") && object.has("spine_link"))
    check_one_of(object, "oversubscription", "spine_link");
  options.spine_link = object.optional_object("spine_link", read_link);
  if (!options.spine_link)
    options.oversubscription = object.number("oversubscription", {.least = 1e-6, .greatest = 1e6}, 1.0);

  const int needed = (hosts + options.hosts_per_leaf - 1) / options.hosts_per_leaf;
  options.leaves = object.small_integer("leaves", {1, most_ports}, needed);
  if (*options.leaves < needed)
    object.at("leaves").fail(fmt::format("{} hosts do not fit", hosts), fmt::format("at least {}", needed));
  check_cables(object.place(), static_cast<double>(*options.leaves) * options.spines);
  return options;
}

Normalized<LinkOverride> read_override(const JsonPlace& place, int hosts) {
  ObjectReader object(place, {"link", "between", "host", "bandwidth", "latency"});
  LinkOverride change;
  const int selectors = object.has("link") + object.has("between") + object.has("host");
  if (selectors != 1)
    place.fail("must say which links it changes", "exactly one of \"link\", \"between\" and \"host\"");
  if (!object.has("bandwidth") && !object.has("latency"))
    place.fail("changes nothing", "\"bandwidth\" or \"latency\"");

  if (object.has("link")) change.link = object.text("link");
  if (const auto between = object.find("between")) {
    const auto ends = between->elements();
    if (ends.size() != 2) between->fail("wrong number of ends", "two names of vertices");
    change.between = {ends[0].text(), ends[1].text()};
    object.note("between", *change.between);
  }
  change.host = object.optional_integer("host", {0, hosts - 1});
  change.bandwidth_Bps = object.optional_quantity("bandwidth", Dimension::bandwidth);
  change.latency_s = object.optional_quantity("latency", Dimension::time);
  return {change, object.as_read()};
}

struct KindReader {
  std::string kind;
  std::vector<std::string> keys;
  NetworkKind (*read)(ObjectReader& object, int hosts);
};

const std::vector<KindReader>& kind_readers() {
  static const std::vector<KindReader> readers = {
      {"star", {"link", "host_links"}, read_star},
      {"ring", {"link", "switches", "host_link"}, read_plain<RingOptions>},
      {"line", {"link", "switches", "host_link"}, read_plain<LineOptions>},
      {"torus", {"dimensions", "link", "dimension_links", "switches", "host_link"}, read_grid<TorusOptions>},
      {"mesh", {"dimensions", "link", "dimension_links", "switches", "host_link"}, read_grid<MeshOptions>},
      {"hypercube", {"link", "switches", "host_link"}, read_hypercube},
      {"complete", {"link", "switches", "host_link"}, read_complete},
      {"fat_tree", {"k", "levels", "link"}, read_fat_tree},
      {"leaf_spine",
       {"hosts_per_leaf", "spines", "leaves", "link", "oversubscription", "spine_link"},
       read_leaf_spine},
  };
  return readers;
}

}  // namespace

const std::vector<std::string>& network_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const KindReader& reader : kind_readers()) names.push_back(reader.kind);
    return names;
  }();
  return kinds;
}

Normalized<LinkOptions> read_link(const JsonPlace& place) {
  ObjectReader object(place, {"bandwidth", "latency"});
  LinkOptions link;
  link.bandwidth_Bps = object.quantity("bandwidth", Dimension::bandwidth);
  link.latency_s = object.quantity("latency", Dimension::time);
  return {link, object.as_read()};
}

Normalized<NetworkOptions> read_network(const JsonPlace& place, int hosts) {
  const std::vector<std::string> later = {"dragonfly", "hamming_mesh", "random_regular", "wan", "file"};
  const std::string kind = read_kind(place, "kind of network", network_kinds(), later);
  NetworkOptions options;
  for (const KindReader& reader : kind_readers()) {
    if (reader.kind != kind) continue;
    ObjectReader object = open(place, reader.keys, kind);
    options.kind = reader.read(object, hosts);
    const std::string choice = object.choice("path_choice", {"hash", "destination"}, "hash");
    options.path_choice = choice == "hash" ? PathChoice::hash : PathChoice::destination;
    options.overrides =
        object.list("overrides", [hosts](const JsonPlace& change) { return read_override(change, hosts); });
    return {options, object.as_read()};
  }
  return {options, {}};
}

}  // namespace starling

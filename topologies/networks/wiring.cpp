#include "topologies/networks/wiring.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/reject.hpp"
#include "base/rejected_value.hpp"

namespace starling {
namespace {

struct Half {
  int from;
  int to;
  int cable;
};

std::vector<Half> sorted_halves(const Fabric& fabric) {
  std::vector<Half> halves;
  halves.reserve(2 * fabric.cables.size());
  for (std::size_t index = 0; index < fabric.cables.size(); ++index) {
    const Cable& cable = fabric.cables[index];
    halves.push_back({cable.from, cable.to, static_cast<int>(index)});
    halves.push_back({cable.to, cable.from, static_cast<int>(index)});
  }
  std::sort(halves.begin(), halves.end(), [](const Half& left, const Half& right) {
    return std::tie(left.from, left.to, left.cable) < std::tie(right.from, right.to, right.cable);
  });
  return halves;
}

/// Equality is tested as well because a name from a file, such as "node[0]", need not match itself as a
/// pattern.
bool matches(const std::string& pattern, const std::string& name) {
  return pattern == name || fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

bool is_selected(const LinkOverride& selector, const Fabric& fabric, const Link& link) {
  if (selector.link) return matches(*selector.link, link.name);
  if (selector.host) return link.from_vertex == *selector.host || link.to_vertex == *selector.host;
  const auto& [one, other] = *selector.between;
  const std::string& from = fabric.vertices[static_cast<std::size_t>(link.from_vertex)].name;
  const std::string& to = fabric.vertices[static_cast<std::size_t>(link.to_vertex)].name;
  return (matches(one, from) && matches(other, to)) || (matches(other, from) && matches(one, to));
}

/// The key of the selector that is given.
std::string_view selector_of(const LinkOverride& change) {
  if (change.link) return "link";
  return change.host ? "host" : "between";
}

[[noreturn]] void reject_unmatched(const std::string& where, const LinkOverride& change,
                                   std::span<const Link> links) {
  const std::string example =
      links.empty() ? "there are none" : fmt::format("links have names such as \"{}\"", links.front().name);
  if (change.link) reject("{}: no link is named \"{}\"; {}", where, *change.link, example);
  if (change.host) reject("{}: host {} has no links", where, *change.host);
  reject("{}: no cable connects \"{}\" and \"{}\"; {}", where, (*change.between)[0], (*change.between)[1],
         example);
}

/// Calls `act` with the index of each link that override `number` selects. @throws std::invalid_argument if
/// there is none.
template <typename Act>
void for_each_selected(std::span<const LinkOverride> overrides, std::size_t number, const Fabric& fabric,
                       std::span<const Link> links, Act act) {
  const LinkOverride& change = overrides[number];
  bool is_used = false;
  for (std::size_t index = 0; index < links.size(); ++index) {
    if (!is_selected(change, fabric, links[index])) continue;
    is_used = true;
    act(index);
  }
  if (!is_used)
    rejecting_value(fmt::format("/overrides/{}/{}", number, selector_of(change)),
                    [&] { reject_unmatched(fmt::format("override {}", number), change, links); });
}

/// Whether the fabric routes along shortest paths, so that a search can replace its router after cables
/// failed.
bool takes_paths_of_search(const Fabric& fabric) {
  return fabric.nics_per_host == 1 && (!fabric.router || fabric.router->takes_shortest_paths());
}

}  // namespace

std::vector<Link> links_of(const Fabric& fabric) {
  std::vector<Link> links;
  links.reserve(2 * fabric.cables.size());
  int parallel = 1;
  for (const Half& half : sorted_halves(fabric)) {
    const Cable& cable = fabric.cables[static_cast<std::size_t>(half.cable)];
    const bool is_parallel =
        !links.empty() && links.back().from_vertex == half.from && links.back().to_vertex == half.to;
    parallel = is_parallel ? parallel + 1 : 1;
    std::string name = fmt::format("{} -> {}", fabric.vertices[static_cast<std::size_t>(half.from)].name,
                                   fabric.vertices[static_cast<std::size_t>(half.to)].name);
    if (is_parallel) name += fmt::format(" #{}", parallel);
    const LinkOptions& link = half.from == cable.to && cable.back ? *cable.back : cable.link;
    links.push_back(
        {std::move(name), half.from, half.to, link.bandwidth_Bps, link.latency_s, half.from < fabric.hosts});
  }
  return links;
}

std::vector<LinkIndex> first_links_of(std::span<const Link> links, int vertices) {
  std::vector<LinkIndex> first(static_cast<std::size_t>(vertices) + 1, 0);
  for (const Link& link : links) ++first[static_cast<std::size_t>(link.from_vertex) + 1];
  for (std::size_t vertex = 1; vertex < first.size(); ++vertex) first[vertex] += first[vertex - 1];
  return first;
}

void remove_failed(std::span<const LinkOverride> overrides, Fabric& fabric) {
  const auto first = std::ranges::find_if(overrides, &LinkOverride::removes_cables);
  if (first == overrides.end()) return;
  if (!takes_paths_of_search(fabric))
    throw RejectedValue(fmt::format("/overrides/{}/failed", first - overrides.begin()),
                        "no cable of this network can be removed, as its routes are not simply the shortest; "
                        "describe the remaining network by kind \"graph\" or \"file\"");
  const std::vector<Link> links = links_of(fabric);
  const std::vector<Half> halves = sorted_halves(fabric);
  std::vector<bool> is_gone(fabric.cables.size());
  for (std::size_t number = 0; number < overrides.size(); ++number)
    if (overrides[number].removes_cables())
      for_each_selected(overrides, number, fabric, links,
                        [&](std::size_t link) { is_gone[index_of(halves[link].cable)] = true; });
  std::vector<Cable> left;
  for (std::size_t cable = 0; cable < fabric.cables.size(); ++cable)
    if (!is_gone[cable]) left.push_back(fabric.cables[cable]);
  fabric.cables = std::move(left);
  fabric.router = nullptr;
}

void apply_overrides(std::span<const LinkOverride> overrides, const Fabric& fabric, std::span<Link> links) {
  for (std::size_t number = 0; number < overrides.size(); ++number) {
    const LinkOverride& change = overrides[number];
    if (change.removes_cables()) continue;
    for_each_selected(overrides, number, fabric, links, [&](std::size_t index) {
      Link& link = links[index];
      link.bandwidth_Bps = change.bandwidth_Bps.value_or(link.bandwidth_Bps);
      link.latency_s = change.latency_s.value_or(link.latency_s);
    });
  }
}

}  // namespace starling

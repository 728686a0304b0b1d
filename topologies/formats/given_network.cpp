#include "topologies/formats/given_network.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>

#include "base/options/range.hpp"
#include "base/reject.hpp"
#include "base/types.hpp"
#include "io/texts/units.hpp"
#include "topologies/layouts/option_checks.hpp"
#include "topologies/layouts/reachability.hpp"

namespace starling {
namespace {

using EdgeKey = std::tuple<int, int, int>;  // from, to, number

const std::string& name_of(const GivenNetwork& given, int node) { return given.nodes[index_of(node)].name; }

std::string ends_of(const GivenNetwork& given, const GivenEdge& edge) {
  return fmt::format("{} {} {}", name_of(given, edge.from), given.is_directed ? "->" : "-",
                     name_of(given, edge.to));
}

/// Rejects values that no scenario may have.
void check_usual(const std::string& where, std::string_view what, double value, Dimension dimension) {
  const Range range = default_range(dimension);
  if (!range.contains(value))
    reject("{}: {} out of range, got {:g}, expected {} {}", where, what, value, range.text(),
           si_unit(dimension));
}

void check_edge(const GivenNetwork& given, const GivenEdge& edge) {
  if (edge.from == edge.to)
    reject("{}: the cable connects {} to itself", edge.place, name_of(given, edge.from));
  const std::string where = fmt::format("{}: {}", edge.place, ends_of(given, edge));
  check_usual(where, "bandwidth", edge.link.bandwidth_Bps, Dimension::bandwidth);
  check_usual(where, "latency", edge.link.latency_s, Dimension::time);
}

/// The edges by their ends and number; the key of an undirected edge has the lesser end first.
std::map<EdgeKey, const GivenEdge*> edges_by_ends(const GivenNetwork& given) {
  std::map<EdgeKey, const GivenEdge*> found;
  for (const GivenEdge& edge : given.edges) {
    check_edge(given, edge);
    const auto [low, high] = std::minmax({edge.from, edge.to});
    const EdgeKey key =
        given.is_directed ? EdgeKey{edge.from, edge.to, edge.number} : EdgeKey{low, high, edge.number};
    const auto [place, is_new] = found.emplace(key, &edge);
    if (!is_new) {
      reject("{}: the cable {} is a duplicate of the one at {}; parallel cables need different numbers",
             edge.place, ends_of(given, edge), place->second->place);
    }
  }
  return found;
}

std::vector<Cable> cables_of(const GivenNetwork& given) {
  const std::map<EdgeKey, const GivenEdge*> edges = edges_by_ends(given);
  std::vector<Cable> cables;
  for (const auto& [key, edge] : edges) {
    const auto& [from, to, number] = key;
    if (!given.is_directed) {
      cables.push_back({from, to, edge->link});
      continue;
    }
    const auto back = edges.find({to, from, number});
    if (back == edges.end())
      reject("{}: the link {} has no link in the opposite direction", edge->place, ends_of(given, *edge));
    if (from < to) cables.push_back({from, to, edge->link, back->second->link});
  }
  return cables;
}

std::vector<int> degrees_of(std::size_t nodes, const std::vector<Cable>& cables) {
  std::vector<int> degrees(nodes, 0);
  for (const Cable& cable : cables) {
    ++degrees[index_of(cable.from)];
    ++degrees[index_of(cable.to)];
  }
  return degrees;
}

std::vector<int> hosts_of(const GivenNetwork& given, const std::vector<int>& degrees) {
  const auto says = [](const GivenNode& node) { return node.is_host.has_value(); };
  const bool is_said = std::ranges::any_of(given.nodes, says);
  const auto silent = std::ranges::find_if_not(given.nodes, says);
  if (is_said && silent != given.nodes.end()) {
    reject("{}: node {} is not declared a host or a switch, but other nodes are", silent->place,
           silent->name);
  }
  std::vector<int> hosts;
  for (std::size_t node = 0; node < given.nodes.size(); ++node) {
    if (is_said ? *given.nodes[node].is_host : degrees[node] == 1) hosts.push_back(static_cast<int>(node));
  }
  return hosts;
}

void check_joined(const GivenNetwork& given, const std::vector<Cable>& cables,
                  const std::vector<int>& hosts) {
  if (hosts.empty()) return;
  const std::vector<bool> is_reached =
      reached_from(hosts.front(), static_cast<int>(given.nodes.size()), cables);
  for (const int host : hosts) {
    if (is_reached[index_of(host)]) continue;
    reject("{}: no path connects {} and {}; there must be a path between every two hosts", given.file,
           name_of(given, hosts.front()), name_of(given, host));
  }
}

/// The nodes in the order of the vertices that they become: the hosts needed, then all other nodes except
/// spare hosts with one cable.
std::vector<int> vertex_order(const GivenNetwork& given, const std::vector<Cable>& cables, int hosts) {
  const std::vector<int> degrees = degrees_of(given.nodes.size(), cables);
  const std::vector<int> all_hosts = hosts_of(given, degrees);
  if (all_hosts.size() < index_of(hosts)) {
    reject(
        "{}: {} of its {} nodes are hosts, the cluster has {}; hosts are the nodes declared as such or, if "
        "none are, those with one cable",
        given.file, all_hosts.size(), given.nodes.size(), hosts);
  }
  std::vector<int> order(all_hosts.begin(), all_hosts.begin() + hosts);
  check_joined(given, cables, order);
  for (int node = 0; node < static_cast<int>(given.nodes.size()); ++node) {
    const auto place = std::ranges::lower_bound(all_hosts, node) - all_hosts.begin();
    const bool is_host = std::ranges::binary_search(all_hosts, node);
    if (is_host && (place < hosts || degrees[index_of(node)] == 1)) continue;
    order.push_back(node);
  }
  return order;
}

}  // namespace

Fabric fabric_of(const GivenNetwork& given, int hosts) {
  const std::vector<Cable> cables = cables_of(given);
  check_cable_count(given.file, static_cast<double>(cables.size()));
  constexpr int left_out = -1;
  std::vector<int> vertex_of(given.nodes.size(), left_out);
  Fabric fabric;
  fabric.hosts = hosts;
  for (const int node : vertex_order(given, cables, hosts)) {
    const auto vertex = static_cast<int>(fabric.vertices.size());
    vertex_of[index_of(node)] = vertex;
    fabric.vertices.push_back(
        {vertex < hosts ? VertexKind::host : VertexKind::network_switch, name_of(given, node)});
  }
  for (const Cable& cable : cables) {
    const int from = vertex_of[index_of(cable.from)];
    const int to = vertex_of[index_of(cable.to)];
    if (from != left_out && to != left_out) fabric.cables.push_back({from, to, cable.link, cable.back});
  }
  return fabric;
}

}  // namespace starling

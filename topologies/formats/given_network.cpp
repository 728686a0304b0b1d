#include "topologies/formats/given_network.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "topologies/layouts/option_checks.hpp"

namespace starling {
namespace {

using EdgeKey = std::tuple<int, int, int>;  // from, to, number

std::size_t index_of(int node) { return static_cast<std::size_t>(node); }

const std::string& name_of(const GivenNetwork& given, int node) { return given.nodes[index_of(node)].name; }

std::string ends_of(const GivenNetwork& given, const GivenEdge& edge) {
  return fmt::format("{} {} {}", name_of(given, edge.from), given.is_directed ? "->" : "-",
                     name_of(given, edge.to));
}

void check_edge(const GivenNetwork& given, const GivenEdge& edge) {
  if (edge.from == edge.to)
    reject("{}: the cable joins {} with itself", edge.place, name_of(given, edge.from));
  check_link(fmt::format("{}: {}", edge.place, ends_of(given, edge)), edge.link);
}

/// By ends and number; of an undirected edge the lesser end first.
std::map<EdgeKey, const GivenEdge*> edges_by_ends(const GivenNetwork& given) {
  std::map<EdgeKey, const GivenEdge*> found;
  for (const GivenEdge& edge : given.edges) {
    check_edge(given, edge);
    const auto [low, high] = std::minmax({edge.from, edge.to});
    const EdgeKey key =
        given.is_directed ? EdgeKey{edge.from, edge.to, edge.number} : EdgeKey{low, high, edge.number};
    const auto [place, is_new] = found.emplace(key, &edge);
    if (!is_new) {
      reject("{}: the cable {} is there already, at {}; parallel cables need different numbers", edge.place,
             ends_of(given, edge), place->second->place);
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
    if (back == edges.end()) reject("{}: the link {} has no link back", edge->place, ends_of(given, *edge));
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
    reject("{}: node {} is not said to be a host or a switch, and others are", silent->place, silent->name);
  }
  std::vector<int> hosts;
  for (std::size_t node = 0; node < given.nodes.size(); ++node) {
    if (is_said ? *given.nodes[node].is_host : degrees[node] == 1) hosts.push_back(static_cast<int>(node));
  }
  return hosts;
}

void check_joined(const GivenNetwork& given, const std::vector<Cable>& cables,
                  const std::vector<int>& hosts) {
  std::vector<std::vector<int>> neighbors(given.nodes.size());
  for (const Cable& cable : cables) {
    neighbors[index_of(cable.from)].push_back(cable.to);
    neighbors[index_of(cable.to)].push_back(cable.from);
  }
  std::vector<bool> is_reached(given.nodes.size(), false);
  std::vector<int> reached = {hosts.front()};
  is_reached[index_of(hosts.front())] = true;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    for (const int neighbor : neighbors[index_of(reached[i])]) {
      if (is_reached[index_of(neighbor)]) continue;
      is_reached[index_of(neighbor)] = true;
      reached.push_back(neighbor);
    }
  }
  for (const int host : hosts) {
    if (is_reached[index_of(host)]) continue;
    reject("{}: no path joins {} and {}; every two hosts must be joined", given.file,
           name_of(given, hosts.front()), name_of(given, host));
  }
}

}  // namespace

Fabric fabric_of(const GivenNetwork& given, int hosts) {
  const std::vector<Cable> cables = cables_of(given);
  check_cable_count(given.file, static_cast<double>(cables.size()));
  const std::vector<int> degrees = degrees_of(given.nodes.size(), cables);
  std::vector<int> order = hosts_of(given, degrees);
  if (order.size() < index_of(hosts)) {
    reject(
        "{}: {} of its {} nodes are hosts, the cluster has {}; hosts are nodes that are said to be, or, if "
        "no node is, those with one cable",
        given.file, order.size(), given.nodes.size(), hosts);
  }
  const std::vector<int> spare(order.begin() + hosts, order.end());
  order.resize(index_of(hosts));
  if (!order.empty()) check_joined(given, cables, order);

  constexpr int left_out = -1;
  std::vector<int> vertex_of(given.nodes.size(), left_out);
  for (int host = 0; host < hosts; ++host) vertex_of[index_of(order[index_of(host)])] = host;
  for (std::size_t node = 0; node < given.nodes.size(); ++node) {
    const bool is_spare = std::ranges::binary_search(spare, static_cast<int>(node));
    if (vertex_of[node] != left_out || (is_spare && degrees[node] == 1)) continue;
    vertex_of[node] = static_cast<int>(order.size());
    order.push_back(static_cast<int>(node));
  }

  Fabric fabric;
  fabric.hosts = hosts;
  for (const int node : order) {
    const bool is_host = static_cast<int>(fabric.vertices.size()) < hosts;
    fabric.vertices.push_back(
        {is_host ? VertexKind::host : VertexKind::network_switch, name_of(given, node)});
  }
  for (const Cable& cable : cables) {
    const int from = vertex_of[index_of(cable.from)];
    const int to = vertex_of[index_of(cable.to)];
    if (from != left_out && to != left_out) fabric.cables.push_back({from, to, cable.link, cable.back});
  }
  return fabric;
}

}  // namespace starling

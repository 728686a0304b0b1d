#pragma once

#include <fmt/format.h>

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topologies/networks/network.hpp"

namespace starling {

inline constexpr LinkOptions test_link = {.bandwidth_Bps = 10e9, .latency_s = 1e-6};

/// A cluster of this network with one worker on each host.
inline ClusterOptions cluster_of(int hosts, NetworkKind kind) {
  return {.workers = hosts, .network = {.kind = std::move(kind)}};
}

inline Network network_of(int hosts, NetworkKind kind) {
  return build_network(cluster_of(hosts, std::move(kind)));
}

/// A cluster of every kind of network, in sizes that reach odd and even dimensions, empty ports and parallel
/// cables.
inline std::vector<std::pair<std::string, ClusterOptions>> clusters_of_every_kind() {
  const LinkOptions link = test_link;
  return {
      {"one host", cluster_of(1, StarOptions{.link = link})},
      {"star", cluster_of(9, StarOptions{.link = link})},
      {"ring of 2", cluster_of(2, RingOptions{.link = link})},
      {"odd ring", cluster_of(7, RingOptions{.link = link})},
      {"even ring", cluster_of(8, RingOptions{.link = link})},
      {"ring of switches", cluster_of(6, RingOptions{.link = link, .switches = true})},
      {"line", cluster_of(6, LineOptions{.link = link})},
      {"torus", cluster_of(24, TorusOptions{.dimensions = {4, 3, 2}, .link = link})},
      {"even torus", cluster_of(16, TorusOptions{.dimensions = {4, 1, 4}, .link = link})},
      {"torus of switches",
       cluster_of(12, TorusOptions{.dimensions = {4, 3}, .link = link, .switches = true})},
      {"mesh", cluster_of(24, MeshOptions{.dimensions = {4, 3, 2}, .link = link})},
      {"hypercube", cluster_of(16, HypercubeOptions{.link = link})},
      {"complete", cluster_of(6, CompleteOptions{.link = link})},
      {"complete of switches", cluster_of(5, CompleteOptions{.link = link, .switches = true})},
      {"k-ary fat tree", cluster_of(16, FatTreeOptions{.k = 4, .link = link})},
      {"fat tree with empty ports", cluster_of(29, FatTreeOptions{.k = 6, .link = link})},
      {"fat tree of two network cards",
       cluster_of(18, FatTreeOptions{.levels = {{3, 2}, {3, 2}, {2, 3}}, .link = link})},
      {"fat tree of parallel cables",
       cluster_of(16, FatTreeOptions{.levels = {{4, 1, 2}, {4, 2, 3}}, .link = link})},
      {"leaf and spine",
       cluster_of(15,
                  LeafSpineOptions{.hosts_per_leaf = 4, .spines = 3, .link = link, .oversubscription = 2})},
      {"dragonfly", cluster_of(72, DragonflyOptions{.link = link})},
      {"dragonfly of two groups and empty ports",
       cluster_of(13, DragonflyOptions{.routers_per_group = 4, .hosts_per_router = 2, .link = link})},
      {"dragonfly of several cables between groups",
       cluster_of(21, DragonflyOptions{.routers_per_group = 3,
                                       .hosts_per_router = 2,
                                       .global_links_per_router = 2,
                                       .groups = 4,
                                       .link = link})},
      {"HammingMesh", cluster_of(36, HammingMeshOptions{.board = {3, 2}, .boards = {2, 3}, .link = link})},
      {"HammingMesh of single hosts",
       cluster_of(12, HammingMeshOptions{.board = {1, 1}, .boards = {3, 4}, .link = link})},
      {"HammingMesh of one board",
       cluster_of(20, HammingMeshOptions{.board = {4, 5}, .boards = {1, 1}, .link = link})},
      {"HammingMesh of one row",
       cluster_of(12, HammingMeshOptions{.board = {1, 4}, .boards = {1, 3}, .link = link})},
      {"slim fly", cluster_of(49, SlimFlyOptions{.q = 5, .hosts_per_switch = 1, .link = link})},
      {"slim fly of an even field",
       cluster_of(64, SlimFlyOptions{.q = 4, .hosts_per_switch = 2, .link = link})},
      {"slim fly with δ = −1", cluster_of(98, SlimFlyOptions{.q = 7, .hosts_per_switch = 1, .link = link})},
      {"random regular",
       cluster_of(19, RandomRegularOptions{.ports = 5, .hosts_per_switch = 2, .link = link})},
      {"rail of one card a host",
       cluster_of(7, RailOptions{.link = link, .hosts_per_switch = 3, .spines = 2})},
      {"graph", cluster_of(4, GraphOptions{.switches = 2,
                                           .cables = {{0, 4, link},
                                                      {1, 4, link},
                                                      {2, 5, link},
                                                      {3, 5, link},
                                                      {4, 5, link},
                                                      {5, 4, link},
                                                      {0, 3, link}}})},
  };
}

inline int length(const Network& network, Rank source, Rank destination) {
  return static_cast<int>(network.route(source, destination).size());
}

inline const Link& link_at(const Network& network, LinkIndex index) {
  return network.links()[static_cast<std::size_t>(index)];
}

/// The links of a route as text, such as "host0 -> switch0, switch0 -> host1".
inline std::string route_text(const Network& network, Rank source, Rank destination) {
  std::string text;
  for (const LinkIndex index : network.route(source, destination)) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", link_at(network, index).name);
  }
  return text;
}

}  // namespace starling

#include "topologies/networks/bisection.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace starling {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using FlowGraph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<boost::edge_capacity_t, std::int64_t,
                    boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                    boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

/// Adds a directed edge, and the reverse edge of capacity 0 that Boost's flow algorithms require.
void add_way(FlowGraph& graph, int from_vertex, int to_vertex, std::int64_t capacity) {
  const auto from = static_cast<std::size_t>(from_vertex);
  const auto to = static_cast<std::size_t>(to_vertex);
  const auto [forth, is_forth_new] = boost::add_edge(from, to, graph);
  const auto [back, is_back_new] = boost::add_edge(to, from, graph);
  boost::put(boost::edge_capacity, graph, forth, capacity);
  boost::put(boost::edge_capacity, graph, back, 0);
  boost::put(boost::edge_reverse, graph, forth, back);
  boost::put(boost::edge_reverse, graph, back, forth);
}

/// The unit in which capacities are counted as integers: 1 B/s, or more where their sum would overflow 64
/// bits.
double unit_Bps(std::span<const Link> links) {
  double total_Bps = 0;
  for (const Link& link : links) total_Bps += link.bandwidth_Bps;
  return std::max(1.0, std::ldexp(total_Bps, -60));
}

}  // namespace

double flow_between_halves_Bps(std::span<const int> hosts, std::span<const Link> links, int vertices) {
  const int source = vertices;
  const int sink = vertices + 1;
  const double unit = unit_Bps(links);
  FlowGraph graph(static_cast<std::size_t>(vertices) + 2);
  std::vector<std::int64_t> leaving(static_cast<std::size_t>(vertices), 0);
  std::vector<std::int64_t> entering(static_cast<std::size_t>(vertices), 0);
  for (const Link& link : links) {
    const std::int64_t capacity = std::llround(link.bandwidth_Bps / unit);
    add_way(graph, link.from_vertex, link.to_vertex, capacity);
    leaving[static_cast<std::size_t>(link.from_vertex)] += capacity;
    entering[static_cast<std::size_t>(link.to_vertex)] += capacity;
  }
  const auto [first_half, second_half] =
      std::pair(hosts.first(hosts.size() / 2), hosts.subspan(hosts.size() / 2));
  for (const int host : first_half) add_way(graph, source, host, leaving[static_cast<std::size_t>(host)]);
  for (const int host : second_half) add_way(graph, host, sink, entering[static_cast<std::size_t>(host)]);
  const auto flow =
      boost::push_relabel_max_flow(graph, static_cast<std::size_t>(source), static_cast<std::size_t>(sink));
  return static_cast<double>(flow) * unit;
}

}  // namespace starling

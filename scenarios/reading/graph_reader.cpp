#include "scenarios/reading/graph_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "io/input_file.hpp"
#include "topologies/graphs/communication_graph.hpp"
#include "topologies/graphs/mixing_matrix.hpp"

namespace starling {

namespace {

constexpr int most_workers = 1 << 20;

std::vector<int> read_dimensions(ObjectReader& object, std::size_t least, std::size_t most) {
  std::vector<int> dimensions;
  if (!object.has("dimensions")) return dimensions;
  const JsonPlace place = object.at("dimensions");
  for (const JsonPlace& element : place.elements(least))
    dimensions.push_back(static_cast<int>(element.integer({1, most_workers})));
  if (dimensions.size() > most) place.fail("too many", fmt::format("at most {} sizes", most));
  object.note("dimensions", dimensions);
  return dimensions;
}

void read_keys(RingGraph& graph, ObjectReader& object) {
  const std::string direction = object.choice("direction", {"both", "left", "right"}, "both");
  if (direction == "left") graph.direction = RingDirection::left;
  if (direction == "right") graph.direction = RingDirection::right;
}

void read_keys(StarGraph& graph, ObjectReader& object) {
  graph.center = object.small_integer("center", {0, most_workers - 1}, graph.center);
}

void read_keys(Mesh2dGraph& graph, ObjectReader& object) {
  const auto dimensions = read_dimensions(object, 2, 2);
  if (!dimensions.empty()) graph.dimensions = std::array{dimensions[0], dimensions[1]};
}

void read_keys(TorusGraph& graph, ObjectReader& object) { graph.dimensions = read_dimensions(object, 1, 20); }

void read_keys(ExponentialGraph& graph, ObjectReader& object) {
  graph.base = object.small_integer("base", {2, most_workers}, graph.base);
}

void read_keys(SymmetricExponentialGraph& graph, ObjectReader& object) {
  graph.base = object.small_integer("base", {2, most_workers}, graph.base);
}

void read_keys(OnePeerExponentialGraph& graph, ObjectReader& object) {
  const std::string pairs = object.choice("pairs", {"auto", "exchange", "shift"}, "auto");
  if (pairs == "exchange") graph.pairs = ExponentialPairs::exchange;
  if (pairs == "shift") graph.pairs = ExponentialPairs::shift;
  graph.peers = object.small_integer("peers", {1, most_workers}, graph.peers);
}

void read_keys(RandomRegularGraph& graph, ObjectReader& object) {
  graph.degree = object.small_integer("degree", {1, most_workers}, graph.degree);
}

void read_keys(SmallWorldGraph& graph, ObjectReader& object) {
  graph.neighbors = object.small_integer("neighbors", {2, most_workers}, graph.neighbors);
  graph.rewiring_probability =
      object.number("rewiring_probability", {.least = 0, .greatest = 1}, graph.rewiring_probability);
}

GraphEdge read_edge(const JsonPlace& place) {
  const auto parts = place.elements(2);
  if (parts.size() > 3) place.fail("too many", "[source, destination] or [source, destination, weight]");
  GraphEdge edge{.source = static_cast<Rank>(parts[0].integer({0, most_workers - 1})),
                 .destination = static_cast<Rank>(parts[1].integer({0, most_workers - 1}))};
  if (parts.size() == 3) edge.weight = parts[2].number({.least = 0, .greatest = 1});
  return edge;
}

void read_keys(EdgeListGraph& graph, ObjectReader& object) {
  const JsonPlace edges =
      object.at("edges", "a list of [source, destination] or [source, destination, weight]");
  for (const JsonPlace& edge : edges.elements()) graph.edges.push_back(read_edge(edge));
  object.note("edges", edges.value());
  graph.is_directed = object.boolean("directed", graph.is_directed);
}

void read_keys(FileGraph& graph, ObjectReader& object) {
  object.text("file");
  graph.path = input_path(object.at("file")).string();
  if (object.has("directed")) graph.is_directed = object.boolean("directed");
}

template <typename Graph>
void read_keys(Graph&, ObjectReader&) {}

std::vector<std::string> keys_of(const std::string& kind) {
  if (kind == RingGraph::name) return {"direction"};
  if (kind == StarGraph::name) return {"center"};
  if (kind == Mesh2dGraph::name || kind == TorusGraph::name) return {"dimensions"};
  if (kind == ExponentialGraph::name || kind == SymmetricExponentialGraph::name) return {"base"};
  if (kind == OnePeerExponentialGraph::name) return {"pairs", "peers"};
  if (kind == RandomRegularGraph::name) return {"degree", "seed"};
  if (kind == SmallWorldGraph::name) return {"neighbors", "rewiring_probability", "seed"};
  if (kind == EdgeListGraph::name) return {"edges", "directed"};
  if (kind == FileGraph::name) return {"file", "directed"};
  return {};
}

Normalized<MixingOptions> read_graph_at(const JsonPlace& place, std::uint64_t seed) {
  const bool is_name = place.value().is_string();
  const nlohmann::json named{{"kind", place.value()}};
  const JsonPlace whole = is_name ? JsonPlace(named, place.file(), place.pointer()) : place;
  const std::string kind =
      is_name ? read_choice(place, graph_kinds(), "graph") : read_kind(place, "graph", graph_kinds());

  std::vector<std::string> keys = keys_of(kind);
  keys.insert(keys.begin(), "kind");
  ObjectReader object(whole, keys);
  object.note("kind", kind);
  MixingOptions mixing{.graph = *communication_graph_kind(kind)};
  std::visit([&](auto& graph) { read_keys(graph, object); }, mixing.graph);
  if (std::find(keys.begin(), keys.end(), "seed") != keys.end())
    mixing.seed = static_cast<std::uint64_t>(object.integer("seed", {}, static_cast<std::int64_t>(seed)));
  return {std::move(mixing), object.as_read()};
}

}  // namespace

std::vector<std::string> graph_kinds() {
  std::vector<std::string> kinds;
  for (const std::string_view name : communication_graph_names()) kinds.emplace_back(name);
  return kinds;
}

MixingOptions read_graph(ObjectReader& algorithm, std::uint64_t seed) {
  const nlohmann::json ring = std::string(RingGraph::name);
  const JsonPlace place = algorithm.has("graph") ? algorithm.at("graph")
                                                 : JsonPlace(ring, algorithm.place().file(),
                                                             algorithm.place().pointer() + "/graph");
  auto [mixing, as_read] = read_graph_at(place, seed);
  algorithm.note("graph", std::move(as_read));
  return mixing;
}

MixingOptions read_mixing(ObjectReader& algorithm, std::uint64_t seed) {
  MixingOptions mixing = read_graph(algorithm, seed);
  const std::string rule = algorithm.choice(
      "mixing", {"automatic", "uniform", "push_sum", "metropolis_hastings", "given"}, "automatic");
  mixing.rule = *mixing_rule(rule);
  return mixing;
}

}  // namespace starling

#include "scenarios/importing/astra_sim_network.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options/range.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/shown_text.hpp"
#include "topologies/layouts/link_options.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> keys = {"topology", "npus_count", "bandwidth", "latency"};
constexpr std::array<std::string_view, 3> shapes = {"Ring", "FullyConnected", "Switch"};

/// A dimension of the network. Rates are in ASTRA-sim's GB of 2³⁰ bytes per second.
struct NpuDimension {
  std::string shape;
  int npus;
  double bandwidth_GBps;
  double latency_ns;

  Json link() const { return path_of(1); }
  /// The bandwidth and latency of a path of that many links.
  Json path_of(int links) const {
    return {{"bandwidth", fmt::format("{}GiBps", bandwidth_GBps)},
            {"latency", fmt::format("{}ns", links * latency_ns)}};
  }
};

[[noreturn]] void fail(const ForeignFile& file, const YAML::Node& node, std::string_view key,
                       std::string problem, std::string expected) {
  const int line = node.IsDefined() ? node.Mark().line + 1 : 0;
  std::string place = line > 0 ? fmt::format("line {}: {}", line, key) : std::string(key);
  const std::string got = node.IsDefined() && node.IsScalar() ? fmt::format("\"{}\"", node.Scalar()) : "";
  throw ScenarioError({file.path, std::move(place), std::move(problem), got, std::move(expected)});
}

/// Refuses a second document and repeated keys, which yaml-cpp would ignore.
void refuse_duplicates(const ForeignFile& file, const std::vector<YAML::Node>& documents) {
  const auto refuse = [&](const YAML::Node& node, std::string_view problem, std::string_view expected) {
    throw ScenarioError({file.path, fmt::format("line {}", node.Mark().line + 1), std::string(problem), "",
                         std::string(expected)});
  };
  if (documents.size() > 1) refuse(documents[1], "a second document", "one");
  std::set<std::string> seen;
  for (const YAML::Node& root : documents)
    for (const auto& entry : root)
      if (root.IsMap() && entry.first.IsScalar() && !seen.insert(entry.first.Scalar()).second)
        refuse(entry.first, fmt::format("the key {} appears twice", printable(entry.first.Scalar())),
               "each key once");
}

YAML::Node parsed(const ForeignFile& file) {
  std::vector<YAML::Node> documents;
  try {
    documents = YAML::LoadAll(file.text);
  } catch (const YAML::Exception& error) {
    throw ScenarioError(
        {file.path, fmt::format("line {}", error.mark.line + 1), "not YAML: " + error.msg, "", ""});
  }
  std::erase_if(documents, [](const YAML::Node& document) { return document.IsNull(); });
  refuse_duplicates(file, documents);
  const YAML::Node root = documents.empty() ? YAML::Node() : documents.front();
  if (!root.IsMap())
    throw ScenarioError({file.path, "", "not a network of ASTRA-sim", "",
                         fmt::format("YAML with the keys {}", fmt::join(keys, ", "))});
  return root;
}

/// The values of a key, one for each dimension.
std::vector<YAML::Node> values_of(const ForeignFile& file, const YAML::Node& root, std::string_view key,
                                  std::size_t dimensions) {
  const YAML::Node list = root[std::string(key)];
  if (!list.IsDefined()) fail(file, list, key, "is missing", "a list with an entry for each dimension");
  if (!list.IsSequence() || list.size() == 0 || (dimensions > 0 && list.size() != dimensions))
    fail(file, list, key, "is not a list with an entry for each dimension",
         dimensions > 0 ? fmt::format("a list of {}, one entry for each dimension of topology", dimensions)
                        : "a list with an entry for each dimension");
  return {list.begin(), list.end()};
}

double number_in(const ForeignFile& file, const YAML::Node& node, std::string_view key, const Range& range) {
  double number = 0;
  if (!node.IsScalar() || !YAML::convert<double>::decode(node, number) || !range.contains(number))
    fail(file, node, key, "is invalid", fmt::format("a number {}", range.text()));
  return number;
}

std::string shape_in(const ForeignFile& file, const YAML::Node& node) {
  if (!node.IsScalar() || std::ranges::find(shapes, node.Scalar()) == shapes.end())
    fail(file, node, "topology", "is unknown", fmt::format("one of {}", fmt::join(shapes, ", ")));
  return node.Scalar();
}

std::vector<NpuDimension> dimensions_of(const ForeignFile& file, const YAML::Node& root) {
  const std::vector<YAML::Node> topology = values_of(file, root, "topology", 0);
  const std::vector<YAML::Node> counts = values_of(file, root, "npus_count", topology.size());
  const std::vector<YAML::Node> bandwidths = values_of(file, root, "bandwidth", topology.size());
  const std::vector<YAML::Node> latencies = values_of(file, root, "latency", topology.size());
  std::vector<NpuDimension> dimensions;
  std::int64_t npus = 1;
  for (std::size_t i = 0; i < topology.size(); ++i) {
    const double count = number_in(file, counts[i], "npus_count", {.least = 2, .greatest = most_workers});
    npus *= static_cast<std::int64_t>(count);
    if (count != static_cast<int>(count) || npus > most_workers)
      fail(file, counts[i], "npus_count", "is not a number of NPUs",
           fmt::format("an integer, and at most {} NPUs in all", most_workers));
    dimensions.push_back(
        {.shape = shape_in(file, topology[i]),
         .npus = static_cast<int>(count),
         .bandwidth_GBps = number_in(file, bandwidths[i], "bandwidth", {.least = 1e-6, .greatest = 1e8}),
         .latency_ns = number_in(file, latencies[i], "latency", {.least = 0, .greatest = 1e12})});
  }
  return dimensions;
}

Json cluster_of_one(const NpuDimension& dimension) {
  const std::string kind = dimension.shape == "Switch"           ? "star"
                           : dimension.shape == "FullyConnected" ? "complete"
                           : dimension.npus == 2                 ? "line"
                                                                 : "ring";
  return {{"workers", dimension.npus}, {"network", {{"kind", kind}, {"link", dimension.link()}}}};
}

/// Every worker of a host has a network card of its own. A message inside a host passes two links of the
/// switch there.
Json cluster_on_rails(const NpuDimension& inside, const NpuDimension& outside) {
  return {{"workers", inside.npus * outside.npus},
          {"workers_per_host", inside.npus},
          {"nics_per_host", inside.npus},
          {"intra_host_link", inside.path_of(2)},
          {"network", {{"kind", "rail"}, {"link", outside.link()}}}};
}

/// Cables of a graph whose first vertices are the NPUs.
struct Graph {
  int hosts = 1;
  int switches = 0;
  Json cables = Json::array();

  void add(int from, int to, const Json& link) {
    cables.push_back({{"from", from}, {"to", to}, {"link", link}});
  }
};

/// Adds the cables of a dimension among NPUs that differ in this dimension only.
void add_cables(const NpuDimension& dimension, const std::vector<int>& npus, Graph& graph) {
  if (dimension.shape == "Switch") {
    for (const int npu : npus) graph.add(npu, graph.hosts + graph.switches, dimension.link());
    ++graph.switches;
    return;
  }
  const Json link = dimension.link();
  if (dimension.shape == "FullyConnected") {
    for (std::size_t i = 0; i < npus.size(); ++i)
      for (std::size_t j = i + 1; j < npus.size(); ++j) graph.add(npus[i], npus[j], link);
    return;
  }
  for (std::size_t i = 1; i < npus.size(); ++i) {
    graph.add(npus[i - 1], npus[i], link);
    if (i == 1 && npus.size() > 2) graph.add(npus.front(), npus.back(), link);  // closes the ring
  }
}

std::int64_t cables_of(const NpuDimension& dimension) {
  const std::int64_t npus = dimension.npus;
  if (dimension.shape == "FullyConnected") return npus * (npus - 1) / 2;
  return dimension.shape == "Ring" && npus == 2 ? 1 : npus;
}

/// @throws ScenarioError if there are more cables than a network may have.
void check_cables(const ForeignFile& file, const std::vector<NpuDimension>& dimensions, int hosts) {
  std::int64_t cables = 0;
  for (const NpuDimension& dimension : dimensions) cables += hosts / dimension.npus * cables_of(dimension);
  if (cables > largest_cable_count)
    throw ScenarioError({file.path, "npus_count", "the network has too many links", fmt::format("{}", cables),
                         fmt::format("at most {}", largest_cable_count)});
}

Json cluster_of_graph(const ForeignFile& file, const std::vector<NpuDimension>& dimensions) {
  Graph graph;
  for (const NpuDimension& dimension : dimensions) graph.hosts *= dimension.npus;
  check_cables(file, dimensions, graph.hosts);
  int stride = 1;  // between neighbors of the dimension
  for (const NpuDimension& dimension : dimensions) {
    for (int first = 0; first < graph.hosts; ++first) {
      if (first / stride % dimension.npus != 0) continue;
      std::vector<int> npus;
      for (int i = 0; i < dimension.npus; ++i) npus.push_back(first + i * stride);
      add_cables(dimension, npus, graph);
    }
    stride *= dimension.npus;
  }
  return {
      {"workers", graph.hosts},
      {"network", {{"kind", "graph"}, {"switches", graph.switches}, {"cables", std::move(graph.cables)}}}};
}

Json cluster_of(const ForeignFile& file, const std::vector<NpuDimension>& dimensions) {
  if (dimensions.size() == 1) return cluster_of_one(dimensions[0]);
  const bool are_switches = std::ranges::all_of(
      dimensions, [](const NpuDimension& dimension) { return dimension.shape == "Switch"; });
  constexpr int most_cards = 1024;
  if (dimensions.size() == 2 && are_switches && dimensions[0].npus <= most_cards)
    return cluster_on_rails(dimensions[0], dimensions[1]);
  return cluster_of_graph(file, dimensions);
}

}  // namespace

Imported import_astra_sim_network(const ForeignFile& file) {
  const YAML::Node root = parsed(file);
  Imported imported{.key = "cluster", .value = cluster_of(file, dimensions_of(file, root))};
  imported.notes.push_back("a GB of the file is taken as 2^30 bytes, as by ASTRA-sim's analytical network");
  for (const auto& entry : root)
    if (const auto key = entry.first.as<std::string>(""); std::ranges::find(keys, key) == keys.end())
      imported.notes.push_back(fmt::format("the key \"{}\" is left out", printable(key)));
  return imported;
}

}  // namespace starling

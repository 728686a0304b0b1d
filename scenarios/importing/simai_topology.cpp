#include "scenarios/importing/simai_topology.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/options/range.hpp"
#include "scenarios/importing/word_reader.hpp"
#include "topologies/layouts/link_options.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr int none = -1;

/// The file's first line.
struct Sizes {
  std::int64_t nodes;
  std::int64_t gpus_per_server;
  std::int64_t nv_switches;
  std::int64_t switches;
  std::int64_t links;

  std::int64_t all_switches() const { return nv_switches + switches; }
};

Sizes read_sizes(WordReader& words) {
  Sizes sizes{};
  sizes.nodes = words.integer("the number of nodes", {1, largest_cable_count});
  sizes.gpus_per_server = words.integer("the number of GPUs per server", {1, sizes.nodes});
  sizes.nv_switches = words.integer("the number of NVSwitches", {0, sizes.nodes - 1});
  sizes.switches = words.integer("the number of other switches", {0, sizes.nodes - 1 - sizes.nv_switches});
  sizes.links = words.integer("the number of links", {0, largest_cable_count});
  words.word("the type of the GPUs");
  return sizes;
}

/// Reads the numbers of the switches. Returns the vertex of the network for each node of the file: first the
/// hosts in the order of their numbers, then the switches in the order of the file.
std::vector<int> read_vertices(WordReader& words, const Sizes& sizes) {
  const auto switches = static_cast<int>(sizes.all_switches());
  const int hosts = static_cast<int>(sizes.nodes) - switches;
  std::vector<int> vertices(static_cast<std::size_t>(sizes.nodes), none);
  for (int i = 0; i < switches; ++i) {
    const std::int64_t number =
        words.integer("the number of a switch", {0, sizes.nodes - 1}, "no switch has this number");
    int& vertex = vertices[static_cast<std::size_t>(number)];
    if (vertex != none) words.fail("this switch appears twice", "another number");
    vertex = hosts + i;
  }
  int host = 0;
  for (int& vertex : vertices)
    if (vertex == none) vertex = host++;
  return vertices;
}

struct Links {
  Json cables = Json::array();
  int lossy = 0;
};

Links read_links(WordReader& words, const Sizes& sizes, const std::vector<int>& vertices) {
  const auto vertex = [&](const char* what) {
    return vertices[static_cast<std::size_t>(words.integer(what, {0, sizes.nodes - 1}))];
  };
  Links links;
  for (std::int64_t i = 0; i < sizes.links; ++i) {
    const int from = vertex("the source of a link");
    const int to = vertex("the destination of a link");
    const double bandwidth_Bps = words.quantity("the bandwidth of a link", Dimension::bandwidth);
    const double latency_s = words.quantity("the latency of a link", Dimension::time);
    if (words.number("the error rate of a link", {.least = 0, .greatest = 1}) > 0) ++links.lossy;
    links.cables.push_back(
        {{"from", from}, {"to", to}, {"link", {{"bandwidth", bandwidth_Bps}, {"latency", latency_s}}}});
  }
  words.expect_end(fmt::format("{} links, as the first line says", sizes.links));
  return links;
}

}  // namespace

Imported import_simai_topology(const ForeignFile& file) {
  WordReader words(file.text, file.path);
  const Sizes sizes = read_sizes(words);
  const std::vector<int> vertices = read_vertices(words, sizes);
  Links links = read_links(words, sizes, vertices);

  Imported imported{.key = "cluster",
                    .value = {{"workers", sizes.nodes - sizes.all_switches()},
                              {"network",
                               {{"kind", "graph"},
                                {"switches", sizes.all_switches()},
                                {"hosts_forward", false},
                                {"preferred_switches", sizes.nv_switches},
                                {"cables", std::move(links.cables)}}}}};
  if (sizes.gpus_per_server > 1)
    imported.notes.push_back(
        fmt::format("every GPU becomes a host with one worker, connected as in the file, so the collective "
                    "\"hierarchical\" does not know which {} GPUs are in one server",
                    sizes.gpus_per_server));
  if (links.lossy > 0)
    imported.notes.push_back(fmt::format(
        "the error rates of {} links are left out: Starling does not model packet loss", links.lossy));
  return imported;
}

}  // namespace starling

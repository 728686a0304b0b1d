#include "topologies/formats/node_link.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/reject.hpp"
#include "base/texts/near_key.hpp"
#include "io/json/json_text.hpp"
#include "topologies/formats/given_values.hpp"

namespace starling {
namespace {

using nlohmann::json;

const json& member_of(const json& object, const char* key, const std::string& place) {
  if (!object.is_object()) reject("{}: expected an object, got {}", place, object.dump());
  const auto member = object.find(key);
  if (member == object.end()) reject("{}: key \"{}\" is missing", place, key);
  return *member;
}

const json& list_of(const json& document, const char* key, const std::string& file) {
  const json& list = member_of(document, key, file + ": /");
  if (!list.is_array()) reject("{}: /{}: expected a list", file, key);
  return list;
}

/// The name of a node: a string or an integer.
std::string name_in(const json& value, const std::string& place) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return value.dump();
  reject("{}: the name of a node must be a string or an integer, got {}", place, value.dump());
}

double quantity_in(const json& value, Dimension dimension, const std::string& place, const char* what) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return given_quantity(value.get<std::string>(), dimension, place, what);
  reject("{}: {}: expected a number or a text with a unit, got {}", place, what, value.dump());
}

/// A member that is a string; nothing if it is absent or of another type.
std::optional<std::string> text_in(const json& object, const char* key) {
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? std::optional(member->get<std::string>())
                                                       : std::nullopt;
}

bool flag_in(const json& document, const char* key, const std::string& file) {
  const auto member = document.find(key);
  if (member == document.end()) return false;
  if (!member->is_boolean()) reject("{}: /{}: expected true or false", file, key);
  return member->get<bool>();
}

/// Rejects keys of a node or an edge that differ from known ones in case only. Other keys are allowed, as
/// networkx writes all attributes.
void check_case(const json& object, const std::vector<std::string>& keys, const std::string& place) {
  for (const auto& [given, value] : object.items())
    for (const std::string& key : keys)
      if (differ_in_case(given, key)) reject("{}: key \"{}\"; expected \"{}\"", place, given, key);
}

void check_document(const json& document, const std::string& file) {
  static const std::vector<std::string> keys = {"directed", "multigraph", "graph", "nodes", "links", "edges"};
  if (!document.is_object()) return;  // reading "nodes" reports that
  for (const auto& [given, value] : document.items())
    if (std::ranges::find(keys, given) == keys.end())
      reject("{}: {}: unknown key{}; expected {}", file, pointer_to("", given), suggestion(given, keys),
             fmt::join(keys, ", "));
  if (document.contains("links") && document.contains("edges"))
    reject("{}: /links: there are \"edges\" as well; expected one of the two", file);
}

void read_nodes(const json& list, const std::string& file, NodeNames& names) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::string place = fmt::format("{}: /nodes/{}", file, i);
    const std::string id = name_in(member_of(list[i], "id", place), place);
    check_case(list[i], {"id", "kind"}, place);
    std::optional<std::string> kind;
    if (list[i].contains("kind")) kind = name_in(list[i]["kind"], place);
    names.add({id, given_host(kind, text_in(list[i], "type"), place), place});
  }
}

GivenEdge edge_in(const json& edge, const std::string& place, const NodeNames& names) {
  const std::string source = name_in(member_of(edge, "source", place), place);
  const std::string target = name_in(member_of(edge, "target", place), place);
  check_case(edge, {"source", "target", "bandwidth", "latency", "key"}, place);
  const json& bandwidth = member_of(edge, "bandwidth", place);
  const json& latency = member_of(edge, "latency", place);
  return {.from = names.find(source, place),
          .to = names.find(target, place),
          .link = {quantity_in(bandwidth, Dimension::bandwidth, place, "bandwidth"),
                   quantity_in(latency, Dimension::time, place, "latency")},
          .place = place};
}

}  // namespace

GivenNetwork network_of_node_link(std::string_view text, const std::string& name) {
  const json document = parse_json(text, name);
  GivenNetwork network{.file = name, .is_directed = false, .nodes = {}, .edges = {}};
  NodeNames names(network);
  check_document(document, name);
  read_nodes(list_of(document, "nodes", name), name, names);
  network.is_directed = flag_in(document, "directed", name);
  const bool is_multigraph = flag_in(document, "multigraph", name);
  const char* key = document.contains("edges") ? "edges" : "links";
  const json& edges = list_of(document, key, name);
  std::map<std::string, int> numbers;  // by the key of parallel edges, which may be any value
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::string place = fmt::format("{}: /{}/{}", name, key, i);
    GivenEdge edge = edge_in(edges[i], place, names);
    if (is_multigraph) {
      const auto number = static_cast<int>(numbers.size()) + 1;
      edge.number = numbers.emplace(member_of(edges[i], "key", place).dump(), number).first->second;
    }
    network.edges.push_back(std::move(edge));
  }
  return network;
}

}  // namespace starling

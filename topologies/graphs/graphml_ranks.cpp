#include "topologies/graphs/graphml_ranks.hpp"

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "base/reject.hpp"
#include "base/texts/number_in.hpp"
#include "topologies/formats/graphml_document.hpp"

namespace starling {
namespace {

/// The ids of the nodes in the order of the file.
std::vector<std::string> ids_of_nodes(const XmlText& document, pugi::xml_node graph) {
  std::vector<std::string> ids;
  for (const pugi::xml_node node : graph.children("node"))
    ids.push_back(document.needed_attribute(node, "id"));
  return ids;
}

/// The numbers after the prefix `before` of each id; nothing unless these are 0, 1, … in any order.
std::optional<std::vector<Rank>> numbers_of(const std::vector<std::string>& ids, std::string_view before) {
  std::vector<Rank> numbers;
  std::vector<bool> is_taken(ids.size(), false);
  for (const std::string_view id : ids) {
    if (!id.starts_with(before)) return std::nullopt;
    const auto number = number_in<Rank>(id.substr(before.size()));
    if (!number || *number < 0 || static_cast<std::size_t>(*number) >= ids.size()) return std::nullopt;
    if (is_taken[static_cast<std::size_t>(*number)]) return std::nullopt;
    is_taken[static_cast<std::size_t>(*number)] = true;
    numbers.push_back(*number);
  }
  return numbers;
}

/// The ranks that ids give, as numbers or as n0, n1, … (as yEd writes them); nothing if they give none.
std::optional<std::vector<Rank>> ranks_in(const std::vector<std::string>& ids) {
  auto ranks = numbers_of(ids, "");
  return ranks ? ranks : numbers_of(ids, "n");
}

}  // namespace

std::unordered_map<std::string, Rank> ranks_of_nodes(const XmlText& document, pugi::xml_node graph) {
  const auto said = ranks_in(ids_of_nodes(document, graph));
  std::unordered_map<std::string, Rank> ranks;
  for (const pugi::xml_node node : graph.children("node")) {
    const std::string id = document.needed_attribute(node, "id");
    const std::size_t place = ranks.size();
    if (!ranks.emplace(id, said ? (*said)[place] : static_cast<Rank>(place)).second)
      reject("{}: node {} is a duplicate", document.place(node), id);
  }
  return ranks;
}

std::string rank_order_warning(const std::string& text, const std::string& file) {
  std::vector<std::string> ids;
  try {
    const XmlText document(text, file);
    ids = ids_of_nodes(document, graph_of_graphml(document));
  } catch (const std::invalid_argument&) {
    return "";
  }
  if (ids.size() < 2 || ranks_in(ids)) return "";
  return fmt::format(
      "{}: nodes are not named 0 to {}, so they are numbered in file order: \"{}\" is worker 0, \"{}\" "
      "worker {}",
      file, ids.size() - 1, ids.front(), ids.back(), ids.size() - 1);
}

}  // namespace starling

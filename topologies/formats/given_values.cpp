#include "topologies/formats/given_values.hpp"

#include <boost/algorithm/string/predicate.hpp>
#include <locale>
#include <utility>

#include "base/reject.hpp"
#include "base/texts/number_in.hpp"
#include "io/texts/units.hpp"

namespace starling {

double given_quantity(const std::string& text, Dimension dimension, const std::string& place,
                      std::string_view what) {
  if (const auto number = number_in<double>(text)) return *number;
  const auto parsed = parse_quantity(text, dimension);
  if (const double* value = std::get_if<double>(&parsed)) return *value;
  reject("{}: {} \"{}\": {}; expected {} or a number in {}", place, what, text, std::get<std::string>(parsed),
         accepted_form(dimension), si_unit(dimension));
}

std::optional<bool> given_host(const std::optional<std::string>& kind, const std::optional<std::string>& type,
                               const std::string& place) {
  if (!kind && (type == "host" || type == "switch"))
    reject("{}: a node of type \"{}\"; expected kind \"{}\"", place, *type, *type);
  if (!kind) return std::nullopt;
  if (*kind != "host" && *kind != "switch")
    reject("{}: kind \"{}\" of a node; expected \"host\" or \"switch\"", place, *kind);
  return *kind == "host";
}

bool differ_in_case(std::string_view one, std::string_view other) {
  return one != other && boost::iequals(one, other, std::locale::classic());
}

void NodeNames::add(GivenNode node) {
  const auto [known, is_new] = numbers_.emplace(node.name, static_cast<int>(network_.nodes.size()));
  if (!is_new) {
    reject("{}: node {} is a duplicate of the one at {}", node.place, node.name,
           network_.nodes[static_cast<std::size_t>(known->second)].place);
  }
  network_.nodes.push_back(std::move(node));
}

int NodeNames::find(const std::string& name, const std::string& place) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) reject("{}: there is no node {}", place, name);
  return found->second;
}

}  // namespace starling

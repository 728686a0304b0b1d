#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/options/range.hpp"
#include "topologies/formats/given_network.hpp"

namespace starling {

/// Reads a quantity: a plain number in SI units, or a number with a unit. `what` names it in errors:
/// "bandwidth".
/// @throws std::invalid_argument for anything else; the text begins with `place`.
double given_quantity(const std::string& text, Dimension dimension, const std::string& place,
                      std::string_view what);

/// Whether a node is a host, by its attribute `kind`, "host" or "switch"; nothing if it has no `kind`.
/// @throws std::invalid_argument for another `kind`, and if the unused attribute `type` is "host" or "switch"
/// instead.
std::optional<bool> given_host(const std::optional<std::string>& kind, const std::optional<std::string>& type,
                               const std::string& place);

/// Whether two names differ in upper and lower case only; false for equal names.
bool differ_in_case(std::string_view one, std::string_view other);

/// Adds nodes to a network and finds them by name.
class NodeNames {
 public:
  explicit NodeNames(GivenNetwork& network) : network_(network) {}

  /// @throws std::invalid_argument if there is already a node of that name.
  void add(GivenNode node);
  bool contains(const std::string& name) const { return numbers_.contains(name); }
  /// The index of a node. @throws std::invalid_argument, whose text begins with `place`, if there is none of
  /// that name.
  int find(const std::string& name, const std::string& place) const;

 private:
  GivenNetwork& network_;
  std::unordered_map<std::string, int> numbers_;
};

}  // namespace starling

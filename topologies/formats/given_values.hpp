#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/options/range.hpp"
#include "topologies/formats/given_network.hpp"

namespace starling {

/// A number in SI units, or one with a unit. `what` says in errors what it is: "bandwidth".
/// @throws std::invalid_argument for another text; its message begins with `place`.
double given_quantity(const std::string& text, Dimension dimension, const std::string& place,
                      std::string_view what);

/// Whether a node is a host, by its `kind`, "host" or "switch"; nothing if it has none.
/// @throws std::invalid_argument for another text, and where its `type`, which means nothing, says that in
/// place of a kind.
std::optional<bool> given_host(const std::optional<std::string>& kind, const std::optional<std::string>& type,
                               const std::string& place);

/// Whether names are the same but for upper and lower case.
bool differ_in_case(std::string_view one, std::string_view other);

/// Nodes by their names, as they are added.
class NodeNames {
 public:
  explicit NodeNames(GivenNetwork& network) : network_(network) {}

  /// @throws std::invalid_argument if there is one of that name.
  void add(GivenNode node);
  bool contains(const std::string& name) const { return numbers_.contains(name); }
  /// @throws std::invalid_argument, which begins with `place`, if there is no such node.
  int find(const std::string& name, const std::string& place) const;

 private:
  GivenNetwork& network_;
  std::unordered_map<std::string, int> numbers_;
};

}  // namespace starling

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/options/option_visitor.hpp"

namespace starling {

/// The kinds of an object; empty if it is of no kind. The views point into its description.
struct FoundKinds {
  std::vector<Kind> all = {};
  std::string_view noun = "";
  std::string_view key = "";
  std::string current = "";

  /// An object that gives the kind only; empty if the kind has no key.
  nlohmann::json only(const std::string& kind) const;
};

FoundKinds find_kinds(const Description& describe);

std::vector<std::string> names_of(const std::vector<Kind>& kinds);

}  // namespace starling

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "io/json/json_reader.hpp"

namespace starling {

/// The keys of a quantity that is not known better than by a share of it, its relative standard deviation.
inline constexpr const char* key_of_value = "value";
inline constexpr const char* key_of_error = "relative_error";

/// Whether it is a quantity with an error.
bool is_uncertain(const nlohmann::json& value);

/// A document in which every quantity with an error is its value.
nlohmann::json without_errors(nlohmann::json document);

/// What options depend on beside the object that holds them.
struct OptionContext {
  /// The default of seeds, which may stand among the options, before them; 1 if null.
  const std::uint64_t* seed = nullptr;
  /// Receives keys without effect, and values that may not be meant; may be null.
  std::vector<std::string>* warnings = nullptr;
  /// Whether quantities may have a relative_error.
  bool takes_errors = false;
  /// The folder that paths at a JSON pointer start from, seen from the document's own; its own if null.
  std::function<std::filesystem::path(const std::string& pointer)> folder_of = {};
};

/// Sets the options that an object gives, the others keep what they are, and returns all, with quantities in
/// SI.
/// @throws ScenarioError for unknown keys, missing ones, and values that do not meet their description.
nlohmann::ordered_json read_options(const JsonPlace& place, const Description& describe,
                                    const OptionContext& context = {});

}  // namespace starling

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

/// The keys of a quantity with an error: its value and its relative standard deviation.
inline constexpr const char* key_of_value = "value";
inline constexpr const char* key_of_error = "relative_error";

/// Whether a JSON value is a quantity with an error.
bool is_uncertain(const nlohmann::json& value);

/// The document with every quantity with an error replaced by its value.
nlohmann::json without_errors(nlohmann::json document);

/// The context in which options are read.
struct OptionContext {
  /// The default of seeds, or null for 1. It may point to a member that an earlier option sets.
  const std::uint64_t* seed = nullptr;
  /// Receives warnings about keys without effect and values that may not be intended; may be null.
  std::vector<std::string>* warnings = nullptr;
  /// Whether quantities may be given with a relative_error.
  bool takes_errors = false;
  /// The folder from which file paths at a JSON pointer start, relative to that of the document; if null, the
  /// document's own.
  std::function<std::filesystem::path(const std::string& pointer)> folder_of = {};
};

/// Sets the options that an object gives; the others keep their values. Returns all options as JSON, with
/// defaults filled in and quantities in SI.
/// @throws ScenarioError for unknown and missing keys, and for values that do not match their description.
nlohmann::ordered_json read_options(const JsonPlace& place, const Description& describe,
                                    const OptionContext& context = {});

}  // namespace starling

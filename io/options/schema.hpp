#pragma once

#include <nlohmann/json.hpp>

#include "base/options/option_visitor.hpp"

namespace starling {

/// The JSON Schema of an object with these options; for an object with kinds, one alternative for each. It
/// refers to the definitions "time", "size" and "bandwidth", and to a definition for each nested object,
/// which is added to `definitions` under the key where it first appears. Afterwards, an object with kinds is
/// left as one of the last kind.
nlohmann::ordered_json option_schema(const Description& describe, nlohmann::ordered_json& definitions);

/// The definitions of quantities: numbers in their default ranges, or strings with a unit. With
/// `takes_errors`, objects with a value and a relative error are accepted as well, and a definition of that
/// error is included.
nlohmann::ordered_json quantity_definitions(bool takes_errors = false);

}  // namespace starling

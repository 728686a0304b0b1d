#pragma once

#include <nlohmann/json.hpp>

#include "base/options/option_visitor.hpp"

namespace starling {

/// The JSON Schema of an object with these options, or one for each of its kinds. It refers to the
/// definitions "time", "size" and "bandwidth", and to one for each object within it, which are added to
/// `definitions` under the key that the object first stands at. Describing an object of several kinds leaves
/// it one of the last kind.
nlohmann::ordered_json option_schema(const Description& describe, nlohmann::ordered_json& definitions);

/// The definitions of quantities: numbers in their usual ranges, or texts with a unit; and with an error, all
/// that these definitions are for, too.
nlohmann::ordered_json quantity_definitions(bool takes_errors = false);

}  // namespace starling

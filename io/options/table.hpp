#pragma once

#include <string>

#include "base/options/option_visitor.hpp"

namespace starling {

/// A Markdown table of an object's options: key, value, default, meaning. For an object with kinds, options
/// that all kinds share come first; then each kind has a row of its own above its other options. Afterwards,
/// such an object is left as one of the last kind.
std::string option_table(const Description& describe);

}  // namespace starling

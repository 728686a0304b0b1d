#pragma once

#include <string>

#include "base/options/option_visitor.hpp"

namespace starling {

/// A Markdown table of an object's options: key, value, default, meaning. Of an object of several kinds, each
/// kind has a row of its own above its options; options that all kinds have alike come first. Describing such
/// an object leaves it one of the last kind.
std::string option_table(const Description& describe);

}  // namespace starling

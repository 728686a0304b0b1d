#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>

#include "base/options/option_visitor.hpp"

namespace starling {

/// A warning about a size above 0 that is so small that its unit was likely forgotten; else empty.
inline std::string small_size_warning(std::optional<double> bytes) {
  constexpr double least_usual_bytes = 1024;
  if (!bytes || *bytes == 0 || *bytes >= least_usual_bytes) return "";
  return fmt::format(
      "is {0:.6g} bytes; numbers without a unit are in bytes: give a unit, as in \"{0:.6g}MiB\"", *bytes);
}

/// Describes the size of what is sent together, such as a bucket, and warns where its unit was likely
/// forgotten.
template <typename T>
void describe_message_size(const Option& option, T& member, OptionVisitor& visitor,
                           Range range = default_range(Dimension::size)) {
  visitor.size(option, member, range);
  visitor.warning(option.key, [&member] { return small_size_warning(member); });
}

}  // namespace starling

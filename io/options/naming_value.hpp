#pragma once

#include <string>

#include "base/rejected_value.hpp"
#include "io/scenario_error.hpp"

namespace starling {

/// As naming_place() does, but where a RejectedValue names a place below that, the error is at this one.
template <typename Make>
auto naming_value(const std::string& file, const std::string& place, const Make& make) {
  return naming_place(file, place, [&] {
    try {
      return make();
    } catch (const RejectedValue& error) {
      throw ScenarioError({file, place + error.place(), error.what(), "", ""});
    }
  });
}

}  // namespace starling

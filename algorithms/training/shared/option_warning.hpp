#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starling {

/// What decides whether an option of a run's algorithm has an effect.
struct OptionConditions {
  std::int64_t iterations = 1;  // the most that the run may have, warm-up included
  bool hosts_share = false;     // whether several workers share a host
  bool may_delay = false;       // whether imbalance may delay forward passes
};

/// A warning about an option that has no effect in a run.
struct OptionWarning {
  std::string_view key;
  std::string text;  // begins with a verb, whose subject is the option
};

}  // namespace starling

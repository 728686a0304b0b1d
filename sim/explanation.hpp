#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace starling {

class Causes;

/// Why something ended when it did that was evaluated without its steps: finds these when someone asks.
///
/// Its steps come in parts, one after the other, of which each begins with as many steps as the one before
/// has ended with.
class Explanation {
 public:
  Explanation() = default;
  Explanation(const Explanation&) = delete;
  Explanation& operator=(const Explanation&) = delete;
  virtual ~Explanation() = default;

  virtual int parts() = 0;
  /// Adds to `inner`, which has none, the steps of a part: first those that it begins with, number 1 and
  /// those after it. `ends`: those that it ends with.
  virtual void explain(int part, Causes& inner, std::vector<std::uint64_t>& ends) = 0;
  /// Those of the run that the first part begins with.
  virtual std::span<const std::uint64_t> begins() const = 0;
};

}  // namespace starling

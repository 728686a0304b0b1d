#pragma once

#include <cstdint>
#include <vector>

namespace starling {

/// When each rank is done with a collective.
struct Evaluation {
  std::vector<double> end_s;
  /// False if the order of two events of the same moment matters, or messages met on a link; end_s is an
  /// estimate then, and a run message by message decides.
  bool is_exact = true;
  std::uint64_t messages = 0;
  std::uint64_t rendezvous_messages = 0;
  double bytes = 0;
};

}  // namespace starling

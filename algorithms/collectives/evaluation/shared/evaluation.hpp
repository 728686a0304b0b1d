#pragma once

#include <cstdint>
#include <vector>

namespace starling {

/// The result of evaluating a collective.
struct Evaluation {
  std::vector<double> end_s;  // by rank: when it completes the collective
  /// False if the order of two events of the same moment matters, or messages of different connections met
  /// on a link. end_s is then only an estimate, and the collective must be sent message by message.
  bool is_exact = true;
  std::uint64_t messages = 0;
  std::uint64_t rendezvous_messages = 0;
  double bytes = 0;
};

}  // namespace starling

#pragma once

#include <csignal>
#include <deque>
#include <string>
#include <string_view>

#include "io/processes/blocked_signals.hpp"

namespace starling {

/// As long as it lives, an interrupt (SIGINT, SIGTERM, SIGHUP) ends the child that has to end first, removes
/// the progress line, says what is kept of the work, and then ends the program as it would have done: 130,
/// 143 or 129 to a shell. One at a time.
class Interruption {
 public:
  /// `kept` says what is kept so far.
  explicit Interruption(std::string_view kept);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// From now on `kept` says what is kept.
  void keeps(std::string_view kept);

 private:
  std::deque<std::string> texts_;  // all of them, since the last but one may just be being written
  struct sigaction before_interrupt_ {};
  struct sigaction before_termination_ {};
  struct sigaction before_hangup_ {};
};

/// As long as it lives, interrupts wait: what is saved, and word of it, go together.
class InterruptsWait : BlockedSignals {
 public:
  InterruptsWait() : BlockedSignals(interrupts()) {}
};

}  // namespace starling

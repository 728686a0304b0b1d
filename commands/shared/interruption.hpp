#pragma once

#include <csignal>
#include <deque>
#include <string>
#include <string_view>

#include "io/processes/blocked_signals.hpp"

namespace starling {

/// While it exists, an interrupt (SIGINT, SIGTERM, SIGHUP) ends the child process that must end first,
/// removes the progress line, prints what is kept of the work, and then ends the program by the same signal:
/// exit code 130, 143 or 129 in a shell. Only one may exist at a time.
class Interruption {
 public:
  /// `kept` is a text that says what is kept so far.
  explicit Interruption(std::string_view kept);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Replaces the text that says what is kept.
  void keeps(std::string_view kept);

 private:
  std::deque<std::string> texts_;  // all of them, since a handler may be writing an earlier one
  struct sigaction before_interrupt_ {};
  struct sigaction before_termination_ {};
  struct sigaction before_hangup_ {};
};

/// While it exists, interrupts are blocked: for saving results and replacing the text of the Interruption in
/// one step.
class InterruptsWait : BlockedSignals {
 public:
  InterruptsWait() : BlockedSignals(interrupts()) {}
};

}  // namespace starling

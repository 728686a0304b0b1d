#pragma once

#include <csignal>

namespace starling {

/// The set of SIGINT, SIGTERM and SIGHUP.
inline sigset_t interrupts() {
  sigset_t signals{};
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&signals, signal);
  return signals;
}

/// Blocks signals in the calling thread during its lifetime.
class BlockedSignals {
 public:
  explicit BlockedSignals(const sigset_t& signals) { pthread_sigmask(SIG_BLOCK, &signals, &before_); }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  const sigset_t& before() const { return before_; }

 private:
  sigset_t before_{};
};

}  // namespace starling

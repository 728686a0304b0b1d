#pragma once

#include <chrono>

namespace starling {

/// Whether messages that arrive wake this process. Those of sockets do; those through shared memory or past
/// the kernel must be looked for.
enum class Arrival { wakes, silent };

/// How many TCP connections a process has, by where they lead.
struct Connections {
  int to_own_host = 0;
  int to_other_hosts = 0;
};

/// Counts the connections of this process.
Connections count_connections();

/// How a process waits for messages and for the clock without burning a core.
///
/// If the last wait took no more than 100 µs it looks again and again (spins) for as long; then, or else at
/// once, it sleeps, until a socket has something, until the clock is 60 µs from where it must be on time, or
/// for an eighth of the time waited so far, whichever is first. So a message that wakes nobody is noticed
/// after at most longest_nap(arrival) or an eighth of the wait (and at least 20 µs), plus what the kernel
/// takes to wake a process. Where processes share cores, waits become long, so that nobody spins.
/// Reference: Karlin, Li, Manasse, Owicki, "Empirical studies of competitive spinning for a shared-memory
/// multiprocessor", SOSP 1991.
class IdleWait {
 public:
  using Clock = std::chrono::steady_clock;

  IdleWait();
  ~IdleWait();
  IdleWait(const IdleWait&) = delete;
  IdleWait& operator=(const IdleWait&) = delete;

  /// Watches all connections that this process has now; those watched already stay. Returns which are new.
  Connections watch_connections();
  /// Watches something else that becomes readable. Returns whether that is possible.
  bool watch(int descriptor);
  void set_arrival(Arrival arrival) { arrival_ = arrival; }
  Arrival arrival() const { return arrival_; }

  /// A new wait begins.
  void begin(Clock::time_point now) { began_ = now; }
  /// One step of it: returns at once if it spins, else after a nap. `deadline` is where it must end on time.
  void step(Clock::time_point now, Clock::time_point deadline);
  /// How long that nap may be; 0 if it spins.
  std::chrono::nanoseconds patience(Clock::time_point now, Clock::time_point deadline) const;
  /// What was waited for came; a wait for the clock just ends.
  void end(Clock::time_point now);

  /// Sleeps that long, or until there is news on a watched connection; returns whether there was.
  bool nap(std::chrono::nanoseconds longest);

  static constexpr std::chrono::nanoseconds longest_nap(Arrival arrival) {
    return arrival == Arrival::wakes ? std::chrono::milliseconds(2) : std::chrono::microseconds(400);
  }

 private:
  int epoll_ = -1;
  Arrival arrival_ = Arrival::silent;
  Clock::time_point began_;
  std::chrono::nanoseconds spin_{0};
};

}  // namespace starling

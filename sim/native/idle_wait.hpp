#pragma once

#include <chrono>

namespace starling {

/// Whether arriving messages wake this process. Messages over sockets do; messages through shared memory, or
/// over networks that bypass the kernel, must be polled for.
enum class Arrival { wakes, silent };

/// The number of TCP connections of a process, by the host of the peer.
struct Connections {
  int to_own_host = 0;
  int to_other_hosts = 0;
};

/// Counts the connections of this process.
Connections count_connections();

/// Waits for messages and for the clock without burning a core.
///
/// If the last wait took no more than 100 µs, a wait first spins (polls again and again) for 100 µs. Then,
/// or else at once, it sleeps until a socket has something, until the clock is 60 µs before the deadline, or
/// for an eighth of the time waited so far, whichever is first. A message that does not wake the process is
/// thus noticed after at most longest_nap(arrival) or an eighth of the wait (and at least 20 µs), plus the
/// time that the kernel takes to wake a process. Where processes share cores, waits become long, so nobody
/// spins. Reference: Karlin, Li, Manasse, Owicki, "Empirical studies of competitive spinning for a
/// shared-memory multiprocessor", SOSP 1991.
class IdleWait {
 public:
  using Clock = std::chrono::steady_clock;

  IdleWait();
  ~IdleWait();
  IdleWait(const IdleWait&) = delete;
  IdleWait& operator=(const IdleWait&) = delete;

  /// Watches all present connections of this process. Returns the number of those not watched before.
  Connections watch_connections();
  /// Watches another file descriptor that becomes readable. Returns whether that is possible.
  bool watch(int descriptor);
  void set_arrival(Arrival arrival) { arrival_ = arrival; }
  Arrival arrival() const { return arrival_; }

  /// Begins a wait.
  void begin(Clock::time_point now) { began_ = now; }
  /// One step of a wait: returns at once while spinning, else after a nap. `deadline` is when the wait must
  /// end.
  void step(Clock::time_point now, Clock::time_point deadline);
  /// The longest duration of that nap; 0 while spinning.
  std::chrono::nanoseconds patience(Clock::time_point now, Clock::time_point deadline) const;
  /// Ends a wait because the awaited event has occurred. Not called for a wait that ends at its deadline.
  void end(Clock::time_point now);

  /// Sleeps for `longest`, or until there is news on a watched descriptor; returns whether there was.
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

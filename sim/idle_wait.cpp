#include "sim/idle_wait.hpp"

#include <dirent.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <system_error>

namespace starling {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds longest_spin = 100us;
constexpr std::chrono::nanoseconds shortest_nap = 20us;
// A timer wakes a process some microseconds late.
constexpr std::chrono::nanoseconds wakes_late = 60us;

bool is_connection(int descriptor) {
  int domain = 0;
  int type = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return false;
  size = sizeof type;
  if (getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0) return false;
  return (domain == AF_INET || domain == AF_INET6) && type == SOCK_STREAM;
}

timespec as_timespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

}  // namespace

IdleWait::IdleWait() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  // Without it the kernel may wake us 50 µs late to save energy.
  prctl(PR_SET_TIMERSLACK, 1UL);
}

IdleWait::~IdleWait() { close(epoll_); }

int IdleWait::watch_connections() {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (!folder) return 0;
  int added = 0;
  while (const dirent* entry = readdir(folder.get())) {
    const int descriptor = std::atoi(entry->d_name);
    if (!is_connection(descriptor)) continue;
    // Edge-triggered: only news wakes, not what MPI has yet to read.
    epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {}};
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0) ++added;
  }
  return added;
}

void IdleWait::end(Clock::time_point now) { spin_ = now - began_ <= longest_spin ? longest_spin : 0us; }

void IdleWait::step(Clock::time_point now, Clock::time_point deadline) {
  const auto left = deadline - now - wakes_late;
  const auto waited = now - began_;
  if (waited < spin_ || left <= 0ns) return;
  const auto patience = std::clamp<std::chrono::nanoseconds>(waited / 8, shortest_nap, longest_nap(arrival_));
  nap(std::min<std::chrono::nanoseconds>(left, patience));
}

void IdleWait::nap(std::chrono::nanoseconds longest) {
  const timespec timeout = as_timespec(longest);
  pollfd news{.fd = epoll_, .events = POLLIN, .revents = 0};
  if (ppoll(&news, 1, &timeout, nullptr) <= 0) return;
  std::array<epoll_event, 64> seen;
  while (epoll_wait(epoll_, seen.data(), static_cast<int>(seen.size()), 0) == static_cast<int>(seen.size())) {
  }
}

}  // namespace starling

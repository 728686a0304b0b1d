#include "sim/native/idle_wait.hpp"

#include <dirent.h>
#include <ifaddrs.h>
#include <netinet/in.h>
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
#include <set>
#include <string>
#include <system_error>
#include <vector>

namespace starling {
namespace {

using namespace std::chrono_literals;

constexpr std::chrono::nanoseconds longest_spin = 100us;
constexpr std::chrono::nanoseconds shortest_nap = 20us;
// How early a nap before a deadline ends, as a timer wakes a process some microseconds late.
constexpr std::chrono::nanoseconds wakes_late = 60us;

/// The value of a socket option; −1 if the descriptor is no socket.
int socket_option(int descriptor, int option) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(descriptor, SOL_SOCKET, option, &value, &size) == 0 ? value : -1;
}

bool is_connection(int descriptor) {
  const int domain = socket_option(descriptor, SO_DOMAIN);
  return (domain == AF_INET || domain == AF_INET6) && socket_option(descriptor, SO_TYPE) == SOCK_STREAM &&
         socket_option(descriptor, SO_ACCEPTCONN) == 0;
}

/// The bytes of an IP address, without its port.
std::string address_in(const sockaddr* address) {
  if (address == nullptr) return "";
  const auto bytes_of = [](const auto& ip) {
    return std::string(reinterpret_cast<const char*>(&ip), sizeof ip);
  };
  if (address->sa_family == AF_INET) return bytes_of(reinterpret_cast<const sockaddr_in*>(address)->sin_addr);
  if (address->sa_family == AF_INET6)
    return bytes_of(reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr);
  return "";
}

std::set<std::string> own_addresses() {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> all(first, freeifaddrs);
  std::set<std::string> addresses;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next)
    addresses.insert(address_in(one->ifa_addr));
  return addresses;
}

std::string address_of_peer(int connection) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getpeername(connection, reinterpret_cast<sockaddr*>(&address), &size) != 0) return "";
  return address_in(reinterpret_cast<const sockaddr*>(&address));
}

std::vector<int> connections() {
  std::vector<int> found;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  while (const dirent* entry = folder ? readdir(folder.get()) : nullptr) {
    if (entry->d_name[0] == '.') continue;  // the folder itself, and the one above
    const int descriptor = std::atoi(entry->d_name);
    if (is_connection(descriptor)) found.push_back(descriptor);
  }
  return found;
}

Connections by_host(const std::vector<int>& descriptors) {
  const std::set<std::string> own = own_addresses();
  Connections count;
  for (const int connection : descriptors) {
    const std::string peer = address_of_peer(connection);
    if (peer.empty()) continue;  // no longer connected
    ++(own.contains(peer) ? count.to_own_host : count.to_other_hosts);
  }
  return count;
}

timespec as_timespec(std::chrono::nanoseconds time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return {.tv_sec = seconds.count(), .tv_nsec = (time - seconds).count()};
}

}  // namespace

Connections count_connections() { return by_host(connections()); }

IdleWait::IdleWait() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_ < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  // Otherwise the kernel may wake the process 50 µs late to save energy.
  prctl(PR_SET_TIMERSLACK, 1UL);
}

IdleWait::~IdleWait() { close(epoll_); }

Connections IdleWait::watch_connections() {
  std::vector<int> added;
  for (const int descriptor : connections())
    if (watch(descriptor)) added.push_back(descriptor);
  return by_host(added);
}

bool IdleWait::watch(int descriptor) {
  // Edge-triggered: only new data wake the process, not data that are still to be read.
  epoll_event event{.events = EPOLLIN | EPOLLOUT | EPOLLET, .data = {}};
  return epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

void IdleWait::end(Clock::time_point now) { spin_ = now - began_ <= longest_spin ? longest_spin : 0us; }

std::chrono::nanoseconds IdleWait::patience(Clock::time_point now, Clock::time_point deadline) const {
  const auto left = deadline - now - wakes_late;
  const auto waited = now - began_;
  if (waited < spin_ || left <= 0ns) return 0ns;
  return std::min(left, std::clamp<Clock::duration>(waited / 8, shortest_nap, longest_nap(arrival_)));
}

void IdleWait::step(Clock::time_point now, Clock::time_point deadline) {
  const std::chrono::nanoseconds longest = patience(now, deadline);
  if (longest > 0ns) nap(longest);
}

bool IdleWait::nap(std::chrono::nanoseconds longest) {
  const timespec timeout = as_timespec(longest);
  pollfd news{.fd = epoll_, .events = POLLIN, .revents = 0};
  if (ppoll(&news, 1, &timeout, nullptr) <= 0) return false;
  std::array<epoll_event, 64> seen;
  while (epoll_wait(epoll_, seen.data(), static_cast<int>(seen.size()), 0) == static_cast<int>(seen.size())) {
  }
  return true;
}

}  // namespace starling

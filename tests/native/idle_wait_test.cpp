#include "sim/native/idle_wait.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

namespace starling {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr IdleWait::Clock::time_point start{};

/// The longest nap of a wait that has lasted for `waited` and has a deadline `left` later.
nanoseconds patience_after(const IdleWait& wait, nanoseconds waited, nanoseconds left = 1h) {
  return wait.patience(start + waited, start + waited + left);
}

TEST_CASE("a waiter just served spins for 100 µs and then naps, one that has waited long naps at once") {
  IdleWait wait;
  wait.begin(start);
  wait.end(start + 100us);
  wait.begin(start);
  CHECK(patience_after(wait, 0us) == 0us);
  CHECK(patience_after(wait, 99us) == 0us);
  CHECK(patience_after(wait, 100us) == 20us);

  wait.begin(start);
  wait.end(start + 101us);
  wait.begin(start);
  CHECK(patience_after(wait, 0us) == 20us);
}

TEST_CASE("a nap is an eighth of the time waited, within 20 µs and its bound") {
  IdleWait wait;
  wait.begin(start);
  CHECK(patience_after(wait, 160us) == 20us);
  CHECK(patience_after(wait, 800us) == 100us);
  CHECK(patience_after(wait, 1h) == IdleWait::longest_nap(Arrival::silent));
  wait.set_arrival(Arrival::wakes);
  CHECK(patience_after(wait, 8ms) == 1ms);
  CHECK(patience_after(wait, 1h) == IdleWait::longest_nap(Arrival::wakes));
}

TEST_CASE("a nap ends 60 µs before the deadline, and there is none after that") {
  IdleWait wait;
  wait.begin(start);
  CHECK(patience_after(wait, 1h, 1h) == 400us);
  CHECK(patience_after(wait, 1h, 300us) == 240us);
  CHECK(patience_after(wait, 1h, 61us) == 1us);
  CHECK(patience_after(wait, 1h, 60us) == 0us);
  CHECK(patience_after(wait, 1h, -1h) == 0us);
}

/// A file descriptor that is closed at the end of its scope.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) { REQUIRE(descriptor >= 0); }
  ~Socket() { close(descriptor_); }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

/// A socket that listens on a free port of the loopback interface.
int listening() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(descriptor, 1) == 0);
  return descriptor;
}

int connected_to(const Socket& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  REQUIRE(getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  REQUIRE(connect(descriptor, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  return descriptor;
}

/// A TCP connection of this process with itself.
struct Connection {
  Socket listener{listening()};
  Socket near{connected_to(listener)};
  Socket far{accept(listener.get(), nullptr, nullptr)};
};

TEST_CASE("connections are watched once, and no other sockets") {
  IdleWait wait;
  const Connections before = count_connections();
  const Connections watched = wait.watch_connections();
  CHECK(watched.to_own_host == before.to_own_host);
  CHECK(watched.to_other_hosts == before.to_other_hosts);
  const Connection connection;
  const Socket datagrams(socket(AF_INET, SOCK_DGRAM, 0));
  const Socket local(socket(AF_UNIX, SOCK_STREAM, 0));
  CHECK(count_connections().to_own_host == before.to_own_host + 2);
  CHECK(count_connections().to_other_hosts == before.to_other_hosts);
  CHECK(wait.watch_connections().to_own_host == 2);
  CHECK(wait.watch_connections().to_own_host == 0);
}

TEST_CASE("a nap lasts until a connection has news, which is told once") {
  IdleWait wait;
  const Connection connection;
  wait.watch_connections();
  wait.nap(0ns);  // that it can be written to is news, too
  CHECK_FALSE(wait.nap(1us));
  REQUIRE(send(connection.near.get(), "x", 1, 0) == 1);
  CHECK(wait.nap(1min));
  CHECK_FALSE(wait.nap(1us));
}

}  // namespace
}  // namespace starling

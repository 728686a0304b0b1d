// tcp_probe serve ADDRESS PORT BYTES
// tcp_probe measure ADDRESS PORT BYTES
// Measures a TCP connection: the least round-trip time of one byte in seconds, and how long BYTES bytes and
// the answer to them take, best of three, one figure per line. serve serves one connection.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int round_trips = 20;
constexpr int transfers = 3;

[[noreturn]] void fail(const char* what) {
  std::perror(what);
  std::exit(1);
}

sockaddr_in address_of(char** arguments) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(arguments[3])));
  if (::inet_pton(AF_INET, arguments[2], &address.sin_addr) != 1) fail(arguments[2]);
  return address;
}

void send_all(int socket, std::size_t bytes) {
  const std::vector<char> data(std::min<std::size_t>(bytes, 1 << 16));
  while (bytes > 0) {
    const ssize_t count = ::send(socket, data.data(), std::min(bytes, data.size()), MSG_NOSIGNAL);
    if (count <= 0) fail("send");
    bytes -= static_cast<std::size_t>(count);
  }
}

void receive_all(int socket, std::size_t bytes) {
  std::vector<char> data(1 << 16);
  while (bytes > 0) {
    const ssize_t count = ::recv(socket, data.data(), std::min(bytes, data.size()), 0);
    if (count <= 0) fail("recv");
    bytes -= static_cast<std::size_t>(count);
  }
}

void serve(sockaddr_in address, std::size_t bytes) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  const int one = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) < 0) fail("bind");
  if (::listen(listener, 1) < 0) fail("listen");
  const int socket = ::accept(listener, nullptr, nullptr);
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  for (int i = 0; i < round_trips + transfers; ++i) {
    receive_all(socket, i < round_trips ? 1 : bytes);
    send_all(socket, 1);
  }
}

int connect_in_time(sockaddr_in address) {
  for (int attempt = 0; attempt < 1200; ++attempt) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return socket;
    ::close(socket);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the server may not have begun
  }
  fail("connect");
}

double best_time_s(int socket, int repetitions, std::size_t bytes) {
  double best_s = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    send_all(socket, bytes);
    receive_all(socket, 1);
    best_s =
        std::min(best_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best_s;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 5) return 2;
  const auto bytes = static_cast<std::size_t>(std::atoll(arguments[4]));
  if (std::string(arguments[1]) == "serve") {
    serve(address_of(arguments), bytes);
    return 0;
  }
  const int socket = connect_in_time(address_of(arguments));
  const int one = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  std::printf("%.6f\n", best_time_s(socket, round_trips, 1));
  std::printf("%.6f\n", best_time_s(socket, transfers, bytes));
}

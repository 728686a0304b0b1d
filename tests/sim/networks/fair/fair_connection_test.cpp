#include "sim/networks/fair/fair_connection.hpp"

#include <doctest/doctest.h>

#include "tests/rounding.hpp"

namespace starling {
namespace {

/// A connection that sends 1 byte a second until 100 s, then a quarter of that.
FairConnection windowed() {
  FairConnection connection;
  connection.s_per_byte = 1;
  connection.window_Bps = 0.25;
  connection.window_s = 100;
  return connection;
}

TEST_CASE("a connection that flows alone slows down once its first window has passed") {
  const FairConnection connection = windowed();
  CHECK(connection.end_of(60, 40) == about(100));
  CHECK(connection.end_of(60, 50) == about(140));
  CHECK(connection.end_of(120, 5) == about(140));
  CHECK(connection.bytes_between(60, 140) == about(50));
  CHECK(connection.bytes_between(60, 70) == about(10));
  CHECK(connection.bytes_between(120, 140) == about(5));
}

TEST_CASE("a connection that shares links sends the first window of its front message, then the rest") {
  FairConnection connection = windowed();
  connection.next_bytes = 50;
  connection.window_bytes = 40;
  CHECK(connection.next_part() == 40);
  CHECK(connection.next_bytes == 10);
  connection.window_bytes = 100;
  CHECK(connection.next_part() == 10);
  CHECK(connection.next_bytes == 0);
  CHECK(connection.window_bytes == 90);
}

}  // namespace
}  // namespace starling

#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <vector>

#include "fair_sending.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("fair: messages of a connection flow one after the other, small ones too if it is busy") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const Arrivals arrivals = send(
      routes, {{0, 0, 1, 10e3}, {1, 0, 1, 10}, {2, 0, 1, 0}, {3, 0, 1, 5e3}, {16, 0, 1, 10}, {16, 0, 1, 0}});
  const std::vector<double> expected_s = {11, 11.01, 11.01, 16.01, 17.01, 17.01};
  for (std::size_t i = 0; i < expected_s.size(); ++i) CHECK(arrivals.times_s[i] == about(expected_s[i]));
  CHECK(arrivals.order == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
}

TEST_CASE("fair: a small message on an idle connection neither waits for others nor slows them") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const std::vector<Sending> bulk = {{0, 0, 3, 10e3}, {0, 1, 3, 10e3}, {4, 1, 2, 5e3}};
  std::vector<Sending> with_small = bulk;
  with_small.push_back({1, 0, 2, 1500});
  with_small.push_back({1, 2, 3, 100});
  const std::vector<double> ends_s = arrivals_s(routes, with_small);
  CHECK(ends_s[3] == about(1 + 1.5 + 1));
  CHECK(ends_s[4] == about(1 + 0.1 + 1));
  CHECK(std::vector(ends_s.begin(), ends_s.begin() + 3) == arrivals_s(routes, bulk));
}

TEST_CASE("fair: a message of one packet is small, one of another byte shares links and waits") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const auto beside_s = [&](double bytes) {
    return arrivals_s(routes, {{0, 0, 3, 10e3}, {1, 0, 2, bytes}}, exact)[1];
  };
  CHECK(beside_s(1500) == about(1 + 1.5 + 1));
  CHECK(beside_s(1501) == about(1 + 2 * 1.501 + 1));
  const auto behind_s = [&](double bytes, bool is_ordered) {
    return arrivals_s(routes, {{0, 0, 3, 10e3}, {1, 0, 3, bytes, is_ordered}},
                      {.has_control_channel = true})[1];
  };
  for (const bool is_ordered : {true, false}) {
    CHECK(behind_s(1500, is_ordered) == about(1 + 1.5 + 1));
    CHECK(behind_s(1501, is_ordered) == about(10 + 1.501 + 1));
  }
}

TEST_CASE("fair: with a control channel, small messages do not wait for their own connection either") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0.5);
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {1, 0, 1, 10}, {2, 2, 1, 10e3}, {3, 0, 1, 10}};
  const std::vector<double> apart_s = arrivals_s(routes, sendings, {.has_control_channel = true});
  CHECK(apart_s[1] == about(1 + 1.01));
  CHECK(apart_s[3] == about(3 + 1.01));
  CHECK(arrivals_s(routes, sendings)[3] == about(apart_s[0] + 0.02 / 0.5));  // 20 bytes at half the link
}

TEST_CASE("fair: with a control channel, a message sent before a small one does not wait for it") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e3, 0);
  const std::vector<double> ends_s = arrivals_s(
      routes, {{0, 0, 1, 10e3}, {0, 2, 1, 10e3}, {19.9, 0, 1, 1000}}, {.has_control_channel = true});
  CHECK(ends_s[0] == about(20));
  CHECK(ends_s[2] == about(20.9));
}

TEST_CASE("fair: on a control channel, messages that need no order do not wait for those before them") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e3, 0.5);
  const auto second_s = [&](bool is_ordered, bool has_control_channel) {
    return arrivals_s(routes, {{0, 0, 1, 1000, is_ordered}, {0, 0, 1, 10, is_ordered}},
                      {.has_control_channel = has_control_channel})[1];
  };
  CHECK(second_s(false, true) == about(1.01));
  CHECK(second_s(true, true) == about(2));
  CHECK(second_s(false, false) == about(2));
}

TEST_CASE("fair: messages of eight senders into one port arrive together, in the order they were sent") {
  const HandMadeRoutes routes = HandMadeRoutes::star(9, 12.5e9, 0.5e-6);
  std::vector<Sending> sendings;
  for (const int i : {3, 1, 7, 0, 5, 2, 6, 4}) sendings.push_back({0, i, 8, 10e6});
  const Arrivals arrivals = send(routes, sendings);
  for (const double end_s : arrivals.times_s) CHECK(end_s == about(6.4e-3 + 1e-6));
  CHECK(arrivals.order == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE(
    "fair: messages that end at the same moment arrive in the order they were sent, whatever the rounding") {
  // Two messages share a port, and three messages of two thirds of the size share another port: all five end
  // together, at times that round differently.
  const HandMadeRoutes routes = HandMadeRoutes::star(7, 1e9, 1e-6);
  for (int k = 1; k <= 200; ++k) {
    const double bytes = 1e5 * k / 7;
    const double at_s = 0.1 * k;
    const Arrivals arrivals = send(routes, {{at_s, 2, 6, bytes * 2 / 3},
                                            {at_s, 0, 5, bytes},
                                            {at_s, 3, 6, bytes * 2 / 3},
                                            {at_s, 1, 5, bytes},
                                            {at_s, 4, 6, bytes * 2 / 3}});
    CAPTURE(k);
    CHECK(arrivals.order == std::vector<std::size_t>{0, 1, 2, 3, 4});
  }
}

TEST_CASE("fair: a message does not share links with one that ends, up to rounding, when it is sent") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e9, 0);
  for (int k = 1; k <= 100; ++k) {
    const double bytes = 1e8 * k / 7;
    const double first_s = 0.1 * k + bytes / 1e9;
    const double at_s = std::nextafter(std::nextafter(first_s, 0.0), 0.0);
    CHECK(arrivals_s(routes, {{0.1 * k, 0, 2, bytes}, {at_s, 1, 2, bytes}})[1] == about(at_s + bytes / 1e9));
  }
}

}  // namespace
}  // namespace starling

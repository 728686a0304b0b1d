#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("fair: connections of different hosts share evenly, whatever those of one host do") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 10e3, 0.5);
  const auto ends_s = arrivals_s(routes, {{0, 0, 2, 10e3}, {0.25, 1, 2, 10e3}},
                                 {.epsilon = 1e-9, .unevenness = 0.5, .seed = 7});
  CHECK(ends_s[0] == about(1.75 + 1, share_error));  // a quarter alone
  CHECK(ends_s[1] == about(2.0 + 1, share_error));
}

TEST_CASE("fair: who waits at its host's link has less of a link where it meets others, as frame by frame") {
  const TcpOptions options;
  const double queued = options.frames_at_first_link * options.frame_bytes / options.window_bytes;
  constexpr double bandwidth_Bps = 25e6;
  constexpr double bytes = 20e6;
  const HandMadeRoutes routes = HandMadeRoutes::star(4, bandwidth_Bps, 50e-6);
  const std::vector<Sending> sendings = {{0, 0, 1, bytes}, {0, 0, 2, bytes}, {0, 3, 2, bytes}};
  const auto ends_s = arrivals_s(routes, sendings, {.epsilon = 1e-9, .queued_at_first_link = queued});
  // x of its host's link and of the other one has the message that meets both others, these 1 − x.
  const double x = 1 / (2 + queued);
  CHECK(ends_s[0] == about(bytes / bandwidth_Bps / (1 - x) + 100e-6));
  CHECK(ends_s[2] == about(bytes / bandwidth_Bps / (1 - x) + 100e-6));
  CHECK(ends_s[1] == about(2 * bytes / bandwidth_Bps + 100e-6));  // all the while one of its links is full

  // Frames as small as they are; until windows are full they share by how fast they come: half a window more
  // for who has its host's link to itself, 1 % of these messages. With even shares it would be 13 %.
  TcpNetwork tcp(routes, {.frames_per_message = 4096});
  const std::vector<double> by_frames_s = send_all(tcp, sendings, patience_s).times_s;
  CHECK(std::abs(ends_s[0] / by_frames_s[0] - 1) < 0.02);
  CHECK(std::abs(ends_s[1] / by_frames_s[1] - 1) < 0.001);
  CHECK(std::abs(ends_s[2] / by_frames_s[2] - 1) < 0.02);
  CHECK(2 * bytes / bandwidth_Bps / by_frames_s[2] - 1 > 0.1);
}

/// Workers 0 and 1 on one side of a trunk that is as fast as the link of each, 2, 3 and 4 on the other side.
HandMadeRoutes two_hosts_on_a_trunk(double bandwidth_Bps) {
  HandMadeRoutes routes(5);
  const LinkIndex trunk = routes.add_link(5, 6, bandwidth_Bps, 0);
  const LinkIndex back = routes.add_link(6, 5, bandwidth_Bps, 0);
  for (const Rank source : {0, 1}) {
    const LinkIndex out = routes.add_link(source, 5, bandwidth_Bps, 0);
    for (const Rank destination : {2, 3, 4}) {
      routes.add_route(source, destination, {out, trunk, routes.add_link(6, destination, bandwidth_Bps, 0)});
      routes.add_route(destination, source, {back});
    }
  }
  return routes;
}

TEST_CASE("fair: what is shorter than a window shares a link further on evenly, not by how fast it comes") {
  // Two connections of one host and one of another, through a trunk: evenly a third each. By frames in the
  // order they come, each host has a half as long as it sends, whoever sends alone therefore twice as much.
  constexpr double bandwidth_Bps = 25e6;
  const HandMadeRoutes routes = two_hosts_on_a_trunk(bandwidth_Bps);
  const auto ends = [&](double bytes) {
    const std::vector<Sending> sendings = {{0, 0, 2, bytes}, {0, 0, 3, bytes}, {0, 1, 4, bytes}};
    TcpNetwork tcp(routes, {.frames_per_message = 4096, .acknowledgment_bytes = 0});
    const double unit_s = bytes / bandwidth_Bps;
    return std::pair(arrivals_s(routes, sendings, {.epsilon = 1e-9})[2] / unit_s,
                     send_all(tcp, sendings, patience_s).times_s[2] / unit_s);
  };
  const auto [short_fair, short_frames] = ends(400e3);
  CHECK(short_fair == about(3, share_error));
  CHECK(short_frames == about(2, 0.1));  // a frame of 35, and what waits at the hosts first
  // Windows of messages that are much longer wait at the trunk, nearly alike: those of the first host wait
  // at its link, too, which only a weight knows.
  const auto [long_fair, long_frames] = ends(40e6);
  CHECK(long_fair == about(3, share_error));
  CHECK(long_frames > 2.5);
}

/// The same links, with all workers on one host.
class OnOneHost final : public HandMadeRoutes {
 public:
  explicit OnOneHost(HandMadeRoutes routes) : HandMadeRoutes(std::move(routes)) {}
  int hosts() const override { return 1; }
  int host_of(Rank) const override { return 0; }
};

TEST_CASE("fair: inside a host nobody waits at the host's link, and all share evenly") {
  const OnOneHost routes(HandMadeRoutes::star(4, 1e3, 0.5));
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}, {0, 3, 2, 10e3}};
  const auto ends_s = arrivals_s(routes, sendings, {.epsilon = 1e-9, .queued_at_first_link = 0.5});
  for (const double end_s : ends_s) CHECK(end_s == about(20 + 1));
}

TEST_CASE("fair: inside a host no window limits a connection") {
  const OnOneHost routes(HandMadeRoutes::star(2, 1e3, 0.5));
  CHECK(arrivals_s(routes, {{0, 0, 1, 2e3}}, small_window)[0] == about(2 + 1));
}

TEST_CASE(
    "fair: who waits at its host's link has less of others, however uneven its host's connections are") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}, {0, 3, 2, 10e3}};
  const auto even_s = arrivals_s(routes, sendings, {.epsilon = 1e-9, .queued_at_first_link = 0.3});
  const auto uneven_s =
      arrivals_s(routes, sendings, {.epsilon = 1e-9, .unevenness = 1e-6, .queued_at_first_link = 0.3});
  // The one that meets both others has 1/(1 + 1.3) of each of its links, and all of them when these end.
  CHECK(even_s[0] == about(10 * 2.3 / 1.3 + 1, rounding_of_sums));
  CHECK(even_s[1] == about(20 + 1, rounding_of_sums));
  // Weights that differ by 2·10⁻⁶ at most do not make more of a share.
  for (std::size_t i = 0; i < even_s.size(); ++i) CHECK(uneven_s[i] == about(even_s[i], 2e-6));
}

TEST_CASE("fair: inside a host connections have no rate of their own") {
  const OnOneHost routes(HandMadeRoutes::star(4, 1e3, 0.5));
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}, {0, 3, 2, 10e3}};
  CHECK(arrivals_s(routes, sendings, small_rate) == arrivals_s(routes, sendings, exact));
}

}  // namespace
}  // namespace starling

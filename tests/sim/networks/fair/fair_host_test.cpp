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

TEST_CASE("fair: connections of different hosts share evenly, however unevenly those of one host share") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 10e3, 0.5);
  const auto ends_s = arrivals_s(routes, {{0, 0, 2, 10e3}, {0.25, 1, 2, 10e3}},
                                 {.epsilon = 1e-9, .unevenness = 0.5, .seed = 7});
  CHECK(ends_s[0] ==
        about(1.75 + 1, share_error));  // a quarter of the 10 kB alone, the rest at half the port
  CHECK(ends_s[1] == about(2.0 + 1, share_error));
}

TEST_CASE("fair: a connection that queues at its host's link gets less of later links, as under tcp") {
  const TcpOptions options;
  const double queued = options.frames_at_first_link * options.frame_bytes / options.window_bytes;
  constexpr double bandwidth_Bps = 25e6;
  constexpr double bytes = 20e6;
  const HandMadeRoutes routes = HandMadeRoutes::star(4, bandwidth_Bps, 50e-6);
  const std::vector<Sending> sendings = {{0, 0, 1, bytes}, {0, 0, 2, bytes}, {0, 3, 2, bytes}};
  const auto ends_s = arrivals_s(routes, sendings, {.epsilon = 1e-9, .queued_at_first_link = queued});
  // The second message meets both others. It has a share x of each of its links, the others have 1 − x, where
  // x : 1 − x = 1/(1 + queued) : 1.
  const double x = 1 / (2 + queued);
  CHECK(ends_s[0] == about(bytes / bandwidth_Bps / (1 - x) + 100e-6));
  CHECK(ends_s[2] == about(bytes / bandwidth_Bps / (1 - x) + 100e-6));
  CHECK(ends_s[1] == about(2 * bytes / bandwidth_Bps + 100e-6));  // each of its links carries two messages

  // tcp sends frames of their real size. Until windows are full, connections share by how fast their frames
  // come: the one that has its host's link to itself gains half a window, 1 % of these messages, so that 2 %
  // are allowed. Even shares would be off by 13 %.
  TcpNetwork tcp(routes, {.frames_per_message = 4096});
  const std::vector<double> by_frames_s = send_all(tcp, sendings, patience_s).times_s;
  CHECK(std::abs(ends_s[0] / by_frames_s[0] - 1) < 0.02);
  CHECK(std::abs(ends_s[1] / by_frames_s[1] - 1) < 0.001);
  CHECK(std::abs(ends_s[2] / by_frames_s[2] - 1) < 0.02);
  CHECK(2 * bytes / bandwidth_Bps / by_frames_s[2] - 1 > 0.1);
}

/// Workers 0 and 1 are on one side of a trunk as fast as the link of each worker, 2, 3 and 4 on the other
/// side.
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

TEST_CASE("fair: messages shorter than a window share later links evenly, which under tcp they do not") {
  // Two connections of one host and one of another pass a trunk. Shared evenly, each has a third and all end
  // after 3 units of bytes/bandwidth. Frames in the order in which they come give each host a half while it
  // sends, so the only connection of its host ends after 2 units.
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
  // The order of frames may shift the end by about one of the 35 frames of a message per connection: 3/35.
  CHECK(short_frames == about(2, 0.1));
  // Of messages much longer than a window whole windows wait at the trunk, so that shares are nearly even.
  // Some frames of the first host wait at its own link instead, which only queued_at_first_link accounts for.
  const auto [long_fair, long_frames] = ends(40e6);
  CHECK(long_fair == about(3, share_error));
  CHECK(long_frames > 2.5);
}

/// The same links as `routes`, with all workers on one host.
class OnOneHost final : public HandMadeRoutes {
 public:
  explicit OnOneHost(HandMadeRoutes routes) : HandMadeRoutes(std::move(routes)) {}
  int hosts() const override { return 1; }
  int host_of(Rank) const override { return 0; }
};

TEST_CASE("fair: inside a host no connection queues at the host's link, and all share evenly") {
  const OnOneHost routes(HandMadeRoutes::star(4, 1e3, 0.5));
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}, {0, 3, 2, 10e3}};
  const auto ends_s = arrivals_s(routes, sendings, {.epsilon = 1e-9, .queued_at_first_link = 0.5});
  for (const double end_s : ends_s) CHECK(end_s == about(20 + 1));
}

TEST_CASE("fair: inside a host no window limits a connection") {
  const OnOneHost routes(HandMadeRoutes::star(2, 1e3, 0.5));
  CHECK(arrivals_s(routes, {{0, 0, 1, 2e3}}, small_window)[0] == about(2 + 1));
}

TEST_CASE("fair: queuing at the host's link changes shares as much if connections of its host are uneven") {
  const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e3, 0.5);
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}, {0, 3, 2, 10e3}};
  const auto even_s = arrivals_s(routes, sendings, {.epsilon = 1e-9, .queued_at_first_link = 0.3});
  const auto uneven_s =
      arrivals_s(routes, sendings, {.epsilon = 1e-9, .unevenness = 1e-6, .queued_at_first_link = 0.3});
  // The second message, which meets both others, has 1/(1 + 1.3) of each of its links, and all of them once
  // the others have ended.
  CHECK(even_s[0] == about(10 * 2.3 / 1.3 + 1, rounding_of_sums));
  CHECK(even_s[1] == about(20 + 1, rounding_of_sums));
  // Weights differ by at most 2·10⁻⁶, and shares by no more than weights.
  for (std::size_t i = 0; i < even_s.size(); ++i) CHECK(uneven_s[i] == about(even_s[i], 2e-6));
}

TEST_CASE("fair: inside a host connections have no rate of their own") {
  const OnOneHost routes(HandMadeRoutes::star(4, 1e3, 0.5));
  const std::vector<Sending> sendings = {{0, 0, 1, 10e3}, {0, 0, 2, 10e3}, {0, 3, 2, 10e3}};
  CHECK(arrivals_s(routes, sendings, small_rate) == arrivals_s(routes, sendings, exact));
}

}  // namespace
}  // namespace starling

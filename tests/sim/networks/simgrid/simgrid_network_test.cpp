#include "sim/networks/simgrid/simgrid_network.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <array>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"
#include "tests/sim/simulated/uneven_star.hpp"

namespace starling {
namespace {

// SimGrid treats moments within 1e-12 s as one: of the shortest time in these tests, 1 µs, that is 1e-6. The
// rounding of the clock is smaller.
constexpr double precision = 1e-6;

Arrivals send_all(const Routes& routes, const std::vector<Sending>& sendings,
                  const SimGridOptions& options = {}) {
  SimGridNetwork network(routes, options);
  return send_all(network, sendings, 1e4);
}

std::vector<double> times_s(const Routes& routes, const std::vector<Sending>& sendings,
                            const SimGridOptions& options = {}) {
  return send_all(routes, sendings, options).times_s;
}

TEST_CASE(
    "simgrid: an uncontended transfer takes the latencies of its route and its bytes at the least "
    "bandwidth") {
  HandMadeRoutes routes(2);
  const LinkIndex fast = routes.add_link(0, 2, 12.5e9, 3e-6);
  const LinkIndex slow = routes.add_link(2, 3, 1.25e9, 2e-6);
  const LinkIndex medium = routes.add_link(3, 1, 2.5e9, 1e-6);
  routes.add_route(0, 1, {fast, slow, medium});
  for (const double bytes : {0.0, 1.0, 1000.0, 1e6, 1e9, 1e12}) {
    CAPTURE(bytes);
    CHECK(times_s(routes, {{0, 0, 1, bytes}})[0] == about(6e-6 + bytes / 1.25e9, precision));
  }
}

TEST_CASE("simgrid: a long latency does not limit the bandwidth, as a TCP window would") {
  HandMadeRoutes routes(2);
  routes.add_route(0, 1, {routes.add_link(0, 1, 12.5e9, 0.1)});
  CHECK(times_s(routes, {{0, 0, 1, 12.5e9}})[0] == about(1.1, precision));
}

TEST_CASE("simgrid: transfers without latency, without bytes or without both arrive in their time") {
  HandMadeRoutes routes(2);
  routes.add_route(0, 1, {routes.add_link(0, 1, 1e9, 0)});
  CHECK(times_s(routes, {{1, 0, 1, 0}})[0] == 1);
  CHECK(times_s(routes, {{1, 0, 1, 1e9}})[0] == about(2, precision));
  const HandMadeRoutes star = HandMadeRoutes::star(2, 1e9, 1);
  CHECK(times_s(star, {{1, 0, 1, 0}})[0] == about(3, precision));
}

TEST_CASE("simgrid: a transfer starts when it was started, however long nothing was under way before") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 0.5e-6);
  const std::vector<double> ends_s =
      times_s(routes, {{0, 0, 1, 1000}, {5e-6, 1, 0, 1000}, {1000, 0, 1, 1000}});
  CHECK(ends_s[0] == about(2e-6, precision));
  CHECK(ends_s[1] == about(7e-6, precision));
  // A double holds 1,000 s to 1e-13 s, which is within the time precision of 1e-12 s: 1e-6 of 2 µs is twice
  // that.
  CHECK(ends_s[2] - 1000 == about(2e-6, 1e-6));
}

TEST_CASE("simgrid: two flows through one port share it; when one ends the other has it all") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e9, 1e-6);
  const std::vector<double> ends_s = times_s(routes, {{0, 0, 2, 1e6}, {0, 1, 2, 3e6}});
  CHECK(ends_s[0] == about(2e-6 + 2e-3, precision));
  CHECK(ends_s[1] == about(2e-6 + 4e-3, precision));
}

TEST_CASE("simgrid: opposite directions of a cable do not slow each other") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  const std::vector<double> ends_s = times_s(routes, {{0, 0, 1, 1e6}, {0, 1, 0, 1e6}});
  CHECK(ends_s[0] == about(1.002e-3, precision));
  CHECK(ends_s[1] == about(1.002e-3, precision));
}

TEST_CASE(
    "simgrid: eight senders of 10 MB into one port of 12.5 GB/s all end after 6.40 ms and the latency") {
  const HandMadeRoutes routes = HandMadeRoutes::star(9, 12.5e9, 0.5e-6);
  std::vector<Sending> sendings;
  for (int i = 0; i < 8; ++i) sendings.push_back({0, i, 8, 10e6});
  for (const double end_s : times_s(routes, sendings)) CHECK(end_s == about(6.4e-3 + 1e-6, precision));
}

TEST_CASE("simgrid: messages that arrive at the same moment do so in the order they were sent") {
  const HandMadeRoutes routes = HandMadeRoutes::star(8, 1e9, 1e-6);
  const Arrivals arrivals = send_all(
      routes, {{0, 6, 7, 1e5}, {0, 2, 3, 1e5}, {0, 5, 4, 1e5}, {0, 0, 1, 1e5}, {0, 1, 0, 0}, {0, 3, 2, 0}});
  CHECK(arrivals.order == std::vector<std::size_t>{4, 5, 0, 1, 2, 3});
}

TEST_CASE("simgrid: a run has the same bits whatever ran before it in the process") {
  const HandMadeRoutes routes = HandMadeRoutes::star(6, 1e9, 0.7e-6);
  const std::vector<double> first_s = times_s(routes, busy(6));
  const HandMadeRoutes other = HandMadeRoutes::star(9, 1.7e9, 1.3e-5);
  times_s(other, busy(9), {.model = "LV08", .cross_traffic = true, .tcp_gamma_bytes = 1e5});
  CHECK(times_s(routes, busy(6)) == first_s);
}

TEST_CASE(
    "simgrid: attaching a network ends the run of the one attached before, with its transfers under way") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  SimGridNetwork abandoned(routes);
  Scheduler scheduler(abandoned.time_source());
  abandoned.attach(scheduler);
  struct : Transfer {
    void arrived() override { has_arrived = true; }
    bool has_arrived = false;
  } transfer;
  transfer.destination = 1;
  transfer.bytes = 1e6;
  scheduler.spawn(0, "sender", [&] { abandoned.start(transfer); });
  scheduler.run();
  CHECK(times_s(routes, {{0, 0, 1, 1e6}})[0] == about(1.002e-3, precision));
  CHECK_FALSE(transfer.has_arrived);
  CHECK_THROWS_AS(abandoned.start(transfer), InvariantError);
}

TEST_CASE("simgrid: a run in which everyone waits and nothing is under way is a deadlock") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  SimGridNetwork network(routes);
  SimulatedWorld world(routes, network);
  CHECK_THROWS_AS(world.run([](Worker& worker) {
    worker.compute(1e-3);
    worker.receive(Buffer::sized(10), 1 - worker.rank(), 3);
  }),
                  DeadlockError);
}

TEST_CASE("simgrid: workers compute while their messages are under way") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  SimGridNetwork network(routes);
  SimulatedWorld world(routes, network);
  std::array<double, 2> ends_s = {};
  world.run([&](Worker& worker) {
    const Buffer message = Buffer::sized(250'000);
    Request incoming = worker.irecv(message, 1 - worker.rank(), 0);
    Request outgoing = worker.isend(message, 1 - worker.rank(), 0);
    for (int i = 0; i < 10; ++i) worker.compute(0.05e-3 * (1 + worker.rank()));
    worker.wait(incoming);
    worker.wait(outgoing);
    ends_s[static_cast<std::size_t>(worker.rank())] = worker.now();
  });
  CHECK(ends_s[0] == about(1.002e-3, precision));
  CHECK(ends_s[1] == about(1.002e-3, precision));
  CHECK(world.statistics().messages == 2);
}

TEST_CASE("simgrid: options that SimGrid does not accept are refused by name") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  const auto message = [&](const SimGridOptions& options) -> std::string {
    try {
      SimGridNetwork network(routes, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  CHECK(message({.model = "cm02"}) == "simgrid: model is \"cm02\"; it must be one of CM02, LV08");
  CHECK(message({.tcp_gamma_bytes = -1}) == "simgrid: tcp_gamma is -1; it must be from 0 to 1e+18");
  CHECK(message({.latency_factor = -0.5}) ==
        "simgrid: latency_factor is -0.5; it must be from 1e-06 to 1000000");
  CHECK(message({.bandwidth_factor = 0.0}) ==
        "simgrid: bandwidth_factor is 0; it must be from 1e-06 to 1000000");
  CHECK(message({.weight_s_bytes = std::numeric_limits<double>::infinity()}) ==
        "simgrid: weight_s is inf; it must be from 0 to 1e+18");
  CHECK(message({.time_precision_s = 0}) == "simgrid: time_precision is 0; it must be from 1e-18 to 1");
}

TEST_CASE(
    "simgrid: options and latencies that would abort SimGrid are refused, and those just within are not") {
  const auto make = [](double latency_s, const SimGridOptions& options) {
    const HandMadeRoutes routes = HandMadeRoutes::star(4, 1e9, latency_s);
    times_s(routes, {{0, 0, 3, 1e6}, {0, 1, 3, 1e6}, {1e-4, 2, 3, 2e6}, {1e-4, 2, 0, 2e6}}, options);
  };
  CHECK_THROWS_WITH_AS(make(1e-6, {.rate_precision = 1}),
                       "simgrid: rate_precision is 1; it must be from 1e-18 to 0.5", std::invalid_argument);
  make(1e-6, {.rate_precision = 0.5});
  CHECK_THROWS_WITH_AS(make(1e5, {}),
                       "simgrid with a rate_precision of 1e-05 takes links whose latency, with weight_s over "
                       "their bandwidth, is at most 1000 s, not 100000 s",
                       std::invalid_argument);
  make(1e3, {});
  CHECK_THROWS_WITH_AS(make(1e-310, {.tcp_gamma_bytes = 4e6}),
                       "simgrid takes a latency of 0 or at least 1e-300 s, not 1e-310 s",
                       std::invalid_argument);
  make(1e-300, {.tcp_gamma_bytes = 4e6});
}

/// Limits the stack to so many bytes as long as the object exists.
class StackLimit {
 public:
  explicit StackLimit(rlim_t bytes) {
    REQUIRE(getrlimit(RLIMIT_STACK, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    REQUIRE(setrlimit(RLIMIT_STACK, &limit) == 0);
  }
  ~StackLimit() { setrlimit(RLIMIT_STACK, &before_); }
  StackLimit(const StackLimit&) = delete;
  StackLimit& operator=(const StackLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("simgrid: a network of more links than the stack has room for is refused") {
  const StackLimit small(1024 * 1024);
  const SimGridNetwork some(HandMadeRoutes::star(64, 1e9, 1e-6));
  HandMadeRoutes many(1);
  for (int i = 0; i < 8193; ++i) many.add_link(0, 1, 1e9, 1e-6);
  CHECK_THROWS_WITH_AS(SimGridNetwork{many},
                       "simgrid takes at most 8192 links on a stack of 1048576 bytes (see ulimit -s), but "
                       "the network has 8193; the engines fair, event and tcp take any number",
                       std::invalid_argument);
}

TEST_CASE("simgrid: messages of one connection flow in order, and only the first pays its latency in full") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  const Arrivals arrivals =
      send_all(routes, {{0, 0, 1, 1e6}, {0, 0, 1, 2e6}, {0, 0, 1, 0}, {1e-3, 0, 1, 1e6}});
  CHECK(arrivals.times_s[0] == about(2e-6 + 1e-3, precision));
  CHECK(arrivals.times_s[1] == about(2e-6 + 3e-3, precision));
  CHECK(arrivals.times_s[2] == about(2e-6, precision));  // without bytes it is not held up
  CHECK(arrivals.times_s[3] == about(2e-6 + 4e-3, precision));
  CHECK(arrivals.order == std::vector<std::size_t>{2, 0, 1, 3});
}

TEST_CASE("simgrid: connections that end a message at the same moment all go on with their next one") {
  const HandMadeRoutes routes = HandMadeRoutes::star(6, 1e9, 1e-6);
  std::vector<Sending> sendings;
  for (int message = 0; message < 3; ++message)
    for (int i = 0; i < 6; ++i) sendings.push_back({0, i, (i + 1) % 6, 1e6});
  const std::vector<double> ends_s = times_s(routes, sendings);
  for (std::size_t i = 0; i < ends_s.size(); ++i)
    CHECK(ends_s[i] == about(2e-6 + 1e-3 * static_cast<double>(i / 6 + 1), precision));
}

/// Workers 0 and 1 reach worker 2 over links of different latency and one link that they share.
HandMadeRoutes near_and_far(double near_s, double far_s) {
  HandMadeRoutes routes(3);
  const LinkIndex near = routes.add_link(0, 3, 4e9, near_s);
  const LinkIndex far = routes.add_link(1, 3, 4e9, far_s);
  const LinkIndex shared = routes.add_link(3, 2, 1e9, 0);
  routes.add_route(0, 2, {near, shared});
  routes.add_route(1, 2, {far, shared});
  return routes;
}

TEST_CASE("simgrid: transfers that compete get rates in inverse proportion to their latencies") {
  // Latencies of 1 and 3 µs give rates of 3:1 until the near message has sent its 3 MB, after 4 ms; then the
  // far message, of whose 3 MB 1 MB has passed, has all the bandwidth for 2 ms.
  const std::vector<double> ends_s = times_s(near_and_far(1e-6, 3e-6), {{2e-6, 0, 2, 3e6}, {0, 1, 2, 3e6}});
  CHECK(ends_s[0] == about(3e-6 + 4e-3, precision));
  CHECK(ends_s[1] == about(3e-6 + 6e-3, precision));
}

TEST_CASE("simgrid: S bytes at the bandwidths of a route count as latency where transfers compete") {
  // Penalties 1 µs + S(1/4 + 1) ns and 3 µs + S(1/4 + 1) ns: for S = 800 2 µs and 4 µs, so 2:1.
  const std::vector<double> ends_s =
      times_s(near_and_far(1e-6, 3e-6), {{2e-6, 0, 2, 2e6}, {0, 1, 2, 2e6}}, {.weight_s_bytes = 800});
  CHECK(ends_s[0] == about(3e-6 + 3e-3, precision));
  CHECK(ends_s[1] == about(3e-6 + 4e-3, precision));
}

TEST_CASE("simgrid: without latency S alone counts, and without both a transfer competes as if it had 1 ns") {
  // Penalties S(1/4 + 1) ns and 3 µs more: for S = 2400 3 µs and 6 µs, so 2:1.
  const std::vector<double> ends_s =
      times_s(near_and_far(0, 3e-6), {{3e-6, 0, 2, 2e6}, {0, 1, 2, 2e6}}, {.weight_s_bytes = 2400});
  CHECK(ends_s[0] == about(3e-6 + 3e-3, precision));
  CHECK(ends_s[1] == about(3e-6 + 4e-3, precision));
  // Latencies of 0, which counts as 1 ns, and of 3 ns give rates of 3:1.
  const std::vector<double> by_latency_s =
      times_s(near_and_far(0, 3e-9), {{3e-9, 0, 2, 3e6}, {0, 1, 2, 3e6}});
  CHECK(by_latency_s[0] == about(3e-9 + 4e-3, precision));
  CHECK(by_latency_s[1] == about(3e-9 + 6e-3, precision));
  for (const double end_s : times_s(near_and_far(0, 0), {{0, 0, 2, 2e6}, {0, 1, 2, 2e6}}))
    CHECK(end_s == about(4e-3, precision));
}

TEST_CASE(
    "simgrid: LV08 multiplies latency by 13.01 and bandwidth by 0.97, alone and where transfers share") {
  const HandMadeRoutes routes = HandMadeRoutes::star(3, 1e9, 1e-6);
  const SimGridOptions options = {.model = "LV08"};
  CHECK(times_s(routes, {{0, 0, 1, 1e6}}, options)[0] == about(13.01 * 2e-6 + 1e-3 / 0.97, precision));
  CHECK(times_s(routes, {{0, 0, 2, 1e6}, {0, 1, 2, 1e6}}, options)[1] ==
        about(13.01 * 2e-6 + 2e-3 / 0.97, precision));
}

TEST_CASE("simgrid: given factors of latency and bandwidth replace those of the model") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  CHECK(times_s(routes, {{0, 0, 1, 1e6}}, {.latency_factor = 2, .bandwidth_factor = 0.5})[0] ==
        about(4e-6 + 2e-3, precision));
}

TEST_CASE("simgrid: a TCP window of γ bytes limits a transfer to γ over twice its latency") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 12.5e9, 5e-3);
  CHECK(times_s(routes, {{0, 0, 1, 1e9}}, {.tcp_gamma_bytes = 4e6})[0] ==
        about(10e-3 + 1e9 / (4e6 / 20e-3), precision));
  CHECK(times_s(routes, {{0, 0, 1, 1e9}}, {.tcp_gamma_bytes = 4e9})[0] ==
        about(10e-3 + 1e9 / 12.5e9, precision));
}

TEST_CASE("simgrid: with cross-traffic a transfer's acknowledgments take 5 % of the way back") {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, 1e9, 1e-6);
  // Each direction carries the bytes of one transfer and 5 % of the other's.
  const std::vector<Sending> sendings = {{0, 0, 1, 1e6}, {0, 1, 0, 1e6}};
  for (const double end_s : times_s(routes, sendings, {.cross_traffic = true})) {
    CHECK(end_s == about(2e-6 + 1.05e-3, precision));
  }
  for (const double end_s : times_s(routes, sendings)) CHECK(end_s == about(2e-6 + 1e-3, precision));
}

/// The times in seconds at which the messages of the uneven star arrive if SimGrid's own actors send them.
std::vector<double> actors_times_s(const std::string& simgrid_options) {
  std::FILE* output =
      popen(("'" SIMGRID_ACTORS "' --log=root.thres:critical " + simgrid_options).c_str(), "r");
  REQUIRE(output != nullptr);
  std::vector<double> times_s;
  double time_s = 0;
  while (std::fscanf(output, "%lf", &time_s) == 1) times_s.push_back(time_s);
  REQUIRE(pclose(output) == 0);
  return times_s;
}

void check_like_actors(const SimGridOptions& options, const std::string& simgrid_options) {
  using uneven_star::workers;
  HandMadeRoutes routes(workers);
  for (int link = 0; link < 2 * workers; ++link) {
    const bool is_up = link < workers;
    routes.add_link(is_up ? link : workers, is_up ? workers : link - workers,
                    uneven_star::bandwidth_Bps(link), uneven_star::latency_s(link));
  }
  std::vector<Sending> sendings;
  for (const uneven_star::Message& message : uneven_star::messages()) {
    routes.add_route(message.source, message.destination, {message.source, workers + message.destination});
    sendings.push_back(
        {message.at_s, message.source, message.destination, static_cast<double>(message.bytes)});
  }
  CAPTURE(simgrid_options);
  const std::vector<double> theirs_s = actors_times_s("--cfg=surf/precision:1e-12 " + simgrid_options);
  const std::vector<double> ours_s = times_s(routes, sendings, options);
  REQUIRE(theirs_s.size() == ours_s.size());
  for (std::size_t i = 0; i < ours_s.size(); ++i) CHECK(ours_s[i] == about(theirs_s[i], precision));
}

TEST_CASE("simgrid: thirty messages that contend on uneven links arrive as SimGrid's own actors send them") {
  check_like_actors({}, "--cfg=network/model:CM02 --cfg=network/crosstraffic:no --cfg=network/TCP-gamma:0");
  check_like_actors({.cross_traffic = true, .tcp_gamma_bytes = 4000},
                    "--cfg=network/model:CM02 --cfg=network/crosstraffic:yes --cfg=network/TCP-gamma:4000");
  check_like_actors({.model = "LV08"}, "--cfg=network/crosstraffic:no --cfg=network/TCP-gamma:0");
  // SimGrid's defaults, without options.
  check_like_actors({.model = "LV08", .cross_traffic = true, .tcp_gamma_bytes = 4194304}, "");
}

}  // namespace
}  // namespace starling

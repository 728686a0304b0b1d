#include <doctest/doctest.h>

#include <cstddef>
#include <random>
#include <vector>

#include "fair_sending.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/networks/transfers.hpp"

namespace starling {
namespace {

TEST_CASE("fair: a ring all-reduce takes the same time as in the event model, up to rounding") {
  constexpr int workers = 16;
  const auto makespan_s = [&](NetworkModel& network, const Routes& routes) {
    SimulatedWorld world(routes, network);
    world.run([](Worker& worker) {
      for (int step = 0; step < 2 * (workers - 1); ++step) {
        const int sent = (worker.rank() + workers - step % workers) % workers;
        const int received = (sent + workers - 1) % workers;
        worker.send_receive(Buffer::sized(10'000 + 100 * sent), (worker.rank() + 1) % workers,
                            Buffer::sized(10'000 + 100 * received), (worker.rank() + workers - 1) % workers,
                            0);
      }
    });
    return world.statistics().makespan_s;
  };
  const HandMadeRoutes star = HandMadeRoutes::star(workers, 12.5e9, 0.5e-6);
  EventNetwork event(star);
  FairNetwork fair(star);
  CHECK(makespan_s(fair, star) == about(makespan_s(event, star)));
}

/// Both models are exact up to an epsilon of 1e-9 and SimGrid's time precision, 1e-12 s in durations of some
/// 1e-4 s: 1e-8 for each change of rates, of which a message sees some dozens.
constexpr double simgrid_precision = 1e-6;

TEST_CASE("fair: with equal latencies, messages arrive at the same times as in SimGrid's CM02") {
  const HandMadeRoutes routes = HandMadeRoutes::star(7, 1e9, 1e-6);
  SimGridNetwork simgrid(routes);
  const std::vector<double> expected_s = send_all(simgrid, busy(7), 1e4).times_s;
  const std::vector<double> ends_s = arrivals_s(routes, busy(7), exact);
  for (std::size_t i = 0; i < ends_s.size(); ++i) CHECK(ends_s[i] == about(expected_s[i], simgrid_precision));
}

TEST_CASE("fair: with weights by latency, messages arrive at the same times as in SimGrid's CM02") {
  // SimGrid lets a message wait for its latency and then flow, fair lets it flow first. So that both flow at
  // the same time, each message is sent later by its latency here, which is subtracted from its arrival.
  HandMadeRoutes routes(6);
  for (int i = 0; i < 12; ++i)
    routes.add_link(i % 6, 6, 1e9 * (1 + 0.37 * (7 * i % 5)), 1e-6 * (1 + 3 * i % 7));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (i != j) routes.add_route(i, j, {i, 6 + j});
  SimGridNetwork simgrid(routes);
  const std::vector<Sending> sendings = busy(6);
  const std::vector<double> expected_s = send_all(simgrid, sendings, 1e4).times_s;
  std::vector<Sending> later = sendings;
  std::vector<double> latencies_s;
  for (Sending& sending : later) {
    latencies_s.push_back(routes.links()[static_cast<std::size_t>(sending.source)].latency_s +
                          routes.links()[static_cast<std::size_t>(6 + sending.destination)].latency_s);
    sending.at_s += latencies_s.back();
  }
  const std::vector<double> ends_s = arrivals_s(routes, later, {.epsilon = 1e-9, .weight_s_bytes = 0.0});
  for (std::size_t i = 0; i < ends_s.size(); ++i)
    CHECK(ends_s[i] - latencies_s[i] == about(expected_s[i], simgrid_precision));
}

TEST_CASE("fair: iterations of averaging with neighbors take the same time as in SimGrid, within 0.1 %") {
  // The tolerance is a fifth of the default epsilon: errors of single messages, of up to epsilon, average out
  // over the messages that an iteration waits for.
  for (const unsigned seed : {1U, 2U, 3U}) {
    const HandMadeRoutes routes = HandMadeRoutes::star(24, 1e9, 1e-6);
    const auto makespan_s = [&](NetworkModel& network) {
      SimulatedWorld world(routes, network);
      world.run([&](Worker& worker) {
        std::mt19937 random(100 * seed + static_cast<unsigned>(worker.rank()));
        const Buffer model = Buffer::sized(250'000);
        for (int iteration = 0; iteration < 5; ++iteration) {
          worker.compute(1e-3 * static_cast<double>(random() % 1000) / 1000);
          std::vector<Request> requests;
          for (const int shift : {1, 5, 7, 17, 19, 23}) {
            requests.push_back(worker.irecv(model, (worker.rank() + 24 - shift) % 24, 0));
            requests.push_back(worker.isend(model, (worker.rank() + shift) % 24, 0));
          }
          for (Request& request : requests) worker.wait(request);
        }
      });
      return world.statistics().makespan_s;
    };
    SimGridNetwork simgrid(routes);
    FairNetwork fair(routes);
    CHECK(makespan_s(fair) == about(makespan_s(simgrid), 1e-3));
  }
}

}  // namespace
}  // namespace starling

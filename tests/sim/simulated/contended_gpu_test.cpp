#include "sim/simulated/contended_gpu.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/event.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"
#include "tests/sim/simulated/slow_star.hpp"

namespace starling {
namespace {

constexpr double slowdown = 0.25;
constexpr Tag some_tag = 3;

/// Runs `body` on rank 0 of two; rank 1 sends it a message for each pair of start time and number of bytes.
void with_messages(const std::vector<std::pair<double, double>>& start_s_and_bytes,
                   const std::function<void(Worker&)>& body, double slowdown_of_world = slowdown,
                   double reduction_s_per_byte = 0) {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, slow_star_Bps, 0);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, {.reduction_s_per_byte = reduction_s_per_byte}, nullptr,
                       slowdown_of_world);
  world.run([&](Worker& worker) {
    if (worker.rank() == 0) return body(worker);
    for (const auto& [start_s, bytes] : start_s_and_bytes) {
      worker.sleep_until(start_s);
      worker.send(Buffer::sized(static_cast<std::int64_t>(bytes), 1.0), 0, some_tag);
    }
  });
}

/// Computes for 8 s from 10 s on, while another strand receives a message from start_s to start_s +
/// duration_s. Returns how many seconds computing took.
double computing_s(double start_s, double duration_s, double slowdown_of_world = slowdown) {
  constexpr double begin_s = 10;
  double took_s = 0;
  const double bytes = duration_s * slow_star_Bps;
  with_messages(
      {{start_s, bytes}},
      [&](Worker& worker) {
        Event received(worker);
        worker.spawn("communication", [&] {
          worker.sleep_until(start_s);
          worker.receive(Buffer::sized(static_cast<std::int64_t>(bytes), 1.0), 1, some_tag);
          received.set();
        });
        worker.sleep_until(begin_s);
        worker.compute(8);
        took_s = worker.now() - begin_s;
        received.wait();
      },
      slowdown_of_world);
  return took_s;
}

TEST_CASE("computing takes 1 + s times as long while communication is under way, and only then") {
  const auto is = [](double expected_s) { return about(expected_s); };
  SUBCASE("messages before and after computing") {
    CHECK(computing_s(1, 9) == is(8));
    CHECK(computing_s(18, 5) == is(8));
  }
  SUBCASE("a message under way all the time") { CHECK(computing_s(9, 30) == is(8 * 1.25)); }
  SUBCASE("a message that begins and ends together with computing") { CHECK(computing_s(10, 10) == is(10)); }
  SUBCASE("a message that ends during computing: in 5 s the work of 4 s is done") {
    CHECK(computing_s(5, 10) == is(5 + 4));
  }
  SUBCASE("a message that begins during computing: 6 s are done before and 2 s are left") {
    CHECK(computing_s(16, 30) == is(6 + 2 * 1.25));
  }
  SUBCASE("a message within computing: 1 s before, 5 s with the work of 4 s, 3 s after") {
    CHECK(computing_s(11, 5) == is(1 + 5 + 3));
  }
  SUBCASE("a slowdown of 0") { CHECK(computing_s(11, 5, 0) == 8); }
}

TEST_CASE("several messages at once slow computing no more than one does") {
  with_messages({{1, 4000}, {2, 4000}}, [](Worker& worker) {
    Request first = worker.irecv(Buffer::sized(4000, 1.0), 1, some_tag);
    Request second = worker.irecv(Buffer::sized(4000, 1.0), 1, some_tag);
    worker.compute(12);  // both messages have arrived at 9 s; by then 9/1.25 = 7.2 s of the 12 s are done
    CHECK(worker.now() == about(9 + 4.8));
    worker.wait(first);
    worker.wait(second);
  });
}

/// Runs `body` on two workers of a star whose GPUs communication slows down.
void on_slow_star(const std::function<void(Worker&)>& body) {
  const HandMadeRoutes routes = HandMadeRoutes::star(2, slow_star_Bps, 0);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, {}, nullptr, slowdown);
  world.run(body);
}

TEST_CASE("a message slows its sender until it has arrived, though sending is over at once") {
  on_slow_star([](Worker& worker) {
    if (worker.rank() == 1) return worker.receive(Buffer::sized(5000, 1.0), 0, some_tag);
    worker.send(Buffer::sized(5000, 1.0), 1, some_tag);
    CHECK(worker.now() == 0);
    worker.compute(8);
    CHECK(worker.now() == about(5 + 4));
  });
}

/// Rank 0 sends 5,000 bytes to rank 1.
class OneExchange final : public ExchangeSequence {
 public:
  OneExchange(Rank rank, MessageKind kind) : rank_(rank), kind_(kind) {}
  MessageKind kind() const override { return kind_; }
  bool next(Exchange& exchange) override {
    exchange = {};
    if (rank_ == 0) exchange.destination = 1;
    if (rank_ == 1) exchange.source = 0;
    exchange.outgoing = exchange.incoming = Buffer::sized(5000, 1.0);
    return !std::exchange(is_over_, true);
  }

 private:
  Rank rank_;
  MessageKind kind_;
  bool is_over_ = false;
};

TEST_CASE("a collective slows computing from when its worker joins it, control messages do not") {
  for (const MessageKind kind : {MessageKind::data, MessageKind::ring, MessageKind::control}) {
    on_slow_star([&](Worker& worker) {
      OneExchange exchange(worker.rank(), kind);
      if (worker.rank() == 0) {
        worker.sleep_until(5);
        return worker.run_exchanges(exchange, some_tag);
      }
      Event ended(worker);
      worker.spawn("communication", [&] {
        worker.run_exchanges(exchange, some_tag);  // until 10 s
        ended.set();
      });
      worker.sleep_until(0.5);
      worker.compute(19);
      CHECK(worker.now() == about(kind != MessageKind::control ? 10 + 19 - 9.5 / 1.25 : 19.5));
      ended.wait();
    });
  }
}

TEST_CASE("control messages between message processors slow no computing while they are under way") {
  for (const MessageKind kind : {MessageKind::data, MessageKind::ring, MessageKind::control}) {
    on_slow_star([&](Worker& worker) {
      OneExchange exchange(worker.rank(), kind);
      worker.run_exchanges(exchange, some_tag);
      if (worker.rank() == 1) return;
      CHECK(worker.now() == 0);  // the message is on its way until 5 s
      worker.compute(8);
      CHECK(worker.now() == about(kind != MessageKind::control ? 5 + 4 : 8));
    });
  }
}

TEST_CASE("adding up received data slows computing as communication does") {
  with_messages(
      {},
      [](Worker& worker) {
        Event ended(worker);
        worker.spawn("adding", [&] {
          worker.accumulate(Buffer::sized(5, 1.0), Buffer::sized(5, 1.0));
          CHECK(worker.now() == about(5));
          ended.set();
        });
        worker.compute(8);
        CHECK(worker.now() == about(5 + 4));
        ended.wait();
      },
      slowdown, 1);
}

TEST_CASE("notifications and delays are not slowed down and slow nothing down") {
  with_messages({{1, 8000}}, [](Worker& worker) {
    Request receiving = worker.irecv(Buffer::sized(8000, 1.0), 1, some_tag);
    worker.delay(4);
    CHECK(worker.now() == 4);
    worker.compute(4);
    CHECK(worker.now() == about(9));
    worker.notify(0, 1);
    worker.compute(1);
    CHECK(worker.now() == about(10));
    worker.wait(receiving);
  });
}

TEST_CASE("strands that compute on a slowed GPU take turns") {
  with_messages({{0, 5000}}, [](Worker& worker) {
    Request receiving = worker.irecv(Buffer::sized(5000, 1.0), 1, some_tag);  // until 5 s
    std::vector<double> ends_s;
    Event ended(worker);
    worker.spawn("another", [&] {
      worker.compute(2);
      ends_s.push_back(worker.now());
      ended.set();
    });
    worker.compute(3);
    ends_s.push_back(worker.now());
    ended.wait();
    worker.wait(receiving);
    CHECK(ends_s.size() == 2);
    CHECK(ends_s.front() == about(3.75));
    CHECK(ends_s.back() == about(5 + 1));
  });
}

TEST_CASE("too long a computation on a GPU with a slowdown is refused with the same error as without one") {
  const char* const error =
      "worker 0 would compute for 1e+16 s at once, but at most 1e+15 s can be simulated; check compute times "
      "and imbalance, which multiplies them";
  CHECK_THROWS_WITH_AS(with_messages({}, [](Worker& worker) { worker.compute(1e16); }), error,
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(with_messages({}, [](Worker& worker) { worker.delay(1e16); }), error,
                       std::runtime_error);
}

}  // namespace
}  // namespace starling

#include "sim/simulated/exchange_runner.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/errors.hpp"
#include "sim/event.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"
#include "tests/sim/networks/hand_made_routes.hpp"

namespace starling {
namespace {

/// A sequence of exchanges given as a list.
class Listed : public ExchangeSequence {
 public:
  explicit Listed(std::vector<Exchange> exchanges, MessageKind kind = MessageKind::data)
      : exchanges_(std::move(exchanges)), kind_(kind) {}
  MessageKind kind() const override { return kind_; }
  bool next(Exchange& exchange) override {
    if (next_ == exchanges_.size()) return false;
    exchange = exchanges_[next_++];
    return true;
  }

 private:
  std::vector<Exchange> exchanges_;
  MessageKind kind_;
  std::size_t next_ = 0;
};

struct Times {
  std::vector<double> end_s;
  double makespan_s;
  bool operator==(const Times&) const = default;
};

/// Every rank shifts messages of different sizes around the star after computing for a while. Returns when.
/// The numbers are such that no two things happen at the same time, as their order would be open.
enum class By { plain_loop, strand, steps };
Times shift_around(int workers, MessageCosts costs, const std::vector<int>& sizes, By by) {
  const HandMadeRoutes routes = HandMadeRoutes::star(workers, 997, 0.5003);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, costs);
  Times times{.end_s = std::vector<double>(static_cast<std::size_t>(workers)), .makespan_s = 0};
  world.run([&](Worker& worker) {
    std::vector<Exchange> exchanges;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const int shift = 1 + static_cast<int>(i) % (workers - 1);
      Exchange exchange;
      exchange.outgoing = exchange.incoming = exchange.sum = Buffer::sized(sizes[i]);
      exchange.destination = (worker.rank() + shift) % workers;
      exchange.source = (worker.rank() - shift + workers) % workers;
      exchange.is_reducing = i % 2 == 0;
      exchanges.push_back(exchange);
    }
    Listed sequence(exchanges);
    worker.compute(worker.rank() * 0.7654321);
    if (by == By::plain_loop) worker.Worker::run_exchanges(sequence, 3);
    if (by == By::strand) worker.run_exchanges(sequence, 3);
    if (by == By::steps) {
      Event complete(worker);
      worker.spawn_stepwise("steps", [&] {
        if (worker.poll_exchanges(sequence, 3)) complete.set();
      });
      complete.wait();
    }
    times.end_s[static_cast<std::size_t>(worker.rank())] = worker.now();
  });
  times.makespan_s = world.statistics().makespan_s;
  return times;
}

TEST_CASE("exchanges take the same time as the loop of messages that defines them") {
  CHECK(rc::check(
      [](const std::vector<unsigned char>& random, bool has_overhead, bool reduces, bool is_rendezvous) {
        const MessageCosts costs{.overhead_s = has_overhead ? 0.1234567 : 0,
                                 .reduction_s_per_byte = reduces ? 0.0020307 : 0,
                                 .eager_threshold_bytes = is_rendezvous ? 400.0 : 1e9};
        const std::vector<int> sizes(random.begin(), random.end());
        // A rendezvous ends for both sides at the same time. With a third worker it would be open which of
        // the two is the first in that worker's queue.
        for (const int workers : is_rendezvous ? std::vector{2} : std::vector{2, 3, 5})
          for (const By by : {By::strand, By::steps})
            RC_ASSERT(shift_around(workers, costs, sizes, by) ==
                      shift_around(workers, costs, sizes, By::plain_loop));
      }));
}

/// Runs one exchange per rank.
void exchange_once(int workers, const std::function<Exchange(Rank)>& exchange_of) {
  const HandMadeRoutes routes = HandMadeRoutes::star(workers, 1000, 0.5);
  EventNetwork network(routes);
  SimulatedWorld world(routes, network, {});
  world.run([&](Worker& worker) {
    Listed sequence({exchange_of(worker.rank())});
    worker.run_exchanges(sequence, 6);
  });
}

TEST_CASE("a reducing exchange adds what it receives to its sum, another one leaves it where it came in") {
  std::vector<std::vector<float>> outgoing = {{1, 2}, {10, 20}};
  std::vector<std::vector<float>> incoming = {{0, 0}, {0, 0}};
  std::vector<std::vector<float>> sum = {{100, 100}, {5, 5}};
  exchange_once(2, [&](Rank rank) {
    const auto i = static_cast<std::size_t>(rank);
    Exchange exchange;
    exchange.destination = exchange.source = 1 - rank;
    exchange.outgoing = Buffer::real(outgoing[i]);
    exchange.incoming = Buffer::real(incoming[i]);
    exchange.sum = Buffer::real(sum[i]);
    exchange.is_reducing = rank == 0;
    return exchange;
  });
  CHECK(sum[0] == std::vector<float>{110, 120});
  CHECK(sum[1] == std::vector<float>{5, 5});
  CHECK(incoming[1] == std::vector<float>{1, 2});
}

TEST_CASE("adding up data takes time, adding up control messages takes none") {
  for (const MessageKind kind : {MessageKind::data, MessageKind::ring, MessageKind::control}) {
    const HandMadeRoutes routes = HandMadeRoutes::star(2, 1000, 0.5);
    EventNetwork network(routes);
    SimulatedWorld world(routes, network, {.reduction_s_per_byte = 0.25});
    world.run([&](Worker& worker) {
      Exchange exchange;
      exchange.destination = exchange.source = 1 - worker.rank();
      exchange.outgoing = exchange.incoming = exchange.sum = Buffer::sized(2, 4);
      exchange.is_reducing = true;
      Listed sequence({exchange}, kind);
      worker.run_exchanges(sequence, 6);
      CHECK(worker.now() == about(1.008 + (kind != MessageKind::control ? 2 : 0)));
    });
  }
}

TEST_CASE("an exchange that never completes is a deadlock that names its message") {
  CHECK_THROWS_WITH_AS(exchange_once(2,
                                     [](Rank rank) {
                                       Exchange exchange;
                                       exchange.source = 1 - rank;
                                       return exchange;
                                     }),
                       "deadlock at 0 s: 2 strands wait and no event is pending\n"
                       "  rank 0 (main) waits for a message from rank 1 with tag 6\n"
                       "  rank 1 (main) waits for a message from rank 0 with tag 6",
                       DeadlockError);
}

TEST_CASE("an exchange whose message does not fit is an error of its receiver") {
  CHECK_THROWS_WITH_AS(exchange_once(2,
                                     [](Rank rank) {
                                       Exchange exchange;
                                       exchange.source = exchange.destination = 1 - rank;
                                       exchange.outgoing = Buffer::sized(rank);
                                       exchange.incoming = Buffer::sized(1);
                                       return exchange;
                                     }),
                       "rank 1 expects 1 elements from rank 0 with tag 6, but the message has 0",
                       CommunicationError);
  CHECK_THROWS_WITH_AS(exchange_once(1,
                                     [](Rank) {
                                       Exchange exchange;
                                       exchange.destination = 7;
                                       return exchange;
                                     }),
                       "rank 0 cannot send to rank 7 (tag 6): ranks are 0 … 0", CommunicationError);
}

}  // namespace
}  // namespace starling

#include "algorithms/training/shared/communication_stream.hpp"

#include <doctest/doctest.h>

#include "algorithms/collectives/collectives.hpp"
#include "sim/networks/event/event_network.hpp"
#include "tests/algorithms/training/training_fixture.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

/// Two workers with α = 1 s and β = 1 s per byte: a ring all-reduce of m bytes takes 2 + m seconds.
void run_pair(const std::function<void(Worker&)>& body) {
  const StarOptions star{.link = {.bandwidth_Bps = 1, .latency_s = 0.5}};
  const Network network = build_network({.workers = 2, .network = {.kind = star}});
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  world.run(body);
}

TEST_CASE("a stream runs what is issued one after the other, beside the strand that issues it") {
  const auto small = make_allreduce(CollectiveKind::ring, 2, 2);   // 10 s
  const auto large = make_allreduce(CollectiveKind::ring, 2, 10);  // 42 s
  run_pair([&](Worker& worker) {
    CommunicationStream stream(worker, 1);
    stream.issue(*large, Buffer::sized(10), {"all-reduce", 0});
    stream.issue(*small, Buffer::sized(2), {"all-reduce", 1});
    CHECK(stream.issued() == 2);
    worker.compute(20);
    CHECK(worker.now() == 20);
    stream.wait_for(1);
    CHECK(worker.now() == about(42));
    stream.wait_for_all();
    CHECK(worker.now() == about(52));
    stream.close();
  });
}

TEST_CASE("closing a stream completes what was issued") {
  const auto schedule = make_allreduce(CollectiveKind::ring, 2, 2);
  run_pair([&](Worker& worker) {
    std::vector<float> data = {1, 2};
    CommunicationStream stream(worker, 1);
    stream.issue(*schedule, Buffer::real(data), {"all-reduce", 0});
    stream.close();
    CHECK(worker.now() == about(10));
    CHECK(data == std::vector<float>{2, 4});
  });
}

TEST_CASE("a stream that nothing was issued to ends at once") {
  run_pair([](Worker& worker) {
    CommunicationStream stream(worker, 1);
    stream.wait_for_all();
    stream.close();
    CHECK(worker.now() == 0);
  });
}

}  // namespace
}  // namespace starling

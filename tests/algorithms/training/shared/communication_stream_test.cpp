#include "algorithms/training/shared/communication_stream.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

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

TEST_CASE("a communication stream runs collectives one after the other, beside the strand that issues them") {
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

TEST_CASE("closing a communication stream completes what was issued to it") {
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

TEST_CASE("a communication stream without collectives ends at once") {
  run_pair([](Worker& worker) {
    CommunicationStream stream(worker, 1);
    stream.wait_for_all();
    stream.close();
    CHECK(worker.now() == 0);
  });
}

/// What a timeline tells of collectives of the first worker, in order.
struct ToldCollectives final : TraceSink {
  std::vector<std::string> names;
  std::vector<CollectiveSpan> all;

  void span(Rank rank, std::string_view, std::string_view, double, double,
            const SpanDetails& details) override {
    if (rank != 0 || details.collective.name.empty()) return;
    names.emplace_back(details.collective.name);
    all.push_back(details.collective);
  }
};

TEST_CASE("a timeline gives the number of ranks of a collective, and of the elements that come in and out") {
  const Workload workload = workload_of({{.tensors = {32}, .forward_s = 1, .backward_s = 1}});
  ToldCollectives whole;
  train(DearOptions{}, workload, {.cluster = {.workers = 4}, .iterations = 2, .trace = &whole});
  REQUIRE(whole.names.size() >= 2);
  CHECK(whole.names[0] == "_reduce_scatter_base");
  CHECK(whole.names[1] == "_all_gather_base");
  CHECK(whole.all[0].in_elements == 32);
  CHECK(whole.all[0].out_elements == 8);
  CHECK(whole.all[1].in_elements == 8);
  CHECK(whole.all[1].out_elements == 32);
  for (const CollectiveSpan& collective : whole.all) CHECK(collective.ranks == 4);

  ToldCollectives pairs;
  train(DecentralizedAdamOptions{.graph = "one_peer_ring"}, workload,
        {.cluster = {.workers = 4}, .iterations = 2, .trace = &pairs});
  REQUIRE(!pairs.all.empty());
  for (const CollectiveSpan& collective : pairs.all) CHECK(collective.ranks == 2);
}

}  // namespace
}  // namespace starling

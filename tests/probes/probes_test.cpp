// Networks and jobs small enough that their times follow from a line of arithmetic, which stands beside each.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <functional>

#include "algorithms/collectives/runner.hpp"
#include "algorithms/collectives/schedules/ring.hpp"
#include "sim/event.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "sim/queue.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"

namespace starling {
namespace {

constexpr double bandwidth_Bps = 12.5e9;
constexpr double latency_s = 0.5e-6;  // of each of the two links between workers: 1 µs end to end
constexpr double bucket_bytes = 10e6;

// All models meet the closed forms but for the rounding of doubles and SimGrid's time precision of 1e-12 s.
constexpr double precision = 1e-6;

doctest::Approx near(double value) { return starling::about(value, precision); }

Buffer sized_bytes(double bytes) {
  return Buffer::sized(static_cast<std::int64_t>(bytes / Buffer::bytes_per_float));
}

template <typename Model>
Model make_model(const Network& network) {
  return Model(network);
}

/// Acknowledgments would share the links with what is sent in the opposite direction.
template <>
TcpNetwork make_model(const Network& network) {
  return TcpNetwork(network, {.acknowledgment_bytes = 0});
}

/// How long `body` takes on a star.
template <typename Model>
double makespan_s(int workers, const std::function<void(Worker&)>& body) {
  const Network network = network_of(workers, StarOptions{{bandwidth_Bps, latency_s}});
  Model model = make_model<Model>(network);
  SimulatedWorld world(network, model);
  world.run(body);
  return world.statistics().makespan_s;
}

TEST_CASE_TEMPLATE("eight senders of 10 MB into one port take 6.40 ms and the latency", Model, EventNetwork,
                   FairNetwork, SimGridNetwork, TcpNetwork) {
  const double end_s = makespan_s<Model>(9, [](Worker& worker) {
    if (worker.rank() < 8) return worker.send(sized_bytes(10e6), 8, 0);
    for (Rank source = 0; source < 8; ++source) worker.receive(sized_bytes(10e6), source, 0);
  });
  CHECK(end_s == near(8 * 10e6 / bandwidth_Bps + 2 * latency_s));
}

TEST_CASE_TEMPLATE("a ring over a switch pays each byte once, as cut-through allows", Model, EventNetwork,
                   FairNetwork, SimGridNetwork, TcpNetwork) {
  // Stored and forwarded, a chunk would pay its bytes on both links: nearly twice as long.
  const int workers = 16;
  const double bytes = 64e6;
  const RingSchedule ring(RingSchedule::Phase::allreduce, workers, sized_bytes(bytes).count());
  const double end_s =
      makespan_s<Model>(workers, [&](Worker& worker) { run_schedule(worker, ring, sized_bytes(bytes), 0); });
  CHECK(end_s == near(2 * (workers - 1) * (2 * latency_s + bytes / workers / bandwidth_Bps)));
}

/// A backward pass of 10 blocks; after each an all-reduce of its 10 MB starts, in order, beside the next
/// ones. Rank 0 computes `slowness` times as long as the others.
template <typename Model>
double overlapped_backward_s(int workers, double slowness = 1) {
  constexpr int blocks = 10;
  constexpr double block_s = 10e-3;
  const Buffer gradient = sized_bytes(bucket_bytes);
  const RingSchedule ring(RingSchedule::Phase::allreduce, workers, gradient.count());
  return makespan_s<Model>(workers, [&](Worker& worker) {
    Queue<int> ready(worker, "blocks");
    Event reduced(worker, "all blocks reduced");
    worker.spawn("communication", [&] {
      for (int block = 0; block < blocks; ++block) run_schedule(worker, ring, gradient, *ready.pop());
      reduced.set();
    });
    for (int block = 0; block < blocks; ++block) {
      worker.compute(worker.rank() == 0 ? slowness * block_s : block_s);
      ready.push(block);
    }
    reduced.wait();
  });
}

/// A ring all-reduce of 10 MB, T = 2(P−1)·1 µs + 2(P−1)/P · 10 MB/12.5 GB/s, ends before the next begins:
/// only the last one shows. P = 8: 14 µs + 1.4 ms; 64: 126 µs + 1.575 ms; 256: 510 µs + 1.59375 ms; 1,024:
/// 2,046 µs + 1.59844 ms.
struct Overlap {
  int workers;
  double expected_s;
};
constexpr Overlap overlaps[] = {{8, 101.414e-3}, {64, 101.701e-3}, {256, 102.104e-3}, {1024, 103.644e-3}};

template <typename Model>
void check_overlaps(int largest) {
  for (const Overlap& overlap : overlaps) {
    if (overlap.workers > largest) continue;
    CAPTURE(overlap.workers);
    const double end_s = overlapped_backward_s<Model>(overlap.workers);

    // The figures are rounded to 1 µs; and at P = 1,024 a chunk is 2441.4 floats, so some are 2,442: 2 ·
    // 1,023 messages of 0.6 floats more take 0.4 µs.
    CHECK(std::abs(end_s - overlap.expected_s) <= 1e-6);

    const double chunk_bytes = 4 * std::ceil(bucket_bytes / 4 / overlap.workers);
    CHECK(end_s == near(100e-3 + 2 * (overlap.workers - 1) * (2 * latency_s + chunk_bytes / bandwidth_Bps)));
  }
}

// P = 1,024 is 21 million messages: 2 s, but 20 s with AddressSanitizer, for which fewer do as well.
constexpr int largest_event = has_address_sanitizer ? 256 : 1024;
constexpr int largest_simgrid = has_address_sanitizer ? 64 : 256;
constexpr int largest_tcp = has_address_sanitizer ? 8 : 64;

TEST_CASE("event: ten backward blocks of 10 ms hide all but the last ring all-reduce") {
  check_overlaps<EventNetwork>(largest_event);
}

TEST_CASE("fair: ten backward blocks of 10 ms hide all but the last ring all-reduce") {
  check_overlaps<FairNetwork>(largest_event);
}

TEST_CASE("simgrid: ten backward blocks of 10 ms hide all but the last ring all-reduce") {
  check_overlaps<SimGridNetwork>(largest_simgrid);
}

TEST_CASE("tcp: ten backward blocks of 10 ms hide all but the last ring all-reduce") {
  check_overlaps<TcpNetwork>(largest_tcp);
}

TEST_CASE_TEMPLATE("one worker twice as slow holds everyone up", Model, EventNetwork, FairNetwork,
                   SimGridNetwork, TcpNetwork) {
  // 10 · 20 ms and the last all-reduce.
  CHECK(overlapped_backward_s<Model>(8, 2) == near(200e-3 + 1.414e-3));
}

}  // namespace
}  // namespace starling

#include "analysis/calibration/calibration.hpp"

#include <doctest/doctest.h>

#include "sim/networks/event/event_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

// Simulated clocks show minutes while durations are microseconds: rounding of points in time is at most this
// relative to a duration.
constexpr double rounding_of_durations = 1e-6;

constexpr double overhead_s = 20e-6;
constexpr double true_latency_s = 100e-6;
constexpr double true_Bps = 25e6;
constexpr double reduction_s_per_byte = 2e-10;

/// Four workers, two to a host, on a star.
Calibration calibrate_simulation(MessageCosts costs = {}) {
  costs.overhead_s = overhead_s;
  costs.reduction_s_per_byte = reduction_s_per_byte;
  const Network network = build_network({.workers = 4,
                                         .workers_per_host = 2,
                                         .network = {.kind = StarOptions{.link = {true_Bps, true_latency_s}}},
                                         .intra_host_link = LinkOptions{1e9, 2e-6}});
  EventNetwork model(network);
  SimulatedWorld world(network, model, costs);
  Calibration result;
  world.run([&](Worker& worker) {
    const Calibration own = calibrate(worker, [&] { return worker.now(); });
    if (worker.rank() == 0) result = own;
  });
  return result;
}

TEST_CASE("On a simulated cluster calibration finds the cluster's own parameters") {
  const Calibration found = calibrate_simulation();
  REQUIRE(found.across_hosts);
  CHECK(found.across_hosts->partner == 2);
  REQUIRE(found.across_hosts->one_way.size() == 1);
  const LineFit& line = found.across_hosts->one_way.front();
  CHECK(line.start_s.value == about(2 * overhead_s + 2 * true_latency_s, rounding_of_durations));
  CHECK(line.s_per_unit.value == about(1 / true_Bps, rounding_of_durations));
  CHECK(line.least == 8);
  CHECK(line.greatest == 8 << 20);
  CHECK(found.across_hosts->overhead_s.value == about(overhead_s, rounding_of_durations));
  CHECK_FALSE(found.across_hosts->eager_threshold_bytes);
  CHECK_FALSE(found.across_hosts->send_buffer_bytes);

  REQUIRE(found.within_host);
  CHECK(found.within_host->partner == 1);
  CHECK(found.within_host->one_way.front().start_s.value ==
        about(2 * overhead_s + 2e-6, rounding_of_durations));
  CHECK(found.within_host->one_way.front().s_per_unit.value == about(1e-9, rounding_of_durations));

  CHECK(found.reduction_s_per_byte.value == about(reduction_s_per_byte, rounding_of_durations));
  CHECK(found.greatest_timer_error_s < 1e-9);
}

TEST_CASE("Traffic both ways does not slow a full-duplex link, and two senders share their receiver's link") {
  const Calibration found = calibrate_simulation();
  // Eight messages of 1 MiB take 336 ms at 25 MB/s, and latencies and overheads add at most 0.3 ms to the
  // eight: 1 ‰, within the tolerance of 1 %.
  CHECK(found.across_hosts->one_sided_Bps == about(true_Bps, 0.01));
  CHECK(found.across_hosts->two_sided_Bps == about(true_Bps, 0.01));
  CHECK(*found.fan_in_Bps == about(true_Bps, 0.01));
}

TEST_CASE("The eager threshold is found to within 1 KiB, and messages above it have a line of their own") {
  const Calibration found = calibrate_simulation({.eager_threshold_bytes = 100'000});
  REQUIRE(found.across_hosts->eager_threshold_bytes);
  CHECK(*found.across_hosts->eager_threshold_bytes <= 100'000);
  CHECK(*found.across_hosts->eager_threshold_bytes > 100'000 - 1024);
  // The request to send and its answer pass two links each: four latencies on top of the message's own two.
  const auto& pieces = found.across_hosts->one_way;
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].greatest == 65536);
  CHECK(pieces[1].start_s.value == about(2 * overhead_s + 6 * true_latency_s, rounding_of_durations));
}

TEST_CASE("A send whose end is noticed late is not mistaken for a rendezvous") {
  // Without a buffer, ends of sends are noticed 2 ms late on average. At two of five sizes this is later than
  // the usual arrival of a message, but never later than the extra time for which the receiver holds back.
  const Calibration found =
      calibrate_simulation({.eager_threshold_bytes = 100'000, .send_buffer_bytes = 0, .wake_up_s = 2e-3});
  REQUIRE(found.across_hosts->eager_threshold_bytes);
  CHECK(*found.across_hosts->eager_threshold_bytes <= 100'000);
  CHECK(*found.across_hosts->eager_threshold_bytes > 100'000 - 1024);
}

TEST_CASE("Occasional sends that end very late are not mistaken for a rendezvous") {
  // One in twelve sends ends more than 20 ms late.
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
    CAPTURE(seed);
    const Calibration found = calibrate_simulation(
        {.eager_threshold_bytes = 100'000, .send_buffer_bytes = 0, .wake_up_s = 8e-3, .seed = seed});
    REQUIRE(found.across_hosts->eager_threshold_bytes);
    CHECK(*found.across_hosts->eager_threshold_bytes <= 100'000);
    CHECK(*found.across_hosts->eager_threshold_bytes > 100'000 - 1024);
    const Calibration without =
        calibrate_simulation({.send_buffer_bytes = 0, .wake_up_s = 8e-3, .seed = seed});
    CHECK_FALSE(without.across_hosts->eager_threshold_bytes);
  }
}

TEST_CASE("The capacity of a host's send buffer is found from the duration of sends") {
  const Calibration found = calibrate_simulation({.send_buffer_bytes = 300'000});
  REQUIRE(found.across_hosts->send_buffer_bytes);
  // Points in time after minutes are exact to 1e-13 s, far less than a byte at either link's bandwidth.
  CHECK(found.across_hosts->send_buffer_bytes->value == about(300'000, rounding_of_durations));
  CHECK(found.within_host->send_buffer_bytes->value == about(300'000, rounding_of_durations));
}

TEST_CASE("The error of the send buffer's capacity includes that of the bandwidth at which it drains") {
  const Calibration found = calibrate_simulation({.send_buffer_bytes = 300'000, .wake_up_s = 200e-6});
  const SampleEstimate& buffer_bytes = found.across_hosts->send_buffer_bytes.value();
  const SampleEstimate& s_per_byte = found.across_hosts->one_way.back().s_per_unit;
  const double left_bytes = (8 << 20) - buffer_bytes.value;
  REQUIRE(s_per_byte.standard_error > 0);
  CHECK(buffer_bytes.standard_error >= left_bytes * s_per_byte.standard_error / s_per_byte.value);
}

TEST_CASE("Calibration finds the wake-up time from messages that pairs exchange at the same time") {
  constexpr double wake_up_s = 50e-6;
  const Network network =
      build_network({.workers = 4, .network = {.kind = StarOptions{.link = {true_Bps, true_latency_s}}}});
  EventNetwork model(network);
  SimulatedWorld world(network, model, {.overhead_s = overhead_s, .wake_up_s = wake_up_s});
  Calibration found;
  world.run([&](Worker& worker) {
    const Calibration own = calibrate(worker, [&] { return worker.now(); });
    if (worker.rank() == 0) found = own;
  });
  REQUIRE(found.across_hosts->wake_up_s);
  // Calibration subtracts the shortest trip. The least of n sums of two exponential times is about √(2/n) of
  // the mean of one, 10 % for the 200 trips of a size.
  CHECK(found.across_hosts->wake_up_s->value == about(wake_up_s, 0.15));
  const LineFit& line = found.across_hosts->one_way_beside_others.back();
  CHECK(line.start_s.value == about(2 * overhead_s + 2 * true_latency_s + wake_up_s, 0.05));
  CHECK_FALSE(found.within_host);
}

TEST_CASE("Calibration of a single worker measures reductions and the timer, but no messages") {
  const Network network =
      build_network({.workers = 1, .network = {.kind = StarOptions{.link = {true_Bps, true_latency_s}}}});
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  world.run([&](Worker& worker) {
    const Calibration found = calibrate(worker, [&] { return worker.now(); });
    CHECK_FALSE(found.across_hosts);
    CHECK_FALSE(found.within_host);
    CHECK_FALSE(found.fan_in_Bps);
    CHECK(found.reduction_s_per_byte.value == 0);
  });
}

}  // namespace
}  // namespace starling

#include "analysis/reproduction/collective_latency.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/rounding.hpp"

namespace starling {

namespace {

/// Ranks r sleep for 3 s + r · 1 ms on a network whose messages take next to no time (a femtosecond at most).
CollectiveLatencyOptions free_benchmark(const std::string& kind, int workers) {
  CollectiveLatencyOptions options;
  options.cluster.options.workers = workers;
  options.cluster.options.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e18, .latency_s = 0}};
  options.kind = kind;
  options.message_bytes = 4;
  options.operations = 2000;
  options.first_delay_s = 3;
  options.delay_step_s = 1e-3;
  return options;
}

// Points in time of up to 2000 · 3 s have a rounding of about 1e-12 s.
constexpr double latency_rounding_s = 1e-11;

TEST_CASE("in a synchronous all-reduce every rank waits for the last: the mean latency is (P-1)δ/2") {
  for (const int workers : {2, 7, 32}) {
    CAPTURE(workers);
    const CollectiveLatency latency = measure_collective_latency(free_benchmark("allreduce", workers));
    CHECK(std::abs(latency.mean_s - (workers - 1) * 1e-3 / 2) < latency_rounding_s);
    CHECK(latency.standard_error_s < latency_rounding_s);
    CHECK(latency.mean_active_workers == workers);
  }
}

TEST_CASE("in a solo all-reduce no rank waits, and only the first is active") {
  const CollectiveLatency latency = measure_collective_latency(free_benchmark("eager_solo", 32));
  CHECK(std::abs(latency.mean_s) < latency_rounding_s);
  CHECK(latency.mean_active_workers == 1);
}

TEST_CASE(
    "the operation cost adds to the latency of a solo all-reduce, but not to that of a synchronous one") {
  CollectiveLatencyOptions options = free_benchmark("eager_solo", 8);
  options.operation_cost_s = 0.25e-3;
  CHECK(std::abs(measure_collective_latency(options).mean_s - 0.25e-3) < latency_rounding_s);
  options.kind = "allreduce";
  CHECK(std::abs(measure_collective_latency(options).mean_s - 3.5e-3) < latency_rounding_s);
}

TEST_CASE(
    "in a majority all-reduce the mean latency is (P²-1)δ/(6P), and (P+1)/2 ranks are active on average") {
  for (const int workers : {4, 32}) {
    CAPTURE(workers);
    const CollectiveLatency latency = measure_collective_latency(free_benchmark("eager_majority", workers));
    // The number of active ranks is uniform on 1 … P, with the standard deviation √((P²-1)/12): four standard
    // errors of the mean of 2000 operations.
    const double error = 4 * std::sqrt((workers * workers - 1) / 12.0 / 2000);
    CHECK(std::abs(latency.mean_active_workers - (workers + 1) / 2.0) < error);
    const double expected_s = (workers * workers - 1) * 1e-3 / (6 * workers);
    CHECK(std::abs(latency.mean_s - expected_s) < 4 * latency.standard_error_s);
    CHECK(latency.standard_error_s < 0.03 * expected_s);
  }
}

TEST_CASE("with messages that take time the latency of recursive doubling is log₂P (α + mβ)") {
  CollectiveLatencyOptions options = free_benchmark("allreduce", 8);
  options.cluster.options.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e9, .latency_s = 1e-6}};
  options.collective = "recursive_doubling";
  options.message_bytes = 1'000'000;
  options.delay_step_s = 0;
  options.operations = 3;
  const CollectiveLatency latency = measure_collective_latency(options);
  // A route has two links: α = 2 µs. Switches are cut-through, so that mβ counts once. A barrier lets ranks
  // begin together.
  CHECK(latency.mean_s == about(3 * (2e-6 + 1e-3), 1e-6));
}

}  // namespace

}  // namespace starling

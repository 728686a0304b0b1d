#include "algorithms/training/synchronous/horovod.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string_view>

#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "tests/algorithms/training/training_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

TEST_CASE("Horovod fuses tensors while they fit the fusion buffer, and sends at least one") {
  const std::vector<double> bytes = {10, 20, 30, 40};
  CHECK(fused_tensors(bytes, 0, 4, 0) == 1);
  CHECK(fused_tensors(bytes, 0, 4, 29.9) == 1);
  CHECK(fused_tensors(bytes, 0, 4, 30) == 2);
  CHECK(fused_tensors(bytes, 0, 4, 1000) == 4);
  CHECK(fused_tensors(bytes, 1, 3, 1000) == 2);
  CHECK(fused_tensors(bytes, 3, 4, 0) == 1);
}

// Two workers, α = 10 µs and 1 byte per µs. A negotiation of 2 tensors is 0.25 bytes each way: rank 1 knows
// the response 20.5 µs after the cycle began, and the all-reduce of m bytes that follows ends there 20 µs + m
// µs later.
const StarCluster byte_a_microsecond = {.workers = 2, .alpha_s = 10e-6, .bandwidth_Bps = 1e6};
constexpr double response_s = 20.5e-6;

/// 800 bytes in the last layer, 400 in the first.
Workload two_layers(double last_backward_s, double first_backward_s) {
  return workload_of({{{100}, 0, first_backward_s}, {{200}, 0, last_backward_s}});
}

TEST_CASE("a tensor of Horovod waits for the next cycle and for the response") {
  // Ready at 2.5 and 5.5 ms: cycles at 3 and 6 ms.
  const Trained trained = train(HorovodOptions{}, two_layers(2.5e-3, 3e-3), {.cluster = byte_a_microsecond});
  CHECK(trained.end_s(0) == about(6e-3 + response_s + 20e-6 + 400e-6, rounding_of_sums));
  CHECK(trained.log.of(0)[0].end_s == about(6e-3 + response_s + 10e-6 + 400e-6, rounding_of_sums));
}

TEST_CASE("tensors of one cycle of Horovod are reduced together, up to the fusion limit") {
  // Ready at 2.5 and 2.9 ms: both at the cycle of 3 ms.
  const Workload workload = two_layers(2.5e-3, 0.4e-3);
  const Trained fused = train(HorovodOptions{}, workload, {.cluster = byte_a_microsecond});
  CHECK(fused.end_s(0) == about(3e-3 + response_s + 20e-6 + 1200e-6, rounding_of_sums));
  const Trained exactly =
      train(HorovodOptions{.fusion_bytes = 1200}, workload, {.cluster = byte_a_microsecond});
  CHECK(exactly.end_s(0) == fused.end_s(0));
  const Trained split =
      train(HorovodOptions{.fusion_bytes = 1199}, workload, {.cluster = byte_a_microsecond});
  CHECK(split.end_s(0) == about(3e-3 + response_s + 2 * 20e-6 + 1200e-6, rounding_of_sums));
}

TEST_CASE("a sparse tensor of Horovod is gathered by itself: (P − 1)(α + βm)") {
  Workload workload = two_layers(2.5e-3, 0.4e-3);
  workload.model.tensors[0].name = "embedding";
  const HorovodOptions options{.sparse_tensors = {"embedding"}};
  // 800 bytes are summed, then 400 gathered; nothing is fused.
  const Trained two = train(options, workload, {.cluster = byte_a_microsecond});
  const double exchange_s = 20e-6 + 800e-6 + 10e-6 + 400e-6;
  CHECK(two.end_s(0) == about(3e-3 + response_s + exchange_s, rounding_of_sums));
  StarCluster four = byte_a_microsecond;
  four.workers = 4;
  const double dense_s = train(HorovodOptions{.fusion_bytes = 0}, workload, {.cluster = four}).end_s(0);
  // Summed, 400 bytes take 6 (α + 100 bytes); gathered, 3 (α + 400 bytes).
  CHECK(train(options, workload, {.cluster = four}).end_s(0) - dense_s ==
        about(3 * 410e-6 - 6 * 110e-6, 1e-6));
}

TEST_CASE("Horovod refuses a sparse tensor that the model lacks") {
  CHECK_THROWS_WITH_AS(train(HorovodOptions{.sparse_tensors = {"embeding"}}, two_layers(1, 1), {}),
                       "horovod: sparse_tensors names embeding, which is not a tensor of ",
                       std::invalid_argument);
}

TEST_CASE("Horovod refuses an iteration of more than a million cycles") {
  CHECK_THROWS_WITH_AS(
      train(HorovodOptions{}, two_layers(1e9, 1), {.cluster = {.workers = 1}}),
      "horovod: more than 1000000 cycles of 0.001 s in iteration 0; take a longer cycle_time",
      std::runtime_error);
}

TEST_CASE("after every thousand cycles Horovod estimates those to come by how long those before took") {
  const CollectiveChoice collective("horovod", "ring", {.workers = 2}, 4);
  const Horovod horovod({.cycle_time_s = 0.5}, two_layers(1, 1), collective);
  // The cycles so far took 2 s each, four cycle times.
  const auto is_refused = [&](std::int64_t cycles, double cycles_to_come) {
    try {
      horovod.check_cycles(cycles, 2.0 * static_cast<double>(cycles), 2 * cycles_to_come, 7);
      return false;
    } catch (const std::runtime_error& error) {
      CHECK(std::string_view(error.what()) ==
            "horovod: more than 1000000 cycles of 0.5 s in iteration 7; take a longer cycle_time");
      return true;
    }
  };
  CHECK_FALSE(is_refused(0, 1e9));
  CHECK_FALSE(is_refused(999, 1e9));
  CHECK_FALSE(is_refused(1000, 998'999));
  CHECK(is_refused(1000, 999'001));
  CHECK_FALSE(is_refused(1001, 1e9));
  CHECK_FALSE(is_refused(500'000, 499'999));
  CHECK(is_refused(500'000, 500'001));
  // A negative number of cycles to come, for tensors that should be ready by now, does not offset those
  // before.
  CHECK_FALSE(is_refused(999'000, -500'000));
  CHECK(is_refused(1'001'000, -500'000));
}

TEST_CASE("a longer cycle time of Horovod delays and fuses more") {
  const Trained trained = train(HorovodOptions{.cycle_time_s = 5e-3}, two_layers(2.5e-3, 0.4e-3),
                                {.cluster = byte_a_microsecond});
  CHECK(trained.end_s(0) == about(5e-3 + response_s + 20e-6 + 1200e-6, rounding_of_sums));
}

TEST_CASE("a tensor of Horovod is reduced when the slowest worker has it") {
  const auto load = [](Rank rank, std::int64_t) { return Load{.delay_s = rank == 1 ? 10e-3 : 0}; };
  const Trained trained =
      train(HorovodOptions{}, two_layers(2.5e-3, 3e-3), {.cluster = byte_a_microsecond, .load = load});
  CHECK(trained.end_s(0) == about(16e-3 + response_s + 20e-6 + 400e-6, rounding_of_sums));
}

TEST_CASE("Horovod's cycles go on from iteration to iteration") {
  // The first ends at 6.4405 ms (at rank 1); the second's tensors are ready at 8.9405 and 11.9405 there.
  const Trained trained =
      train(HorovodOptions{}, two_layers(2.5e-3, 3e-3), {.cluster = byte_a_microsecond, .iterations = 2});
  CHECK(trained.end_s(1) == about(12e-3 + response_s + 20e-6 + 400e-6, rounding_of_sums));
}

TEST_CASE("a negotiation of Horovod that outlasts the cycle delays the next one") {
  // α = 2 ms: rank 1 begins its cycles at 1, 5 and 9 ms (and the bytes' time); a tensor of 2.5 ms goes with
  // that of 5 ms, whose response arrives at 9 ms. One tensor is an eighth of a byte.
  const StarCluster far{.workers = 2, .alpha_s = 2e-3, .bandwidth_Bps = 1e6};
  const Workload workload = workload_of({{{100}, 0, 2.5e-3}});
  const Trained trained = train(HorovodOptions{}, workload, {.cluster = far});
  CHECK(trained.end_s(0) == about(9e-3 + 4 * 0.125e-6 + 2 * 2e-3 + 400e-6, rounding_of_sums));
}

TEST_CASE("Horovod's negotiations end in time, however little of a send is left to the sender's buffer") {
  const Workload workload = workload_of({{{1'000'000}, 0, 0.4e-3}, {{2'000'000}, 0, 2.5e-3}});
  const StarCluster cluster{.workers = 4, .alpha_s = 10e-6, .bandwidth_Bps = 1e9};
  const Network network = cluster.network();
  const auto algorithm = TrainingOptions(HorovodOptions{}).make(workload, cluster.facts());
  // Two messages up the tree and two down it, then six of 3 MB around the ring.
  constexpr double least_s = 3e-3 + 4 * 10e-6 + 6 * (10e-6 + 3e-3);
  constexpr double ways_back_s = (4 + 6) * 10e-6;
  constexpr double acknowledgments = 0.01;  // of the bandwidth, under tcp
  constexpr double bits_of_tensors = 1e-6;  // a quarter of a byte a message: 1 ns of 21 ms
  for (const double buffer_bytes : {0.0, 0.1, 3.0}) {
    CAPTURE(buffer_bytes);
    const auto end_s = [&](NetworkModel&& model) {
      SimulatedWorld world(network, model, {.send_buffer_bytes = buffer_bytes});
      return train_in(world, 4, *algorithm, workload, {}).end_s(0);
    };
    CHECK(end_s(EventNetwork(network)) == about(least_s, bits_of_tensors));
    CHECK(end_s(FairNetwork(network)) == about(least_s, bits_of_tensors));
    const double by_frames_s = end_s(TcpNetwork(network));
    CHECK(by_frames_s > least_s);
    CHECK(by_frames_s < (1 + acknowledgments) * (least_s + ways_back_s));
  }
}

TEST_CASE("a single worker of Horovod waits for its cycles only") {
  const Trained trained = train(HorovodOptions{}, two_layers(2.5e-3, 3e-3), {.cluster = {.workers = 1}});
  CHECK(trained.end_s(0) == about(6e-3, rounding_of_sums));
  CHECK(trained.statistics.messages == 0);
}

TEST_CASE("a model without tensors never waits under Horovod") {
  const Trained trained =
      train(HorovodOptions{}, workload_of({{{}, 1, 2}}), {.cluster = byte_a_microsecond, .iterations = 3});
  CHECK(trained.end_s(2) == 9);
}

/// Counts negotiations.
class Negotiations final : public TraceSink {
 public:
  void span(Rank, std::string_view, std::string_view name, double, double, const SpanDetails&) override {
    count_ += name == "negotiate" ? 1 : 0;
  }
  int count() const { return count_; }

 private:
  int count_ = 0;
};

TEST_CASE("Horovod reports an iteration of more than a million cycles after few of them") {
  for (const Workload& workload : {two_layers(2000, 1), workload_of({{{100}, 0, 1}, {{100}, 0, 2000}}),
                                   workload_of({{{100}, 0, 2000}, {{100}, 0, 1e-3}})}) {
    Negotiations negotiations;
    CHECK_THROWS_WITH_AS(
        train(HorovodOptions{}, workload, {.cluster = byte_a_microsecond, .trace = &negotiations}),
        "horovod: more than 1000000 cycles of 0.001 s in iteration 0; take a longer cycle_time",
        std::runtime_error);
    CHECK(negotiations.count() <= 2 * 2000);
  }
}

TEST_CASE("Horovod counts no cycle twice in an iteration of fewer than a million") {
  // 0.55 s are 550,000 cycles of 1 µs: when half a million have passed, 50,000 are to come.
  CHECK_NOTHROW(train(HorovodOptions{.cycle_time_s = 1e-6}, workload_of({{{100}, 0, 0.05}, {{100}, 0, 0.5}}),
                      {.cluster = {.workers = 1}}));
}

}  // namespace
}  // namespace starling

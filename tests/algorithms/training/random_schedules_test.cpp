#include <doctest/doctest.h>

#include "sim/random.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/algorithms/training/partial/partial_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr std::uint64_t runs_per_algorithm = has_address_sanitizer ? 300 : 3400;

// Three operations if every tensor is an operation of its own; two if buckets close at 12 bytes.
const Workload three_operations = workload_of({{{3}, 0.1, 0.2}, {{}, 0.05, 0.1}, {{2, 1}, 0.1, 0.3}}, 1e-3);

/// Random choices of one run.
class Choices {
 public:
  explicit Choices(std::uint64_t run) : random_(run, Purpose::schedule) {}

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound, 0, next_++); }
  bool flip() { return below(2) == 1; }
  /// 10^−x for a random x of 0 … 6, or 0.
  double magnitude() {
    constexpr double magnitudes[] = {0, 1, 1e-1, 1e-2, 1e-3, 1e-4, 1e-6};
    return magnitudes[below(std::size(magnitudes))];
  }

 private:
  CounterRandom random_;
  std::uint64_t next_ = 0;
};

/// A cluster of 2 … 16 workers, fast or slow, whose workers are late at random.
TrainingSetup random_setup(Choices& choices, std::uint64_t run) {
  const int workers = 1 << (1 + choices.below(4));
  const double alpha_s = choices.magnitude();
  const double bandwidth_Bps = choices.flip() ? 1e18 : 1e3;
  const double gamma_s_per_byte = choices.flip() ? 0 : 1e-3;
  const double longest_s = 3 * choices.magnitude();
  const bool is_rare = choices.flip();
  const CounterRandom random(run, Purpose::imbalance);
  const auto load = [=](Rank rank, std::int64_t iteration) {
    const auto worker = static_cast<std::uint32_t>(rank);
    const auto step = static_cast<std::uint64_t>(iteration);
    const bool is_late = !is_rare || random.uniform(worker, step, 1) < 0.1;
    return Load{.delay_s = is_late ? longest_s * random.uniform(worker, step) : 0, .factor = 1};
  };
  return {.cluster = {workers, alpha_s, bandwidth_Bps, gamma_s_per_byte},
          .iterations = 1 + static_cast<std::int64_t>(choices.below(9)),
          .load = load};
}

/// Messages that leave at once, or wait for their receivers.
MessageEnds random_ends(Choices& choices) {
  MessageEnds ends{.overhead_s = choices.magnitude()};
  if (choices.flip()) ends.eager_threshold_bytes = static_cast<double>(4 * choices.below(4));
  return ends;
}

EagerOptions random_eager(Choices& choices, std::string_view kind) {
  return {.kind = kind,
          .limiter = static_cast<std::int64_t>(choices.below(4)),
          .late_gradients = choices.flip() ? LateGradients::accumulate : LateGradients::drop,
          .model_sync_iterations = static_cast<std::int64_t>(choices.below(4)),
          .bucket_bytes = choices.flip() ? 0.0 : 12.0,
          .serialized = choices.flip()};
}

WagmaOptions random_wagma(Choices& choices, int workers) {
  const auto sizes = static_cast<std::uint64_t>(std::countr_zero(static_cast<unsigned>(workers))) + 1;
  return {.group_size = 1 << choices.below(sizes),
          .sync_period = 1 + static_cast<std::int64_t>(choices.below(12)),
          .fixed_groups = choices.flip(),
          .published_code = choices.flip(),
          .bucket_bytes = choices.flip() ? 0.0 : 12.0,
          .serialized = choices.flip()};
}

/// How many of the first `iterations` have operations.
std::int64_t operating_iterations(const EagerOptions&, std::int64_t iterations) { return iterations; }
std::int64_t operating_iterations(const WagmaOptions& options, std::int64_t iterations) {
  return options.group_size > 1 ? iterations : iterations / options.sync_period;
}

/// Every worker did all its iterations, and took part in every operation once.
template <typename Options>
bool is_accounted_for(const PartialRun& run, const TrainingSetup& setup, const Options& options) {
  const std::int64_t operations =
      operating_iterations(options, setup.iterations) * (options.bucket_bytes > 0 ? 2 : 3);
  const ParticipationLog& log = run.participation;
  bool is_complete = log.operations() == operations;
  for (Rank rank = 0; rank < setup.cluster.workers; ++rank) {
    is_complete &= log.iterations()[static_cast<std::size_t>(rank)] == setup.iterations;
    is_complete &= static_cast<std::int64_t>(run.trained.log.of(rank).size()) == setup.iterations;
  }
  const std::int64_t contributions =
      log.fresh_contributions() + log.stale_contributions() + log.absent_contributions();
  is_complete &= contributions == operations * setup.cluster.workers;
  // Whoever starts an operation has something to contribute.
  return is_complete && log.active_workers_histogram().front() == 0;
}

template <typename MakeOptions>
void check_random_runs(std::uint64_t first_run, MakeOptions make_options) {
  for (std::uint64_t run = first_run; run < first_run + runs_per_algorithm; ++run) {
    Choices choices(run);
    const TrainingSetup setup = random_setup(choices, run);
    const auto options = make_options(choices, setup.cluster.workers);
    const MessageEnds ends = random_ends(choices);
    CAPTURE(run);
    CHECK(is_accounted_for(train(options, three_operations, setup, run, ends), setup, options));
  }
}

TEST_CASE(
    "whatever the delays and options, eager-SGD solo ends with all iterations and contributions accounted "
    "for") {
  check_random_runs(0, [](Choices& choices, int) { return random_eager(choices, EagerOptions::solo); });
}

TEST_CASE(
    "whatever the delays and options, eager-SGD majority ends with all iterations and contributions "
    "accounted for") {
  check_random_runs(100'000,
                    [](Choices& choices, int) { return random_eager(choices, EagerOptions::majority); });
}

TEST_CASE("whatever the delays and options, WAGMA ends with all iterations and contributions accounted for") {
  check_random_runs(200'000, random_wagma);
}

/// Layers of one tensor each, most of them empty, as where a small learning task stands for a large model:
/// what is empty keeps no worker waiting for another, so workers may be almost an iteration apart.
Workload sparse_workload(Choices& choices) {
  std::vector<LayerSpec> layers(8);
  for (LayerSpec& layer : layers) {
    const bool is_empty = choices.below(4) > 0;
    layer = {.tensors = {is_empty ? 0 : 1 + static_cast<std::int64_t>(choices.below(4))},
             .forward_s = choices.magnitude(),
             .backward_s = choices.magnitude()};
  }
  return workload_of(layers);
}

TEST_CASE("whatever the delays and options, ByteScheduler ends with all iterations accounted for") {
  for (std::uint64_t run = 300'000; run < 300'000 + runs_per_algorithm; ++run) {
    Choices choices(run);
    const TrainingSetup setup = random_setup(choices, run);
    const Workload sparse = sparse_workload(choices);
    const ByteSchedulerOptions options = {.partition_bytes = static_cast<double>(4 << choices.below(3)),
                                          .credit_bytes = static_cast<double>(1 << choices.below(7)),
                                          .streams = 1 + static_cast<int>(choices.below(4))};
    CAPTURE(run);
    const Trained trained = train(options, sparse, setup);
    check_accounts(trained.log, setup.cluster.workers, static_cast<std::size_t>(setup.iterations));
  }
}

/// Checks on random options, delays and networks that a second run takes the same time to the last bit, and
/// that the logged parts of iterations sum to their length.
template <typename MakeOptions>
void check_random_accounts(std::uint64_t first_run, MakeOptions make_options) {
  for (std::uint64_t run = first_run; run < first_run + 50; ++run) {
    Choices choices(run);
    const TrainingSetup setup = random_setup(choices, run);
    const auto options = make_options(choices, setup.cluster.workers);
    const PartialRun one = train(options, three_operations, setup, run);
    CAPTURE(run);
    CHECK(train(options, three_operations, setup, run).trained.statistics.makespan_s ==
          one.trained.statistics.makespan_s);
    for (Rank rank = 0; rank < setup.cluster.workers; ++rank) {
      double previous_s = 0;
      for (const IterationRecord& record : one.trained.log.of(rank)) {
        const double parts_s = record.busy_s() + record.blocked_s;
        // Rounding of a few additions.
        CHECK(previous_s + parts_s == about(record.end_s));
        previous_s = record.end_s;
      }
    }
  }
}

TEST_CASE(
    "a second run of a partial algorithm takes the same time to the last bit, and the logged parts sum to "
    "it") {
  check_random_accounts(1, [](Choices& choices, int) { return random_eager(choices, EagerOptions::solo); });
  check_random_accounts(2,
                        [](Choices& choices, int) { return random_eager(choices, EagerOptions::majority); });
  check_random_accounts(3, random_wagma);
}

}  // namespace
}  // namespace starling

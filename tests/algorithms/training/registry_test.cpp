#include "algorithms/training/registry.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

#include "tests/rounding.hpp"
#include "training_fixture.hpp"

namespace starling {
namespace {

std::string complaint(const TrainingOptions& options, const ClusterFacts& facts = {.workers = 4},
                      const Workload& workload = workload_of({{{1000}, 1, 1}})) {
  try {
    make_training_algorithm(options, workload, facts);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("every registered algorithm can be made with its default options") {
  for (const RegisteredAlgorithm& algorithm : registered_algorithms()) {
    CAPTURE(algorithm.kind());
    CHECK(complaint(algorithm.defaults) == "none");
  }
}

TEST_CASE("every algorithm computes all layers in every iteration, also those without tensors") {
  const Workload workload = workload_of({{{}, 1, 2}, {{8}, 1, 2}, {{}, 1, 2}, {{4, 2}, 1, 2}, {{}, 1, 2}});
  for (const RegisteredAlgorithm& algorithm : registered_algorithms()) {
    CAPTURE(algorithm.kind());
    constexpr int workers = 4;
    const Trained trained =
        train(algorithm.defaults, workload, {.cluster = {.workers = workers}, .iterations = 3});
    for (Rank rank = 0; rank < workers; ++rank)
      for (const IterationRecord& record : trained.log.of(rank)) {
        CHECK(record.forward_s == about(5));
        CHECK(record.backward_s == about(10));
      }
  }
}

/// An algorithm as users may write it, which defines no more than it must.
struct OwnOptions {
  static constexpr std::string_view kind = "own";
  static constexpr TrainingTraits traits{};
  int rounds = 2;
};

void describe(OwnOptions& options, OptionVisitor& visitor) {
  visitor.integer({"rounds", "how often"}, options.rounds, {1, 9});
}

std::unique_ptr<TrainingAlgorithm> make_algorithm(const OwnOptions&, const Workload& workload,
                                                  const ClusterFacts& facts) {
  return make_algorithm(AllreduceOptions{}, workload, facts);
}

TEST_CASE("an algorithm that defines only options, their description and make_algorithm is complete") {
  const TrainingOptions own = OwnOptions{};
  CHECK(own.kind() == "own");
  CHECK_FALSE(own.traits().is_synchronous);
  CHECK(own.pattern_period({.workers = 8}) == 1);
  CHECK(own.model_averaging_period() == 0);
  CHECK_FALSE(own.traits().has_mixing_matrix);
  CHECK_FALSE(own.mixing_matrix({.workers = 8}).has_value());
  CHECK(complaint(own) == "none");
  CHECK(complaint(OwnOptions{.rounds = 10}) == "own: rounds is 10; it must be from 1 to 9");
  CHECK(own.get_if<AllreduceOptions>() == nullptr);
}

TEST_CASE("a kind of algorithm can be registered only once") {
  CHECK_THROWS_WITH_AS(register_algorithm(DdpOptions{}, "again"), "there is an algorithm \"ddp\" already",
                       std::invalid_argument);
}

TEST_CASE("every algorithm gives the period after which its communication repeats") {
  const ClusterFacts facts{.workers = 16, .workers_per_host = 4};
  const auto period = [&](const TrainingOptions& options) { return options.pattern_period(facts); };
  CHECK(period(DdpOptions{}) == 1);
  CHECK(period(EagerOptions{}) == 1);
  CHECK(period(EagerOptions{.limiter = 5, .model_sync_iterations = 4}) == 12);
  CHECK(period(EagerOptions{.limiter = 1'500'000}) == 1'500'001);
  CHECK(period(EagerOptions{.limiter = std::numeric_limits<std::int64_t>::max(),
                            .model_sync_iterations = 3}) > 1'000'000'000);
  // Groups of 4 of 16 take two of four dimensions by turns.
  CHECK(period(WagmaOptions{.sync_period = 5}) == 10);
  CHECK(period(WagmaOptions{.sync_period = 5, .fixed_groups = true}) == 5);
  CHECK(period(WagmaOptions{.sync_period = 1'500'000}) == 1'500'000);
  CHECK_THROWS_WITH_AS(period(WagmaOptions{.group_size = 3, .published_code = true}),
                       "wagma: group_size is 3; it must be a power of two from 1 to 16, or \"sqrt\" for √P",
                       std::invalid_argument);
  CHECK(period(LocalSgdOptions{.sync_period = 7}) == 7);
  CHECK(period(DpsgdOptions{}) == 1);
  CHECK(period(DpsgdOptions{.mixing = {.graph = OnePeerRingGraph{}}}) == 2);
  CHECK(period(SgpOptions{}) == 4);
  CHECK(period(SgpOptions{.overlap = 2}) == 8);
  CHECK(period(SgpOptions{.per_host = true}) == 2);
  CHECK(period(SgpOptions{.mixing = MixingOptions{.graph = RingGraph{}}}) == 1);
  CHECK(period(DecentralizedAdamOptions{}) == 4);
  CHECK(period(DecentralizedAdamOptions{.graph = "complete"}) == 1);
}

TEST_CASE("every algorithm gives the period after which it averages all models") {
  const auto period = [](const TrainingOptions& options) { return options.model_averaging_period(); };
  CHECK(period(DdpOptions{}) == 0);
  CHECK(period(EagerOptions{}) == 0);
  CHECK(period(EagerOptions{.limiter = 5, .model_sync_iterations = 4}) == 4);
  CHECK(period(WagmaOptions{.sync_period = 5}) == 5);
  CHECK(period(LocalSgdOptions{.sync_period = 7}) == 7);
  CHECK(period(SlowMoOptions{.sync_period = 3, .mixing = MixingOptions{}}) == 3);
}

TEST_CASE("the traits of every algorithm are those listed here") {
  const auto all_with = [](bool TrainingTraits::*trait) {
    std::string kinds;
    for (const RegisteredAlgorithm& algorithm : registered_algorithms())
      if (algorithm.defaults.traits().*trait) kinds += std::string(algorithm.kind()) + " ";
    return kinds;
  };
  // Traits of what options bring are not listed: the compiler holds them against the options.
  CHECK(all_with(&TrainingTraits::is_synchronous) ==
        "allreduce wfbp ddp horovod mg_wfbp bytescheduler dear ");
  CHECK(all_with(&TrainingTraits::ends_before_its_messages) == "bytescheduler dear ");
  CHECK(all_with(&TrainingTraits::forward_waits) == "bytescheduler ");
  CHECK(all_with(&TrainingTraits::sends_after_backward) == "allreduce ");
  CHECK(all_with(&TrainingTraits::sends_same_every_iteration) == "allreduce wfbp ddp mg_wfbp dear ");
}

TEST_CASE("without_overlap turns off an algorithm's overlap, if it has any, and nothing else") {
  const TrainingOptions sgp = TrainingOptions(SgpOptions{.overlap = 1, .per_host = true}).without_overlap();
  CHECK(sgp.get_if<SgpOptions>()->overlap == 0);
  CHECK(sgp.get_if<SgpOptions>()->per_host);
  const TrainingOptions ddp = TrainingOptions(DdpOptions{.bucket_bytes = 7}).without_overlap();
  CHECK(ddp.get_if<DdpOptions>()->bucket_bytes == 7);
}

TEST_CASE("every kind of all-reduce can be chosen by name") {
  const ClusterFacts facts{.workers = 4, .workers_per_host = 2};
  for (const char* name :
       {"ring", "recursive_doubling", "halving_doubling", "double_tree", "hierarchical", "auto"}) {
    CAPTURE(name);
    CHECK(complaint(WfbpOptions{.collective = name}, facts) == "none");
    CHECK(complaint(MgWfbpOptions{.collective = name}, facts) == "none");
  }
}

TEST_CASE("an option out of its range is named with its value and what is accepted") {
  CHECK(complaint(DdpOptions{.bucket_bytes = 0}) == "ddp: bucket_bytes is 0; it must be from 1 to 1e+18");
  CHECK(complaint(DdpOptions{.first_bucket_bytes = -1}) ==
        "ddp: first_bucket_bytes is -1; it must be from 1 to 1e+18");
  CHECK(complaint(HorovodOptions{.cycle_time_s = 0}) ==
        "horovod: cycle_time is 0; it must be from 1e-06 to 1000000000");
  CHECK(complaint(HorovodOptions{.cycle_time_s = std::numeric_limits<double>::infinity()}) ==
        "horovod: cycle_time is inf; it must be from 1e-06 to 1000000000");
  CHECK(complaint(HorovodOptions{.fusion_bytes = std::numeric_limits<double>::quiet_NaN()}) ==
        "horovod: fusion_bytes is nan; it must be from 0 to 1e+18");
  CHECK(complaint(MgWfbpOptions{.planned_start_up_s = 1e-3}) ==
        "mg_wfbp: planned_start_up and planned_bandwidth go together");
  CHECK(complaint(MgWfbpOptions{.planned_start_up_s = -1e-3, .planned_bandwidth_Bps = 1e9}) ==
        "mg_wfbp: planned_start_up is -0.001; it must be from 0 to 1000000000");
  CHECK(complaint(MgWfbpOptions{.planned_start_up_s = 0, .planned_bandwidth_Bps = 0}) ==
        "mg_wfbp: planned_bandwidth is 0; it must be from 1 to 1e+18");
  CHECK(complaint(ByteSchedulerOptions{.partition_bytes = 0}) ==
        "bytescheduler: partition_bytes is 0; it must be from 1024 to 1e+18");
  const Workload workload = workload_of({{{1'000'000'000}, 1, 1}});
  CHECK(complaint(ByteSchedulerOptions{.partition_bytes = 1024}, {.workers = 4}, workload) ==
        "bytescheduler: partition_bytes is 1024; that makes 3906250 partitions, but at most 1000000 are "
        "accepted");
  CHECK(complaint(ByteSchedulerOptions{.credit_bytes = -5}) ==
        "bytescheduler: credit_bytes is -5; it must be from 1 to 1e+18");
  CHECK(complaint(ByteSchedulerOptions{.streams = 0}) ==
        "bytescheduler: streams is 0; it must be from 1 to 1024");
  CHECK(complaint(DearOptions{.bucket_bytes = -1}) == "dear: bucket_bytes is -1; it must be from 0 to 1e+18");
  CHECK(complaint(DearOptions{.prefetch_depth = 0}) ==
        "dear: prefetch_depth is 0; it must be from 1 to 2147483647");
  CHECK(complaint(WfbpOptions{}, {.workers = 0}) == "wfbp: workers is 0; it must be 1 or more");
}

TEST_CASE("an unknown collective is answered with the known ones") {
  CHECK(complaint(AllreduceOptions{.collective = "rings"}) ==
        "allreduce: collective is \"rings\"; it must be one of ring, recursive_doubling, halving_doubling, "
        "double_tree, hierarchical, auto");
}

TEST_CASE("dear accepts only collectives that consist of a reduce-scatter and an all-gather") {
  CHECK(complaint(DearOptions{.collective = "halving_doubling"}) == "none");
  CHECK(complaint(DearOptions{.collective = "auto"}) == "none");
  CHECK(complaint(DearOptions{.collective = "double_tree"}) ==
        "dear: collective is \"double_tree\"; it must be one of ring, halving_doubling, auto");
}

}  // namespace
}  // namespace starling

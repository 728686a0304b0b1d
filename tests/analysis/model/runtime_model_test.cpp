#include "analysis/model/runtime_model.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/training/registry.hpp"
#include "analysis/model/model_machine.hpp"
#include "analysis/model/modeled_run.hpp"
#include "analysis/running/scenario_job.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "io/scenario_error.hpp"
#include "sim/messages/transport.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/analysis/running/small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

// The greatest relative difference from the simulation that a prediction called exact may have.
constexpr double exactness = 1e-6;

/// Six layers of odd sizes, one of them without tensors, and a tensor of fewer elements than there are
/// workers.
Workload odd_layers() {
  Workload workload;
  workload.model.name = "odd layers";
  workload.model.tensors = {{"a", 70'001},    {"b", 3},       {"c", 250'000},
                            {"d", 1'000'003}, {"e", 123'457}, {"f", 5'003}};
  workload.model.layers = {{"one", "Linear", 0, 2, 1},  {"two", "Linear", 2, 1, 1},
                           {"three", "ReLU", 3, 0, 1},  {"four", "Linear", 3, 1, 1},
                           {"five", "Linear", 4, 1, 1}, {"six", "Linear", 5, 1, 1}};
  workload.batch_size = 32;
  workload.forward_s = {0.001, 0.003, 0.0005, 0.004, 0.002, 0.0015};
  workload.backward_s = {0.002, 0.005, 0.001, 0.009, 0.004, 0.003};
  workload.optimizer_s_per_byte = 1e-10;
  return workload;
}

/// Workers on a star of 1 GB/s links of 5 µs, with a reduction of 10 GB/s, simulated message by message.
Scenario star_scenario(int workers) {
  Scenario scenario = small_scenario();
  scenario.iterations = 7;
  scenario.cluster.workers = workers;
  scenario.cluster.network.kind = StarOptions{.link = {.bandwidth_Bps = 1e9, .latency_s = 5e-6}};
  scenario.message_costs.reduction_s_per_byte = 1e-10;
  scenario.workload = odd_layers();
  scenario.collectives = CollectiveExecution::messages;
  return scenario;
}

void make_uneven(Scenario& scenario) {
  scenario.imbalance = {RandomFactor<Law::lognormal>{.coefficient_of_variation = 0.2},
                        RandomDelay{.workers = 1, .delay_s = 0.004}};
}

/// A prediction beside the simulation of the same run.
struct Compared {
  Prediction prediction;
  double most_early = 0;       // of the ends of all iterations of all workers, as a share of the moment,
  double most_late = 0;        // by how much the model's is before and after the simulation's
  std::uint64_t messages = 0;  // of the simulation

  double difference() const { return std::max(most_early, most_late); }
};

Compared compare(const ScenarioJob& job, std::size_t index) {
  SimulatedMachine simulated(job.scenario(), job.routes(), nullptr);
  const ModelMachine model(job.scenario(), job.routes());
  const Outcome outcome = simulated.measure(job.run(index), nullptr, nullptr).outcome;
  Compared compared{.prediction = model.prediction_of(job.run(index)),
                    .messages = outcome.statistics.messages};
  for (Rank rank = 0; rank < job.workers(); ++rank) {
    const auto predicted = compared.prediction.log.of(rank);
    const auto measured = outcome.log.of(rank);
    REQUIRE(predicted.size() == measured.size());
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      const double late = predicted[i].end_s / measured[i].end_s - 1;
      compared.most_early = std::max(compared.most_early, -late);
      compared.most_late = std::max(compared.most_late, late);
    }
  }
  return compared;
}

/// Checks that an exact prediction equals the simulation and that a lower bound is never later. Counts the
/// kind of prediction.
void check(const Compared& compared, std::map<ModelValidity, int>& counts) {
  ++counts[compared.prediction.validity];
  CHECK(compared.prediction.reasons.empty() == (compared.prediction.validity == ModelValidity::exact));
  if (compared.prediction.validity == ModelValidity::exact) CHECK(compared.difference() < exactness);
  if (compared.prediction.validity == ModelValidity::lower_bound)
    CHECK(compared.most_late < rounding_of_sums);
}

using Counts = std::map<ModelValidity, int>;

/// Compares every algorithm that fits the cluster.
void check_all(Scenario scenario, const std::vector<TrainingOptions>& algorithms, Counts& counts) {
  for (const TrainingOptions& options : algorithms) {
    scenario.algorithms.clear();
    add_algorithm(scenario, options);
    CAPTURE(options.kind());
    CAPTURE(scenario.cluster.workers);
    try {
      const ScenarioJob job(scenario);
      const Compared compared = compare(job, 0);
      CAPTURE(name_of(compared.prediction.validity));
      CHECK_MESSAGE((scenario.cluster.workers == 1 || compared.messages > 0),
                    "with these options nothing is sent in so few iterations");
      check(compared, counts);
    } catch (const ScenarioError&) {
      // Some take a power of two, or an even number of workers.
    }
  }
}

/// Every algorithm with its defaults, or with smaller buckets and periods, so that a few iterations of a
/// small model exercise it.
std::vector<TrainingOptions> every_algorithm_at_work() {
  const std::vector<TrainingOptions> changed = {
      DdpOptions{.bucket_bytes = 1e6, .first_bucket_bytes = 1e5},
      ByteSchedulerOptions{.partition_bytes = 5e5},
      DearOptions{.bucket_bytes = 1e6},
      WagmaOptions{.sync_period = 3, .bucket_bytes = 1e6},
      LocalSgdOptions{.sync_period = 2},
      SlowMoOptions{.sync_period = 2},
      DecentralizedAdamOptions{.graph = "one_peer_ring", .bucket_bytes = 1e6},
  };
  std::vector<TrainingOptions> all;
  for (const RegisteredAlgorithm& algorithm : registered_algorithms()) {
    const auto found = std::ranges::find(changed, algorithm.kind(), &TrainingOptions::kind);
    all.push_back(found != changed.end() ? *found : algorithm.defaults);
  }
  return all;
}

const std::vector<TrainingOptions> every_algorithm = every_algorithm_at_work();

TEST_CASE("Every algorithm of Starling has a model, and an algorithm of another program has none") {
  class Other final : public TrainingAlgorithm {
    void run(Worker&, Replica&, const TrainingJob&) const override {}
  };
  CHECK(reason_without_model(Other()));
  Scenario scenario = star_scenario(8);
  for (const RegisteredAlgorithm& algorithm : registered_algorithms())
    add_algorithm(scenario, algorithm.defaults);
  scenario.cluster.workers_per_host = 2;
  scenario.cluster.intra_host_link = {.bandwidth_Bps = 4e9, .latency_s = 1e-6};
  const ScenarioJob job(scenario);
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
    CAPTURE(scenario.algorithms[i].options.kind());
    CHECK_MESSAGE(!reason_without_model(job.run(i).algorithm),
                  "it needs a predict() in analysis/model/recurrences.hpp, and its place in dispatch_all()");
  }
}

TEST_CASE("The model equals the simulation where workers are all alike") {
  Counts counts;
  for (const int workers : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16})
    check_all(star_scenario(workers), every_algorithm, counts);
  // D-PSGD with three or more workers, of 8 of these numbers: models of two neighbors share a link.
  CHECK(counts[ModelValidity::estimate] == 8);
  // All others, less than 16 for each number of workers: some algorithms need an even number or a power of
  // two.
  CHECK(counts[ModelValidity::exact] >= 120);
  CHECK(counts[ModelValidity::lower_bound] == 0);
}

TEST_CASE("The model equals the simulation where workers are uneven, or says that messages meet") {
  Counts counts;
  for (const int workers : {2, 3, 4, 5, 6, 8, 12, 16}) {
    Scenario scenario = star_scenario(workers);
    make_uneven(scenario);
    check_all(scenario, every_algorithm, counts);
  }
  CHECK(counts[ModelValidity::exact] >= 80);
}

TEST_CASE("The model equals the simulation on a torus, where messages of two neighbors share no link") {
  Counts counts;
  const std::vector<int> sizes =
      has_address_sanitizer ? std::vector{3, 8} : std::vector{3, 4, 5, 6, 8, 12, 16};
  for (const int workers : sizes)
    for (const double overhead_s : {0.0, 2e-6})
      for (const double reduction_s_per_byte : {0.0, 1e-9}) {
        Scenario scenario = star_scenario(workers);
        scenario.cluster.network.kind =
            TorusOptions{.dimensions = {workers}, .link = {.bandwidth_Bps = 1e9, .latency_s = 5e-6}};
        scenario.message_costs.overhead_s = overhead_s;
        scenario.message_costs.reduction_s_per_byte = reduction_s_per_byte;
        for (const Rank slow : {0, workers - 2}) {
          scenario.imbalance = {SlowWorkers{.workers = {slow}, .factor = 1.3}};
          check_all(scenario, every_algorithm, counts);
        }
        make_uneven(scenario);
        check_all(scenario, every_algorithm, counts);
      }
  CHECK(counts[ModelValidity::exact] >= 70 * std::ssize(sizes));
}

TEST_CASE("The model equals the simulation with every collective, also of uneven workers") {
  Counts counts;
  for (const std::string& collective : collective_names())
    for (const int workers : {2, 3, 5, 6, 8, 12, 16})
      for (const bool is_uneven : {false, true}) {
        Scenario scenario = star_scenario(workers);
        if (is_uneven) make_uneven(scenario);
        scenario.cluster.workers_per_host = workers % 2 == 0 ? 2 : 1;
        scenario.cluster.intra_host_link = {.bandwidth_Bps = 4e9, .latency_s = 1e-6};
        CAPTURE(collective);
        CAPTURE(is_uneven);
        check_all(
            scenario,
            {AllreduceOptions{.collective = collective},
             DdpOptions{.collective = collective, .bucket_bytes = 1e6, .first_bucket_bytes = 1e5},
             DecentralizedAdamOptions{.collective = collective, .graph = "complete", .bucket_bytes = 1e6}},
            counts);
      }
  // Not all: except in rings, messages of workers on one host meet on its link, and those of the two trees
  // meet everywhere.
  CHECK(counts[ModelValidity::exact] > 100);
}

TEST_CASE("The model equals the simulation with every option that changes which messages workers wait for") {
  const std::vector<TrainingOptions> variants = {
      HorovodOptions{.cycle_time_s = 5e-3, .fusion_bytes = 1e6},
      HorovodOptions{.cycle_time_s = 1e-5, .fusion_bytes = 0, .sparse_tensors = {"c"}},
      ByteSchedulerOptions{.partition_bytes = 3e5, .credit_bytes = 1e6, .streams = 1, .host_time_s = 1e-3},
      ByteSchedulerOptions{.partition_bytes = 3e5, .credit_bytes = 2e6, .streams = 2},
      DearOptions{.bucket_bytes = 0},
      DearOptions{.bucket_bytes = 0, .prefetch_depth = 2, .launch_ahead = false},
      DearOptions{.collective = "auto", .bucket_bytes = 1e6, .sync_each_iteration = true},
      EagerOptions{.kind = EagerOptions::solo, .limiter = 2, .bucket_bytes = 1e6},
      EagerOptions{.kind = EagerOptions::majority,
                   .model_sync_iterations = 3,
                   .bucket_bytes = 1e6,
                   .operation_cost_s = 1e-4},
      EagerOptions{.kind = EagerOptions::solo, .late_gradients = LateGradients::drop, .bucket_bytes = 1e9},
      WagmaOptions{.group_size = 1, .sync_period = 2},
      WagmaOptions{.group_size = 2, .sync_period = 4, .bucket_bytes = 1e9},
      WagmaOptions{.sync_period = 1},
      WagmaOptions{.sync_period = 3, .published_code = true, .bucket_bytes = 1e9},
      WagmaOptions{.sync_period = 3, .bucket_bytes = 1e6, .serialized = false},
      LocalSgdOptions{.sync_period = 3, .bucket_bytes = 1e6},
      SlowMoOptions{.sync_period = 2, .mixing = MixingOptions{.graph = OnePeerExponentialGraph{}}},
      DpsgdOptions{.overlap = true},
      DpsgdOptions{.bucket_bytes = 1e6},
      SgpOptions{.neighbors = 2},
      SgpOptions{.overlap = 1},
      SgpOptions{.neighbors = 2, .overlap = 2},
      SgpOptions{.bucket_bytes = 1e6},
      DecentralizedAdamOptions{.graph = "complete", .bucket_bytes = 1e6},
      DecentralizedAdamOptions{.graph = "one_peer_exponential", .bucket_bytes = 1e6},
      DecentralizedAdamOptions{.graph = "one_peer_ring", .bucket_bytes = 1e6, .overlap = false},
      DecentralizedAdamOptions{.graph = "alternating_exponential_ring", .bucket_bytes = 1e9},
  };
  Counts counts;
  for (const int workers : {2, 4, 6, 8})
    for (const bool is_uneven : {false, true}) {
      Scenario scenario = star_scenario(workers);
      if (is_uneven) make_uneven(scenario);
      CAPTURE(is_uneven);
      check_all(scenario, variants, counts);
    }
  CHECK(counts[ModelValidity::exact] > 100);
}

TEST_CASE("Partitions of several streams share links in the model, but not latencies") {
  // Small partitions are bound by latencies: several at once take as long as one. Large ones are bound by
  // links: several at once take as long as one after the other.
  for (const double partition_bytes : {2e4, 2e6}) {
    std::vector<double> model_s;
    for (const int streams : {1, 2, 4}) {
      Scenario scenario = star_scenario(8);
      scenario.workload.forward_s.assign(6, 1e-4);
      scenario.workload.backward_s.assign(6, 1e-4);
      add_algorithm(scenario, ByteSchedulerOptions{.partition_bytes = partition_bytes,
                                                   .credit_bytes = 8 * partition_bytes,
                                                   .streams = streams});
      const ScenarioJob job(scenario);
      const Compared compared = compare(job, 0);
      CAPTURE(partition_bytes);
      CAPTURE(streams);
      // Messages of several streams wait for each other on links, for which the model has no equation: it is
      // an estimate.
      CHECK(compared.most_late < 0.01);
      CHECK(compared.most_early < 0.05);
      model_s.push_back(compared.prediction.log.of(0).back().end_s);
    }
    // Streams do not halve computing, which is 1.2 of 50 ms; the tolerance of 10 % covers it.
    if (partition_bytes < 1e5) CHECK(model_s[1] == about(model_s[0] / 2, 0.1));
    // Reductions of one stream overlap messages of another, which saves less than a fifth.
    if (partition_bytes > 1e6) CHECK(model_s[1] > 0.8 * model_s[0]);
  }
}

TEST_CASE(
    "The model equals the simulation of partitions on a single worker without links, for one and two "
    "streams") {
  Scenario scenario = star_scenario(1);
  scenario.cluster.network.kind = GraphOptions{};
  for (const int streams : {1, 2}) add_algorithm(scenario, ByteSchedulerOptions{.streams = streams});
  const ScenarioJob job(scenario);
  REQUIRE(job.routes().links().empty());
  for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
    const Compared compared = compare(job, i);
    CHECK(compared.most_late < exactness);
    CHECK(compared.most_early < exactness);
  }
}

TEST_CASE("Hosts of several workers are modeled, also where the workers of a host share a replica") {
  Scenario scenario = star_scenario(8);
  scenario.cluster.workers_per_host = 4;
  scenario.cluster.intra_host_link = {.bandwidth_Bps = 4e9, .latency_s = 1e-6};
  make_uneven(scenario);
  Counts counts;
  check_all(scenario, {AllreduceOptions{}, DearOptions{}, AdpsgdOptions{}, DecentralizedAdamOptions{}},
            counts);
  CHECK(counts[ModelValidity::exact] >= 3);

  for (const double overhead_s : {0.0, 1e-3}) {
    CAPTURE(overhead_s);
    scenario.message_costs.overhead_s = overhead_s;
    Counts sharing;
    for (const int workers_per_host : {2, 3, 4, 8}) {
      CAPTURE(workers_per_host);
      scenario.cluster.workers_per_host = workers_per_host;
      check_all(scenario,
                {SgpOptions{.per_host = true}, SgpOptions{.overlap = 1, .per_host = true},
                 SgpOptions{.overlap = 2, .per_host = true}},
                sharing);
    }
    // With overheads, models that are pushed meanwhile wait at the first worker of a host: an estimate.
    CHECK(sharing[ModelValidity::exact] >= (overhead_s > 0 ? 2 : 9));
    CHECK(sharing[ModelValidity::estimate] >= (overhead_s > 0 ? 6 : 0));
  }
}

TEST_CASE("The model is exact with the costs of messages of every transport, under fair and event") {
  std::vector<MessageCosts> every_costs;
  for (const Transport& transport : transports())
    if (transport.costs.wake_up_s == 0) every_costs.push_back(transport.costs);
  every_costs.push_back({.overhead_s = 2e-6, .reduction_s_per_byte = 1e-10, .eager_threshold_bytes = 0});
  every_costs.push_back({.overhead_s = 3e-7, .eager_threshold_bytes = 1e5, .send_buffer_bytes = 2000});
  for (const MessageCosts& costs : every_costs)
    for (const Engine engine : {Engine::fair, Engine::event}) {
      if (engine == Engine::event && std::isfinite(costs.send_buffer_bytes)) continue;
      Counts counts;
      for (const int workers : {4, 6}) {
        Scenario scenario = star_scenario(workers);
        scenario.engine = engine;
        scenario.message_costs = costs;
        make_uneven(scenario);
        check_all(scenario, every_algorithm, counts);
      }
      CHECK(counts[ModelValidity::exact] >= 12);
    }
}

TEST_CASE("Estimates are within 0.2 percent where overheads are small") {
  for (const Engine engine : {Engine::fair, Engine::event}) {
    Scenario scenario = star_scenario(8);
    scenario.engine = engine;
    scenario.message_costs.overhead_s = 1e-6;
    for (const TrainingOptions& options : every_algorithm) add_algorithm(scenario, options);
    const ScenarioJob job(scenario);
    for (std::size_t i = 0; i < scenario.algorithms.size(); ++i) {
      CAPTURE(scenario.algorithms[i].label);
      // An iteration of 40 ms waits for some dozens of overheads of 1 µs.
      CHECK(compare(job, i).difference() < 2e-3);
    }
  }
}

/// The greatest relative difference between ends of iterations by the model and by the simulation.
double difference_of(const Scenario& scenario, const TrainingOptions& options) {
  Scenario with_algorithm = scenario;
  add_algorithm(with_algorithm, options);
  const ScenarioJob job(with_algorithm);
  return compare(job, 0).difference();
}

TEST_CASE(
    "The model equals the simulation where messages of neighbors arrive at a shared link at different "
    "times") {
  // A star graph: all workers send to one at different times, and that one to all. Messages share the link
  // into it and the link out of it.
  for (const Engine engine : {Engine::fair, Engine::event})
    for (const int workers : {3, 5, 8}) {
      CAPTURE(engine_name(engine));
      CAPTURE(workers);
      Scenario scenario = star_scenario(workers);
      scenario.engine = engine;
      scenario.imbalance = {LinearSkew{.step_s = 1e-3, .rotate = false}};
      CHECK(difference_of(scenario, DpsgdOptions{.mixing = {.graph = StarGraph{}}}) < rounding_of_sums);
    }
}

TEST_CASE("An activation costs its sender an overhead for each receiver, and each receiver one") {
  // Each worker is a second later than the one before: the first activates all others.
  for (const int workers : {2, 4}) {
    CAPTURE(workers);
    Scenario scenario = star_scenario(workers);
    scenario.iterations = 1;
    scenario.message_costs.overhead_s = 1e-3;
    scenario.imbalance = {LinearSkew{.step_s = 1, .rotate = false}};
    CHECK(difference_of(scenario, EagerOptions{.kind = EagerOptions::solo, .bucket_bytes = 1e9}) <
          rounding_of_sums);
  }
}

TEST_CASE("The model equals the simulation of SlowMo with pushes between averages of all models") {
  for (const int workers : {2, 4, 8}) {
    CAPTURE(workers);
    const SlowMoOptions options{.sync_period = 2,
                                .mixing = MixingOptions{.graph = OnePeerExponentialGraph{}}};
    CHECK(difference_of(star_scenario(workers), options) < rounding_of_sums);
  }
}

TEST_CASE("Horovod's negotiation costs no reduction time, whatever the reduction of gradients costs") {
  Scenario scenario = star_scenario(4);
  scenario.iterations = 2;
  scenario.message_costs.reduction_s_per_byte = 1e-6;
  CHECK(difference_of(scenario, HorovodOptions{}) < rounding_of_sums);
}

TEST_CASE("The bottleneck of partitions is a link or the overheads of messages or the reduction") {
  constexpr int workers = 4;
  constexpr std::int64_t elements = 1'000'000;
  const auto busy_s = [&](const auto& change, std::int64_t count) {
    Scenario scenario = star_scenario(workers);
    add_algorithm(scenario, AllreduceOptions{});
    change(scenario);
    const ScenarioJob job(scenario);
    const PreparedRun run = job.run(0);
    const auto ring = make_allreduce(CollectiveKind::ring, workers, count);
    return ModeledRun(run, modeled_network(scenario, job.routes())).busy_s(*ring);
  };
  // A ring of four has six rounds of a quarter of 4 MB, three of which reduce what they receive.
  const double link_s = 6 * 1e6 / 1e9;
  CHECK(busy_s([](Scenario&) {}, elements) == about(link_s));
  CHECK(busy_s([](Scenario& s) { s.message_costs.overhead_s = 1e-3; }, elements) == about(6 * 2 * 1e-3));
  CHECK(busy_s([](Scenario& s) { s.message_costs.reduction_s_per_byte = 1e-8; }, elements) ==
        about(3 * 1e6 * 1e-8));
  // Messages of at most a packet, 1500 B or 375 elements, occupy no link except under event.
  const auto adds_at_once = [](Scenario& s) { s.message_costs.reduction_s_per_byte = 0; };
  CHECK(busy_s(adds_at_once, 4 * 375) == 0);
  CHECK(busy_s(adds_at_once, 4 * 376) == about(6 * 4 * 376 / 1e9));
  CHECK(busy_s(
            [](Scenario& s) {
              s.engine = Engine::event;
              s.message_costs.reduction_s_per_byte = 0;
            },
            4 * 375) == about(6 * 1500 / 1e9));
}

TEST_CASE("Where messages share links the model is a lower bound and says so") {
  Scenario scenario = star_scenario(16);
  scenario.cluster.network.kind = LeafSpineOptions{.hosts_per_leaf = 4,
                                                   .spines = 2,
                                                   .link = {.bandwidth_Bps = 1e9, .latency_s = 5e-6},
                                                   .oversubscription = 4};
  add_algorithm(scenario, AllreduceOptions{.collective = "halving_doubling"});
  const ScenarioJob job(scenario);
  const Compared compared = compare(job, 0);
  CHECK(compared.prediction.validity == ModelValidity::lower_bound);
  CHECK(
      compared.prediction.reasons ==
      std::vector<std::string>{"messages contend for links; the time for which they wait there is left out"});
  CHECK(compared.most_early > 0.1);
  CHECK(compared.most_late < rounding_of_sums);
}

TEST_CASE(
    "Effects that the model leaves out make it a lower bound, and the engine tcp makes it an estimate") {
  Scenario scenario = star_scenario(4);
  add_algorithm(scenario, DdpOptions{.bucket_bytes = 1e6});
  const auto compared_with = [&](const auto& change) {
    Scenario changed = scenario;
    change(changed);
    const ScenarioJob job(changed);
    return compare(job, 0);
  };
  const Compared slowed = compared_with([](Scenario& s) { s.workload.communication_slowdown = 0.5; });
  CHECK(slowed.prediction.validity == ModelValidity::lower_bound);
  CHECK(slowed.most_late < rounding_of_sums);
  CHECK(slowed.most_early > 0.01);
  const Compared late = compared_with([](Scenario& s) { s.message_costs.wake_up_s = 1e-4; });
  CHECK(late.prediction.validity == ModelValidity::lower_bound);
  CHECK(late.most_late < rounding_of_sums);
  const Compared windows = compared_with([](Scenario& s) { s.fair.window_bytes = 4096; });
  CHECK(windows.prediction.validity == ModelValidity::lower_bound);
  CHECK(windows.most_late < rounding_of_sums);
  const Compared rate = compared_with([](Scenario& s) { s.fair.connection_rate_Bps = 1e8; });
  CHECK(rate.prediction.validity == ModelValidity::lower_bound);
  CHECK(std::ranges::count(rate.prediction.reasons,
                           "the limit on the rate of connections (fair/connection_rate) is left out") == 1);
  CHECK(rate.most_late < rounding_of_sums);
  CHECK(rate.most_early > 0.01);
  const Compared tcp = compared_with([](Scenario& s) { s.engine = Engine::tcp; });
  CHECK(tcp.prediction.validity == ModelValidity::estimate);
  CHECK(tcp.difference() < 0.05);
}

/// The prediction of a scenario's only algorithm, without a simulation.
Prediction prediction_of(const Scenario& scenario) {
  const ScenarioJob job(scenario);
  return ModelMachine(scenario, job.routes()).prediction_of(job.run(0));
}

TEST_CASE(
    "Where rendezvous answers may wait behind data, effects that the model leaves out make it an estimate") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 2;
  scenario.message_costs = transport("mpi_tcp").costs;
  scenario.message_costs.wake_up_s = 0;
  scenario.message_costs.eager_threshold_bytes = 1e5;
  scenario.transport = "mpi_tcp";
  scenario.imbalance = {LinearSkew{.step_s = 2e-3, .rotate = false}};
  add_algorithm(scenario, WfbpOptions{.collective = "recursive_doubling"});
  CHECK(prediction_of(scenario).validity == ModelValidity::exact);
  const auto is_estimate = [&](const auto& change) {
    Scenario changed = scenario;
    change(changed);
    return prediction_of(changed).validity == ModelValidity::estimate;
  };
  CHECK(is_estimate([](Scenario& s) { s.message_costs.wake_up_s = 2e-5; }));
  CHECK(is_estimate([](Scenario& s) { s.workload.communication_slowdown = 0.1; }));
  CHECK(is_estimate([](Scenario& s) { s.fair.window_bytes = 1e3; }));
}

TEST_CASE("Where the order of events decides, effects that the model leaves out make it an estimate") {
  for (const TrainingOptions& options :
       {TrainingOptions(HorovodOptions{}), TrainingOptions(ByteSchedulerOptions{.partition_bytes = 5e5})}) {
    Scenario scenario = star_scenario(4);
    scenario.message_costs.reduction_s_per_byte = 0;
    make_uneven(scenario);
    add_algorithm(scenario, options);
    CAPTURE(options.kind());
    CHECK(prediction_of(scenario).validity == ModelValidity::exact);
    scenario.workload.communication_slowdown = 0.5;
    CHECK(prediction_of(scenario).validity == ModelValidity::estimate);
  }
}

TEST_CASE("Windows that the model leaves out do not turn an estimate into a lower bound") {
  Scenario scenario = star_scenario(4);
  add_algorithm(scenario, DpsgdOptions{});
  CHECK(prediction_of(scenario).validity == ModelValidity::estimate);  // two neighbors share a link
  scenario.fair.window_bytes = 4096;
  const Prediction prediction = prediction_of(scenario);
  CHECK(prediction.validity == ModelValidity::estimate);
  CHECK(std::ranges::count(prediction.reasons, "the windows of connections (fair/window) are left out") == 1);
}

}  // namespace
}  // namespace starling

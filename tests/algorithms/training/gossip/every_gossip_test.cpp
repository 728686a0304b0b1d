#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "algorithms/training/every_algorithm.hpp"
#include "gossip_fixture.hpp"

namespace starling {
namespace {

const Workload gossiped_model = odd_workload();

struct Made {
  std::string name;
  std::unique_ptr<TrainingAlgorithm> algorithm;
};

/// One of each, on a power of two of workers.
std::vector<Made> every_algorithm(int workers) {
  const ClusterFacts facts = StarCluster{workers, 1e-4, 1e6, 1e-8}.facts();
  const auto shift = std::make_shared<Circulant>(
      workers, std::vector<std::vector<int>>{workers > 1 ? std::vector{1} : std::vector<int>{}});
  std::vector<Made> made;
  made.push_back({"local_sgd", make_algorithm(LocalSgdOptions{.sync_period = 2}, gossiped_model, facts)});
  made.push_back({"slowmo", make_algorithm(SlowMoOptions{.sync_period = 2}, gossiped_model, facts)});
  if (workers > 1) {
    const SlowMoOptions pushing{.sync_period = 2,
                                .mixing = MixingOptions{.graph = OnePeerExponentialGraph{}}};
    made.push_back({"slowmo over a graph", make_algorithm(pushing, gossiped_model, facts)});
  }
  made.push_back({"dpsgd", std::make_unique<Dpsgd>(DpsgdOptions{}, shift)});
  made.push_back({"dpsgd, overlapping", std::make_unique<Dpsgd>(DpsgdOptions{.overlap = true}, shift)});
  made.push_back({"adpsgd", make_algorithm(AdpsgdOptions{}, gossiped_model, facts)});
  made.push_back({"sgp", make_algorithm(SgpOptions{}, gossiped_model, facts)});
  made.push_back({"sgp, overlapping", make_algorithm(SgpOptions{.overlap = 2}, gossiped_model, facts)});
  ClusterFacts hosts = facts;
  hosts.workers_per_host = 2;
  made.push_back({"sgp, per host", make_algorithm(SgpOptions{.per_host = true}, gossiped_model, hosts)});
  made.push_back(
      {"decentralized_adam", make_algorithm(DecentralizedAdamOptions{.graph = "complete", .bucket_bytes = 60},
                                            gossiped_model, facts)});
  if (workers > 1) {
    made.push_back(
        {"decentralized_adam in pairs",
         make_algorithm(DecentralizedAdamOptions{.graph = "one_peer_exponential", .bucket_bytes = 60},
                        gossiped_model, facts)});
  }
  return made;
}

TrainingSetup setup_of(int workers) {
  return {.cluster = {workers, 1e-4, 1e6, 1e-8}, .iterations = 5, .load = random_load(8)};
}

TEST_CASE("times do not depend on whether models have real values in any gossip algorithm") {
  for (const Made& made : every_algorithm(8)) {
    const TrainingSetup sized = setup_of(8);
    TrainingSetup real = sized;
    real.replica = [](Rank rank) { return different_replica(gossiped_model, rank, 0.1); };
    const Trained one = run_algorithm(*made.algorithm, gossiped_model, sized);
    const Trained other = run_algorithm(*made.algorithm, gossiped_model, real);
    CAPTURE(made.name);
    CHECK(one.statistics.makespan_s == other.statistics.makespan_s);
    CHECK(one.statistics.messages == other.statistics.messages);
    CHECK(one.end_s(4) == other.end_s(4));
  }
}

TEST_CASE("a second run of any gossip algorithm gives bit-identical models and times") {
  for (const Made& made : every_algorithm(4)) {
    TrainingSetup setup = setup_of(4);
    setup.replica = [](Rank rank) { return different_replica(gossiped_model, rank, 0.1); };
    const Trained one = run_algorithm(*made.algorithm, gossiped_model, setup);
    const Trained other = run_algorithm(*made.algorithm, gossiped_model, setup);
    CAPTURE(made.name);
    CHECK(one.statistics.makespan_s == other.statistics.makespan_s);
    CHECK(one.parameters == other.parameters);
  }
}

TEST_CASE("the logged parts of an iteration sum to its length under every gossip algorithm") {
  for (const Made& made : every_algorithm(4)) {
    const Trained trained = run_algorithm(*made.algorithm, gossiped_model, setup_of(4));
    CAPTURE(made.name);
    check_accounts(trained.log, 4, 5);
  }
}

TEST_CASE(
    "runs of gossip algorithms whose messages wait for receivers end, with the same models except for "
    "AD-PSGD") {
  for (const Made& made : every_algorithm(8)) {
    TrainingSetup setup = setup_of(8);
    setup.replica = [](Rank rank) { return different_replica(gossiped_model, rank, 0); };
    const Trained eager = run_algorithm(*made.algorithm, gossiped_model, setup);
    const Trained waiting = run_algorithm(*made.algorithm, gossiped_model, setup, 0);
    CAPTURE(made.name);
    for (Rank rank = 0; rank < 8; ++rank) CHECK(waiting.log.of(rank).size() == 5);
    if (made.name != "adpsgd") CHECK(eager.parameters == waiting.parameters);
  }
}

TEST_CASE("a gossip worker alone, or one without iterations, sends no models") {
  for (const Made& made : every_algorithm(1)) {
    CAPTURE(made.name);
    CHECK(run_algorithm(*made.algorithm, gossiped_model, setup_of(1)).statistics.messages == 0);
  }
  for (const Made& made : every_algorithm(4)) {
    TrainingSetup setup = setup_of(4);
    setup.iterations = 0;
    const Trained trained = run_algorithm(*made.algorithm, gossiped_model, setup);
    CAPTURE(made.name);
    CHECK(trained.statistics.bytes < 100);  // the goodbyes of adpsgd
    CHECK(trained.log.of(0).empty());
  }
}

TEST_CASE("an exception in the middle of an iteration ends the run of any gossip algorithm") {
  const auto load = [](Rank rank, std::int64_t iteration) {
    if (rank == 1 && iteration == 1) throw std::runtime_error("the power fails");
    return Load{};
  };
  for (const Made& made : every_algorithm(4)) {
    TrainingSetup setup = setup_of(4);
    setup.load = load;
    CAPTURE(made.name);
    CHECK_THROWS_WITH_AS(run_algorithm(*made.algorithm, gossiped_model, setup), "the power fails",
                         std::runtime_error);
  }
}

}  // namespace
}  // namespace starling

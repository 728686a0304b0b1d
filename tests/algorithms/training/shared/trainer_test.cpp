#include "algorithms/training/shared/trainer.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "sim/networks/event/event_network.hpp"
#include "tests/algorithms/training/training_fixture.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

const Workload model_of_three_layers = workload_of({{{2}, 1, 10}, {{}, 2, 20}, {{3, 4}, 4, 40}}, 0.5);

IterationRecord run_one(const TrainingJob& job, const std::function<void(Trainer&)>& body) {
  const StarOptions star{.link = {.bandwidth_Bps = 1, .latency_s = 0}};
  const Network network = build_network({.workers = 1, .network = {.kind = star}});
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  world.run([&](Worker& worker) {
    Replica replica(job.workload);
    Trainer trainer(worker, replica, job);
    body(trainer);
  });
  return job.log.of(0).back();
}

TEST_CASE("every second of an iteration is logged under the part for which it was spent") {
  IterationLog log(1);
  const TrainingJob job{.workload = model_of_three_layers,
                        .iterations = 1,
                        .load = [](Rank, std::int64_t) { return Load{.delay_s = 100, .factor = 2}; },
                        .log = log};
  const IterationRecord record = run_one(job, [](Trainer& trainer) {
    trainer.begin_iteration();
    CHECK(trainer.worker().now() == 100);
    trainer.forward_to(2);
    CHECK(trainer.worker().now() == 106);
    trainer.forward();
    trainer.backward_to(2);
    CHECK(trainer.worker().now() == 194);
    trainer.backward();
    trainer.worker().compute(7);  // something that is none of the parts
    trainer.update({.first = 1, .count = 2});
    trainer.backward();  // no layer is left, so gradients were ready before
    trainer.end_iteration();
  });
  CHECK(record.delay_s == 100);
  CHECK(record.forward_s == about(14));
  CHECK(record.backward_s == about(140));
  CHECK(record.update_s == about(7 * 4 * 0.5));
  CHECK(record.blocked_s == about(7));
  CHECK(record.ready_s == about(254));
  CHECK(record.end_s == about(254 + 7 + 14));
}

TEST_CASE("the load of an iteration is asked for once, also if it is needed before the iteration begins") {
  IterationLog log(1);
  std::vector<std::int64_t> asked;
  const TrainingJob job{.workload = model_of_three_layers,
                        .iterations = 2,
                        .load =
                            [&](Rank, std::int64_t iteration) {
                              asked.push_back(iteration);
                              return Load{.delay_s = static_cast<double>(iteration), .factor = 1};
                            },
                        .log = log};
  run_one(job, [](Trainer& trainer) {
    for (int iteration = 0; iteration < 2; ++iteration) {
      CHECK(trainer.next_load().delay_s == iteration);
      trainer.begin_iteration();
      trainer.forward();
      trainer.backward();
      trainer.end_iteration();
    }
  });
  CHECK(asked == std::vector<std::int64_t>{0, 1});
  CHECK(log.of(0)[1].delay_s == 1);
}

TEST_CASE("an update takes as long where gradients are sent with 16 bits") {
  IterationLog log(1);
  Workload workload = model_of_three_layers;
  workload.bytes_per_element = 2;
  const TrainingJob job{.workload = workload, .iterations = 1, .load = {}, .log = log};
  const IterationRecord record = run_one(job, [](Trainer& trainer) {
    trainer.begin_iteration();
    trainer.forward();
    trainer.backward();
    trainer.update({.first = 0, .count = 3});
    trainer.end_iteration();
  });
  CHECK(record.update_s == about(9 * 4 * 0.5));
}

TEST_CASE("an iteration is logged from the end of the one before it") {
  IterationLog log(1);
  const TrainingJob job{.workload = model_of_three_layers, .iterations = 2, .load = {}, .log = log};
  run_one(job, [](Trainer& trainer) {
    for (int iteration = 0; iteration < 2; ++iteration) {
      trainer.begin_iteration();
      CHECK(trainer.iteration() == iteration);
      trainer.forward();
      trainer.backward();
      trainer.end_iteration();
      trainer.worker().compute(5);  // blocked time of the next one
    }
  });
  CHECK(log.of(0)[0].blocked_s == 0);
  CHECK(log.of(0)[1].blocked_s == about(5));
  CHECK(log.of(0)[1].end_s == about(77 + 5 + 77));
}

TEST_CASE("a backward pass before the end of the forward pass is a broken invariant") {
  IterationLog log(1);
  const TrainingJob job{.workload = model_of_three_layers, .iterations = 1, .load = {}, .log = log};
  CHECK_THROWS_AS(run_one(job,
                          [](Trainer& trainer) {
                            trainer.begin_iteration();
                            trainer.forward_to(2);
                            trainer.backward();
                          }),
                  InvariantError);
}

}  // namespace
}  // namespace starling

#include "algorithms/training/shared/progress.hpp"

#include <doctest/doctest.h>

#include "base/errors.hpp"
#include "sim/networks/event/event_network.hpp"
#include "tests/algorithms/training/training_fixture.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

void run_alone(const std::function<void(Worker&)>& body) {
  const StarOptions star{.link = {.bandwidth_Bps = 1, .latency_s = 0}};
  const Network network = build_network({.workers = 1, .network = {.kind = star}});
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  world.run(body);
}

TEST_CASE("a wait for progress ends when the count reaches its target, and not before") {
  run_alone([](Worker& worker) {
    Progress progress(worker, "steps");
    worker.spawn("steps", [&] {
      for (int step = 0; step < 5; ++step) {
        worker.compute(1);
        progress.add();
      }
    });
    progress.wait_for(0);
    CHECK(worker.now() == 0);
    progress.wait_for(2);
    CHECK(worker.now() == 2);
    progress.wait_for(1);
    CHECK(worker.now() == 2);
    progress.wait_for(5);
    CHECK(worker.now() == 5);
    CHECK(progress.count() == 5);
  });
}

TEST_CASE("a count of progress that jumps over the target also ends the wait") {
  run_alone([](Worker& worker) {
    Progress progress(worker, "steps");
    worker.spawn("steps", [&] {
      worker.compute(1);
      progress.add(10);
    });
    progress.wait_for(3);
    CHECK(worker.now() == 1);
  });
}

TEST_CASE("a wait for progress that never comes is a deadlock that names it") {
  std::string message;
  try {
    run_alone([](Worker& worker) {
      Progress progress(worker, "a layer's partitions");
      progress.wait_for(1);
    });
  } catch (const DeadlockError& error) {
    message = error.what();
  }
  CHECK(message.find("a layer's partitions") != std::string::npos);
}

}  // namespace
}  // namespace starling

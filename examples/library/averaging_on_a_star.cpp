// Uses Starling as a library, without a scenario: simulates the time in which 16 workers on one switch
// average gradients or models.
#include <fmt/core.h>

#include <algorithm>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/registry.hpp"
#include "algorithms/training/synchronous/wait_free_backpropagation.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "topologies/networks/network.hpp"

namespace {

using namespace starling;

constexpr int workers = 16;
constexpr std::int64_t iterations = 10;
constexpr Tag gradient_tag = 1;

Network star() {
  const LinkOptions link{.bandwidth_Bps = 1.25e9, .latency_s = 2e-6};
  return build_network({.workers = workers, .network = {.kind = StarOptions{.link = link}}});
}

/// Two layers of four million parameters each; 20 ms forward, 40 ms backward.
Workload small_workload() {
  Workload workload;
  workload.model.name = "two layers";
  workload.model.tensors = {{.name = "first", .elements = 4'000'000},
                            {.name = "second", .elements = 4'000'000}};
  workload.model.layers = {{.name = "first", .type = "dense", .first_tensor = 0, .tensors = 1},
                           {.name = "second", .type = "dense", .first_tensor = 1, .tensors = 1}};
  workload.batch_size = 32;
  workload.forward_s = {0.010, 0.010};
  workload.backward_s = {0.020, 0.020};
  workload.validate();
  return workload;
}

/// The simulated time of an all-reduce: the body runs once per rank, on a simulated machine.
double allreduce_s(const Network& network, CollectiveKind kind, std::int64_t elements) {
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  double end_s = 0;
  world.run([&](Worker& worker) {
    allreduce(worker, Buffer::sized(elements), gradient_tag, kind);
    end_s = std::max(end_s, worker.now());
  });
  return end_s;
}

double iteration_s(const Network& network, const TrainingOptions& options, const Workload& workload) {
  EventNetwork model(network);
  SimulatedWorld world(network, model);
  const LinearCosts costs{.start_up_s = network.alpha_s(0, 1), .s_per_byte = 1 / network.bandwidth_Bps(0, 1)};
  const auto algorithm = make_training_algorithm(options, workload, {.workers = workers, .costs = costs});
  IterationLog log(workers);
  const TrainingJob job{.workload = workload, .iterations = iterations, .load = {}, .log = log};
  double end_s = 0;
  world.run([&](Worker& worker) {
    Replica replica(workload);
    algorithm->run(worker, replica, job);
    end_s = std::max(end_s, worker.now());
  });
  return end_s / iterations;
}

}  // namespace

int main() {
  const Network network = star();
  const Workload workload = small_workload();
  const std::int64_t elements = workload.parameters();

  fmt::print("an all-reduce of {} floats\n", elements);
  for (const CollectiveKind kind :
       {CollectiveKind::ring, CollectiveKind::halving_doubling, CollectiveKind::double_tree})
    fmt::print("  {:18} {:7.3f} ms\n", name_of(kind), 1e3 * allreduce_s(network, kind, elements));

  fmt::print("an iteration\n");
  const DpsgdOptions dpsgd{.mixing = {.graph = RingGraph{}}, .overlap = true};
  fmt::print("  {:18} {:7.3f} ms\n", "all-reduce", 1e3 * iteration_s(network, AllreduceOptions{}, workload));
  fmt::print("  {:18} {:7.3f} ms\n", "DDP", 1e3 * iteration_s(network, DdpOptions{}, workload));
  fmt::print("  {:18} {:7.3f} ms\n", "D-PSGD on a ring", 1e3 * iteration_s(network, dpsgd, workload));
}

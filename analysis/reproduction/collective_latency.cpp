#include "analysis/reproduction/collective_latency.hpp"

#include <functional>
#include <memory>
#include <vector>

#include "algorithms/collectives/collectives.hpp"
#include "algorithms/collectives/runner.hpp"
#include "algorithms/collectives/schedules/recursive_doubling.hpp"
#include "algorithms/training/partial/eager_sgd.hpp"
#include "algorithms/training/partial/partial_collectives.hpp"
#include "algorithms/training/shared/cluster_facts.hpp"
#include "analysis/running/network_facts.hpp"
#include "analysis/statistics/sample_series.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "topologies/networks/network.hpp"
#include "workloads/records/participation.hpp"

namespace starling {
namespace {

constexpr Tag allreduce_tag = 0;
constexpr Tag barrier_tag = 1;
constexpr Tag first_partial_tag = 2;

// Messages are counted in elements of one byte.
constexpr double element_bytes = 1;

/// The measured call of one worker: the all-reduce of one operation.
using Call = std::function<void()>;

class Benchmark {
 public:
  explicit Benchmark(const CollectiveLatencyOptions& options)
      : options_(options),
        network_(network_of(options.cluster.options, options.cluster.host_costs)),
        participation_(network_.workers()),
        latency_s_(static_cast<std::size_t>(options.operations), 0) {
    const CollectiveChoice choice(options.kind, options.collective,
                                  facts_of(network_, options.cluster.message_costs), element_bytes);
    if (is_partial())
      schedule_ = std::make_unique<RecursiveDoublingAllReduce>(network_.workers(), options.message_bytes);
    else
      schedule_ = choice.allreduce(options.message_bytes);
  }

  CollectiveLatency run() {
    EventNetwork model(network_);
    SimulatedWorld world(network_, model, options_.cluster.message_costs);
    world.run([this](Worker& worker) { run(worker); });
    return summary();
  }

 private:
  bool is_partial() const { return options_.kind != "allreduce"; }

  PartialCollectivePlan plan() const {
    return {.counts = {options_.message_bytes},
            .versions = options_.operations,
            .start =
                [this](std::int64_t operation) {
                  return eager_start({.kind = options_.kind}, network_.workers(), operation, options_.seed);
                },
            .schedule = [this](int, std::int64_t) -> const Schedule& { return *schedule_; },
            .is_serialized = true,
            .empties_send_buffers = true,
            .call_s = options_.operation_cost_s};
  }

  void run(Worker& worker) {
    const Buffer data = Buffer::sized(options_.message_bytes, element_bytes);
    if (!is_partial()) {
      repeat(worker, [&] { run_schedule(worker, *schedule_, data, allreduce_tag); });
      return;
    }
    PartialCollectives collectives(worker, plan(), data, first_partial_tag, &participation_);
    repeat(worker, [&] {
      collectives.contribute(0);
      collectives.wait(0, data);
    });
  }

  void repeat(Worker& worker, const Call& call) {
    for (double& latency_s : latency_s_) {
      worker.compute(options_.first_delay_s + worker.rank() * options_.delay_step_s);
      const double start_s = worker.now();
      call();
      latency_s += (worker.now() - start_s) / worker.world_size();
      barrier(worker, barrier_tag);
    }
  }

  CollectiveLatency summary() const {
    const SampleEstimate latency = mean_of_series({.values = latency_s_});
    return {.mean_s = latency.value,
            .standard_error_s = latency.standard_error,
            .mean_active_workers = is_partial() ? participation_.mean_active_workers() : network_.workers()};
  }

  const CollectiveLatencyOptions& options_;
  Network network_;
  ParticipationLog participation_;
  std::unique_ptr<Schedule> schedule_;
  std::vector<double> latency_s_;  // of every operation, mean over ranks
};

}  // namespace

CollectiveLatency measure_collective_latency(const CollectiveLatencyOptions& options) {
  return Benchmark(options).run();
}

}  // namespace starling

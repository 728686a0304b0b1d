#include "tests/scenarios/reading/good_scenarios.hpp"

#include <algorithm>

#include "base/errors.hpp"
#include "io/json/json_text.hpp"
#include "io/json/overrides.hpp"

namespace starling {

const std::string base_scenario = R"({
  "name": "base",
  "iterations": 4,
  "warmup_iterations": 1,
  "cluster": {
    "workers": 8,
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}
  },
  "workload": {
    "model": "hyperplane_mlp",
    "batch_size": 32,
    "compute": {"forward": "10ms", "backward": "20ms"}
  },
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]
})";

namespace {

/// A profile of the base scenario's model.
const char* const hyperplane_profile = R"({
  "model": "hyperplane_mlp",
  "batch_size": 32,
  "source": "made up",
  "notes": [],
  "layers": [{"name": "dense", "forward": "1ms", "backward": 0.002}]
})";

/// A trace of compute times of the base scenario's workers.
const char* const trace = R"(worker,iteration,seconds
0,0,0.5
1,0,0.5
2,0,0.5
3,0,0.5
4,0,0.5
5,0,0.5
6,0,0.5

7, 0, 6e-1
)";

/// A communication graph of the base scenario's workers, with weights.
const char* const graph = R"(# source destination weight
0 1 0.3
1 2 0.3
2 3 0.3
3 4 0.3
4 5 0.3
5 6 0.3
6 7 0.3
7 0 0.3
)";

/// Eight points of two features and two classes in every format of data.
const char* const points_csv = "x,y,label\n0,0,0\n1,0,1\n0,1,0\n1,1,1\n2,0,1\n0,2,0\n2,1,1\n1,2,0\n";
const char* const points_svm = "0 1:1\n1 2:1\n0 1:2\n1 2:2\n0 1:3\n1 2:3\n0 1:4\n1 2:4\n";

/// Big-endian numbers of four bytes: the kind of data and number of dimensions, then the dimensions; bytes.
std::string idx_file(const std::vector<int>& numbers, int bytes) {
  std::string text;
  for (const int number : numbers)
    for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 255);
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(i % 2);
  return text;
}

/// Eight hosts on a switch.
std::string network_graphml() {
  std::string text =
      "<graphml><key id=\"b\" for=\"edge\" attr.name=\"bandwidth\"><default>1GBps</default></key>"
      "<key id=\"l\" for=\"edge\" attr.name=\"latency\"><default>1us</default></key>"
      "<graph edgedefault=\"undirected\"><node id=\"switch\"/>";
  for (int i = 0; i < 8; ++i)
    text += "<node id=\"h" + std::to_string(i) + "\"/><edge source=\"h" + std::to_string(i) +
            "\" target=\"switch\"/>";
  return text + "</graph></graphml>";
}

}  // namespace

void write_named_files(const ScratchFolder& folder) {
  folder.write(
      "cluster.json",
      R"({"cluster": {"network": {"kind": "star", "link": {"bandwidth": "1GBps", "latency": "1us"}}}})");
  folder.write("profile.json", hyperplane_profile);
  folder.write("trace.csv", trace);
  folder.write("graph.txt", graph);
  folder.write("network.graphml", network_graphml());
  folder.write("points.csv", points_csv);
  folder.write("points.svm", points_svm);
  folder.write("points.idx", idx_file({0x803, 8, 1, 2}, 16));
  folder.write("labels.idx", idx_file({0x801, 8}, 8));
}

nlohmann::json changed_scenario(const std::vector<std::string>& changes) {
  nlohmann::json document = parse_json(base_scenario, "base");
  for (const std::string& change : changes) {
    const std::string removal = "remove ";
    if (!change.starts_with(removal)) {
      apply_override(document, parse_override(change));
      continue;
    }
    const nlohmann::json::json_pointer pointer(change.substr(removal.size()));
    document.at(pointer.parent_pointer()).erase(pointer.back());
  }
  return document;
}

const std::vector<std::vector<std::string>>& good_scenarios() {
  static const std::vector<std::vector<std::string>> scenarios = {
      {},
      {"remove /name", "remove /iterations", "remove /warmup_iterations"},
      {"/seed=9223372036854775807", "/engine=event", "/collectives=messages"},
      {"/engine=simgrid"},
      {R"(/simgrid={"model": "LV08", "cross_traffic": true, "tcp_gamma": "4MiB", "latency_factor": 2,
          "bandwidth_factor": 0.9, "weight_s": 20537, "time_precision": "1ns", "rate_precision": 1e-4})"},
      {"/cluster/workers_per_host=4", "/cluster/intra_host_link/bandwidth=16GBps",
       "/cluster/intra_host_link/latency=1us", "/cluster/message_overhead=1us",
       "/cluster/reduction_rate=8GBps", "/cluster/eager_threshold=64KiB", "/cluster/send_buffer=32KiB",
       "/cluster/wake_up=20us", "/cluster/goodput=0.95", "/cluster/host_latency=3us",
       "/cluster/host_rate=5GBps", "/cluster/model_error=0.05"},
      {R"(/cluster/network={"kind": "star", "host_links": [
          {"bandwidth": 1e9, "latency": 0}, {"bandwidth": 2e9, "latency": 0},
          {"bandwidth": 1e9, "latency": 0},
          {"bandwidth": 1e9, "latency": 0}, {"bandwidth": 1e9, "latency": 0},
          {"bandwidth": 1e9, "latency": 0},
          {"bandwidth": 1e9, "latency": 0}, {"bandwidth": 1e9, "latency": 1e-6}]})"},
      {R"(/cluster/network/overrides=[{"host": 1, "bandwidth": "1Gbps"},
          {"link": "host3 -> *", "latency": "9us"},
          {"between": ["host2", "switch0"], "bandwidth": 1e8, "latency": 0}])",
       "/cluster/network/path_choice=destination"},
      {"/cluster/network/path_choice=hash", "/cluster/network/hash_seed=7"},
      {R"(/cluster/network={"kind": "ring", "link": {"bandwidth": 1e9, "latency": 0},
          "overrides": [{"between": ["host0", "host1"], "failed": true}, {"host": 1, "failed": false}]})"},
      {R"(/cluster/network={"kind": "ring", "link": {"bandwidth": 1e9, "latency": 0}, "switches": true,
          "host_link": {"bandwidth": 2e9, "latency": 0}})"},
      {"/cluster/network/kind=line"},
      {"/cluster/network/kind=torus", "/cluster/network/dimensions=[2, 4]"},
      {R"(/cluster/network={"kind": "mesh", "dimensions": [2, 2, 2], "dimension_links": [
          {"bandwidth": 1e9, "latency": 0}, {"bandwidth": 2e9, "latency": 0},
          {"bandwidth": 3e9, "latency": 0}]})"},
      {"/cluster/network/kind=hypercube"},
      {"/cluster/network/kind=complete"},
      {"/cluster/network/kind=fat_tree", "/cluster/network/k=4"},
      {R"(/cluster/network={"kind": "fat_tree", "levels": [
          {"down": 4, "up": 1, "link": {"bandwidth": 1e9, "latency": 0}},
          {"down": 2, "up": 2, "parallel": 2, "link": {"bandwidth": 2e9, "latency": 0}}]})"},
      {R"(/cluster/network={"kind": "leaf_spine", "hosts_per_leaf": 4, "spines": 2, "leaves": 3,
          "oversubscription": 2,
          "link": {"bandwidth": 1e9, "latency": 0}})"},
      {R"(/cluster/network={"kind": "leaf_spine", "hosts_per_leaf": 4, "spines": 2,
          "link": {"bandwidth": 1e9, "latency": 0}, "spine_link": {"bandwidth": 4e9, "latency": 1e-6}})"},
      {"/workload/compute/forward=0", "/workload/compute/backward=0s", "/workload/compute/kind=gemm",
       "/workload/optimizer_rate=100GBps", "/workload/gradient_dtype=bf16"},
      {R"(/workload/compute={"kind": "emulated", "profile": "profile.json", "scale": 0.5})"},
      {R"(/workload/compute={"kind": "gemm", "gpu": "A100", "precision": "tf32", "achieved_fraction": 0.4,
          "backward_ratio": 2.5})"},
      {R"(/workload/compute={"gpu": "RTX 2080 Ti", "achieved_fraction": 1})"},
      {R"(/workload/imbalance=[])"},
      {R"(/workload/imbalance={"kind": "normal", "coefficient_of_variation": 0.1})"},
      {R"(/workload/imbalance=[{"kind": "lognormal", "coefficient_of_variation": 0.1},
          {"kind": "gamma", "coefficient_of_variation": 1},
          {"kind": "weibull", "coefficient_of_variation": 0},
          {"kind": "distribution", "name": "cloud_resnet50_batch"},
          {"kind": "random_delay", "workers": 2, "delay": "320ms"},
          {"kind": "independent_delay", "probability": 0.03, "delay": "320ms"},
          {"kind": "linear_skew", "step": "10ms", "rotate": true},
          {"kind": "slow_workers", "workers": [0, 7], "factor": 1.5},
          {"kind": "markov", "slow_factor": 2, "mean_slow": 5, "mean_fast": 50},
          {"kind": "pause", "worker": 3, "iteration": 2, "duration": "1s"},
          {"kind": "distribution", "name": "rl_habitat_collect", "as": "delay",
           "clustered_tail": {"probability": 0.05, "iterations": 0.4}},
          {"kind": "periodic", "every": 50, "iterations": 2, "factor": 1.5, "delay": "1s",
           "phases": "spread"}])"},
      {R"(/workload/imbalance={"kind": "trace", "file": "trace.csv"})"},
      {R"(/algorithms=[{"kind": "eager_solo", "limiter": 32, "late_gradients": "drop",
          "model_sync_iterations": 10,
           "bucket_bytes": "25MiB", "serialized": false, "collective": "recursive_doubling"},
          {"kind": "eager_majority"}, {"kind": "eager_solo"}, {"kind": "wagma"},
          {"kind": "wagma", "group_size": 4, "sync_period": 8, "fixed_groups": true, "bucket_bytes": 0,
           "published_code": true,
           "serialized": false, "collective": "ring"}, {"kind": "wagma", "group_size": "sqrt"},
          {"kind": "local_sgd", "period": 1}, {"kind": "local_sgd"},
          {"kind": "local_sgd", "bucket_bytes": "1MiB"},
          {"kind": "slowmo", "period": 4, "momentum": 0.7, "slow_learning_rate": 0.5, "nesterov": true,
           "collective": "auto"},
          {"kind": "slowmo", "graph": "exponential", "mixing": "push_sum"},
          {"kind": "decentralized_adam", "graph": "complete", "bucket_bytes": "1B", "collective": "auto",
           "overlap": false},
          {"kind": "decentralized_adam"}])"},
      {R"(/algorithms=[{"kind": "dpsgd"}, {"kind": "dpsgd", "graph": "ring", "overlap": true},
          {"kind": "dpsgd", "graph": {"kind": "ring", "direction": "left"}, "mixing": "uniform"},
          {"kind": "dpsgd", "graph": {"kind": "star", "center": 1}, "mixing": "metropolis_hastings"},
          {"kind": "dpsgd", "graph": "complete"}, {"kind": "dpsgd", "graph": {"kind": "complete"}},
          {"kind": "dpsgd", "graph": {"kind": "mesh_2d", "dimensions": [2, 4]}},
          {"kind": "dpsgd", "graph": {"kind": "torus", "dimensions": [2, 2, 2]}},
          {"kind": "dpsgd", "graph": "torus"},
          {"kind": "dpsgd", "graph": {"kind": "hypercube"}},
          {"kind": "dpsgd", "graph": {"kind": "exponential", "base": 2}},
          {"kind": "dpsgd", "graph": {"kind": "symmetric_exponential", "base": 2}},
          {"kind": "dpsgd", "graph": {"kind": "one_peer_exponential", "pairs": "shift", "peers": 2}},
          {"kind": "dpsgd", "graph": {"kind": "one_peer_ring"}},
          {"kind": "dpsgd", "graph": {"kind": "random_regular", "degree": 3, "seed": 7}},
          {"kind": "dpsgd", "graph": {"kind": "small_world", "neighbors": 4, "rewiring_probability": 0.2,
           "seed": 7}},
          {"kind": "dpsgd", "graph": {"kind": "file", "file": "graph.txt", "directed": false},
           "mixing": "given"},
          {"kind": "dpsgd", "graph": {"kind": "edge_list", "directed": false, "edges": [[0, 1], [1, 2]]}},
          {"kind": "dpsgd", "collective": "ring"}, {"kind": "dpsgd", "bucket_bytes": 0},
          {"kind": "sgp", "bucket_bytes": 0}])"},
      {R"(/algorithms=[{"kind": "adpsgd"}, {"kind": "adpsgd", "graph": "ring"}, {"kind": "sgp"},
          {"kind": "sgp", "neighbors": 2, "overlap": 1},
          {"kind": "sgp", "label": "one per host", "per_host": true},
          {"kind": "sgp", "graph": {"kind": "exponential"}, "mixing": "push_sum"}])"},
      {"/cluster/workers_per_host=4", "/cluster/intra_host_link/bandwidth=16GBps",
       "/cluster/intra_host_link/latency=1us",
       R"(/algorithms=[{"kind": "dpsgd", "graph": {"kind": "alternating_exponential_ring"}}])"},
      {R"(/learning={"task": "quadratic", "learning_rate": 0.1})"},
      {R"(/learning={"task": "quadratic", "learning_rate": 0.1, "optimizer": "adam"})"},
      {R"(/learning={"task": "quadratic", "learning_rate": 0, "dimension": 7, "condition_number": 1,
          "gradient_noise": 0.5, "heterogeneity": 2, "target_loss": 0.25, "evaluate_every": 3,
          "optimizer": {"kind": "sgd", "momentum": 0.9, "nesterov": true, "weight_decay": 1e-4}})"},
      {R"(/learning={"task": "hyperplane", "learning_rate": 0.01, "features": 30, "points": 64,
          "batch_size": 16,
          "noise_variance": 1, "coefficient_deviation": 2, "optimizer": {"kind": "adam", "beta1": 0.8,
          "beta2": 0.99, "epsilon": 1e-6, "weight_decay": 0.1}})"},
      {R"(/learning={"task": "logistic_regression", "learning_rate": 0.1, "batch_size": 4, "optimizer":
          {"kind": "adamw"}, "data": {"kind": "csv", "file": "points.csv", "label_column": 2,
           "standardize": true}})"},
      {R"(/learning={"task": "logistic_regression", "learning_rate": 0.1, "data": {"kind": "libsvm",
          "file": "points.svm", "features": 3, "standardize": false}, "partition": "iid"})"},
      {R"(/learning={"task": "perceptron", "learning_rate": 0.1, "hidden": [4, 3], "batch_size": 0,
          "optimizer": {"kind": "accum_adam", "accumulation": 4},
          "data": {"kind": "idx", "points": "points.idx",
          "labels": "labels.idx", "standardize": true}})"},
      {R"(/learning={"task": "perceptron", "learning_rate": 0.1, "hidden": [8], "partition":
          {"kind": "dirichlet", "concentration": 0.5},
          "data": {"kind": "generated", "points": 64, "features": 5,
          "classes": 3, "separation": 1.5}})"},
      {R"(/cluster={"file": "cluster.json", "workers": 8})"},
      {"/engine=tcp"},
      {"/engine=tcp", R"(/cluster/tcp={"window": "1MiB", "frame": 1448, "frames_per_message": 64,
          "acknowledgment": 0, "frames_at_first_link": 1})"},
      {R"(/cluster/tcp={"frame": "9kB"})"},
      {"/engine=fair"},
      {R"(/fair={"epsilon": 0.01, "window": "1MiB", "frame": "64KiB", "connection_rate": "5Gbps",
                 "weight_s": 20537, "unevenness": 0.1, "queued_at_first_link": 0.25})"},
      {"/engine=tcp", R"(/fair={"connection_rate": 625e6})"},
      {"/cluster/transport=nccl_ib", "/cluster/channels=4", "/cluster/eager_threshold=unlimited"},
      {"/cluster/transport=mpi_tcp", "/cluster/send_buffer=unlimited", R"(/cluster/protocols=[
          {"name": "quick", "efficiency": 0.5, "intra_host_efficiency": 0.4},
          {"name": "lean", "latency": "3us", "intra_host_latency": 0}])"},
      {R"(/workload/compute={"batches": [{"batch_size": 1, "forward": "5ms", "backward": "9ms"},
          {"batch_size": 64, "forward": "40ms", "backward": "80ms"}]})"},
      {R"(/algorithms=[{"kind": "eager_solo", "operation_cost": "0.25ms"},
          {"kind": "wagma", "operation_cost": "0.12ms"},
          {"kind": "horovod", "sparse_tensors": ["fc.weight"]},
          {"kind": "bytescheduler", "host_time": "145ms"}])"},
      {R"(/cluster/network={"kind": "fat_tree", "levels": [{"down": 64, "up": 1, "parallel": 2}],
          "path_choice": "worker", "link": {"bandwidth": "25Gbps", "latency": "10us"}})"},
      {R"(/workload/compute={"batches": [{"batch_size": 64, "forward": "40ms", "backward": "80ms"}],
          "launch_time": "20us"})"},
      {"/cluster/workers=4", R"(/cluster/network={"kind": "graph", "switches": 1, "cables": [
          {"from": 0, "to": 4, "link": {"bandwidth": 1e9, "latency": 0}},
          {"from": 1, "to": 4, "link": {"bandwidth": 1e9, "latency": 0}},
          {"from": 2, "to": 4, "link": {"bandwidth": 1e9, "latency": 0}},
          {"from": 3, "to": 4, "link": {"bandwidth": 1e9, "latency": 0}}], "hosts_forward": false,
          "preferred_switches": 1})"},
      {R"(/cluster/placement=[7, 6, 5, 4, 3, 2, 1, 0])"},
      {"/cluster/placement=snake", R"(/cluster/network={"kind": "torus", "dimensions": [2, 4],
          "link": {"bandwidth": "10Gbps", "latency": "5us"}})"},
      {"remove /workload", "remove /algorithms", R"(/jobs=[
          {"name": "first", "workers": 2, "workload": {"model": "hyperplane_mlp", "batch_size": 32,
            "compute": {"forward": "10ms", "backward": "20ms"}}, "algorithm": {"kind": "ddp"}},
          {"ranks": [7, 5, 3], "seed": 5, "start": "250ms", "iterations": 9, "warmup_iterations": 2,
            "repeat": true, "workload": {"model": "hyperplane_mlp", "batch_size": 8,
              "compute": {"forward": "5ms", "backward": "10ms"},
              "imbalance": {"kind": "slow_workers", "workers": [2], "factor": 2}},
            "algorithm": {"kind": "dpsgd", "graph": {"kind": "ring"}, "label": "ring"}},
          {"workers": 1, "first_worker": 6, "workload": {"model": "hyperplane_mlp", "batch_size": 8,
            "compute": {"forward": "5ms", "backward": "10ms"}}, "algorithm": {"kind": "allreduce"}}])"},
      {"/workload/communication_slowdown=0"},
      {"/workload/communication_slowdown=0.189"},
      {"/cluster/network/kind=dragonfly"},
      {R"(/cluster/network={"kind": "dragonfly", "routers_per_group": 2, "hosts_per_router": 1,
          "global_links_per_router": 2, "groups": 5, "routing": "valiant",
          "link": {"bandwidth": 1e9, "latency": 0}, "local_link": {"bandwidth": 2e9, "latency": 0},
          "global_link": {"bandwidth": 3e9, "latency": 1e-6}})"},
      {R"(/cluster/network={"kind": "hamming_mesh", "board": [2, 1], "boards": [2, 2],
          "link": {"bandwidth": 1e9, "latency": 0}, "switch_link": {"bandwidth": 2e9, "latency": 1e-6}})"},
      {R"(/cluster/network={"kind": "slim_fly", "q": 3, "hosts_per_switch": 1,
          "link": {"bandwidth": 1e9, "latency": 0}, "switch_link": {"bandwidth": 2e9, "latency": 1e-6}})"},
      {R"(/cluster/network={"kind": "random_regular", "ports": 5, "hosts_per_switch": 2, "switches": 6,
          "seed": 9, "link": {"bandwidth": 1e9, "latency": 0},
          "switch_link": {"bandwidth": 2e9, "latency": 1e-6}})"},
      {R"(/iterations={"standard_error": 0.02, "most": 400})"},
      {R"(/iterations={})"},
      {"/cluster/workers_per_host=4", "/cluster/intra_host_link/bandwidth=16GBps",
       "/cluster/intra_host_link/latency=1us", "/cluster/nics_per_host=4",
       R"(/cluster/nic_link={"bandwidth": "32GBps", "latency": "500ns"})",
       R"(/cluster/network={"kind": "rail", "link": {"bandwidth": 1e9, "latency": 0}})"},
      {"/cluster/workers_per_host=2", "/cluster/intra_host_link/bandwidth=16GBps",
       "/cluster/intra_host_link/latency=1us", "/cluster/nics_per_host=2",
       R"(/cluster/network={"kind": "rail", "hosts_per_switch": 2, "spines": 2, "oversubscription": 2,
          "cross_rail": "spines", "link": {"bandwidth": 1e9, "latency": 0}})"},
      {R"(/cluster/network={"kind": "rail", "hosts_per_switch": 4, "spines": 1,
          "link": {"bandwidth": 1e9, "latency": 0}, "spine_link": {"bandwidth": 4e9, "latency": 0}})"},
      {R"(/cluster/network={"kind": "file", "path": "network.graphml"})"},
      {"/cluster/host_rate=unlimited"},
      {R"(/workload/compute={"throughput": 329})"},
      {"remove /cluster/network", "/cluster/workers_per_host=8", "/cluster/intra_host_link/bandwidth=300GBps",
       "/cluster/intra_host_link/latency=2us"},
      {"remove /cluster/network", "/cluster/workers=1"},
      {"/workload/gradient_accumulation_steps=4"},
      {R"(/algorithms=[{"kind": "allreduce", "collective": "auto"},
          {"kind": "wfbp", "label": "WFBP, by doubling",
          "collective": "recursive_doubling"}, {"kind": "mg_wfbp", "collective": "halving_doubling"},
          {"kind": "ddp", "bucket_bytes": "10MB", "first_bucket_bytes": "1B", "collective": "double_tree"},
          {"kind": "horovod", "cycle_time": "5ms", "fusion_bytes": 0, "collective": "hierarchical"},
          {"kind": "bytescheduler", "partition_bytes": "1MB", "credit_bytes": "4MB", "streams": 2},
          {"kind": "dear", "bucket_bytes": "auto", "prefetch_depth": 4, "launch_ahead": false,
           "sync_each_iteration": true},
          {"kind": "dear", "bucket_bytes": 0}, {"kind": "dear"},
          {"kind": "mg_wfbp", "label": "MG", "planned_start_up": "4ms", "planned_bandwidth": "1.2GBps"}])"},
  };
  return scenarios;
}

const std::vector<std::string>& good_scenario_with(std::string_view text) {
  const std::vector<std::string>* found = nullptr;
  for (const std::vector<std::string>& changes : good_scenarios()) {
    if (std::ranges::none_of(changes,
                             [&](const auto& change) { return change.find(text) != std::string::npos; }))
      continue;
    STARLING_INVARIANT(found == nullptr);
    found = &changes;
  }
  STARLING_INVARIANT(found != nullptr);
  return *found;
}

}  // namespace starling

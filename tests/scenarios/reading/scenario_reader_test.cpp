#include "scenarios/reading/scenario_reader.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "io/data_directory.hpp"
#include "io/scenario_error.hpp"
#include "sim/messages/transport.hpp"
#include "tests/algorithms/training/every_options.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"

namespace starling {

namespace {

/// Reads the base scenario with changes, from a folder that has the files which good scenarios name.
class Reading {
 public:
  Reading() { write_named_files(folder_); }

  Scenario read(const std::vector<std::string>& changes,
                const std::vector<std::string>& overrides = {}) const {
    return read_scenario(folder_.write("scenario.json", changed_scenario(changes).dump()), overrides);
  }

  const ScratchFolder& folder() const { return folder_; }

 private:
  ScratchFolder folder_;
};

TEST_CASE("a scenario is read into SI units") {
  const Scenario scenario =
      Reading().read({"/cluster/workers_per_host=4", "/cluster/message_overhead=1us",
                      "/cluster/intra_host_link/bandwidth=16GBps", "/cluster/intra_host_link/latency=1us",
                      "/cluster/reduction_rate=8GBps", "/cluster/eager_threshold=64KiB",
                      "/workload/optimizer_rate=100GBps"});
  CHECK(scenario.name == "base");
  CHECK(scenario.iterations == 4);
  CHECK(scenario.warmup_iterations == 1);
  CHECK(scenario.cluster.workers == 8);
  CHECK(scenario.cluster.workers_per_host == 4);
  const auto& star = std::get<StarOptions>(scenario.cluster.network.kind);
  CHECK(star.link.bandwidth_Bps == 1.25e9);
  CHECK(star.link.latency_s == 5e-6);
  CHECK(scenario.cluster.intra_host_link->bandwidth_Bps == 16e9);
  CHECK(scenario.message_costs.overhead_s == 1e-6);
  CHECK(scenario.message_costs.reduction_s_per_byte == 1 / 8e9);
  CHECK(scenario.message_costs.eager_threshold_bytes == 65536);
  CHECK(scenario.workload.model.name == "hyperplane_mlp");
  CHECK(scenario.workload.batch_size == 32);
  CHECK(scenario.workload.forward_total_s() == about(0.01));
  CHECK(scenario.workload.backward_total_s() == about(0.02));
  CHECK(scenario.workload.optimizer_s_per_byte == 1 / 100e9);
  REQUIRE(scenario.algorithms.size() == 2);
  CHECK(scenario.algorithms[0].options.get_if<AllreduceOptions>()->collective == "ring");
  CHECK(scenario.algorithms[1].options.get_if<DdpOptions>()->bucket_bytes == 25 * mebibyte);
}

TEST_CASE("what is left out is free, absent or a documented default") {
  const Reading reading;
  const Scenario scenario = reading.read({"remove /name", "remove /iterations", "remove /warmup_iterations"});
  CHECK(scenario.name == "scenario");  // the file's
  CHECK(scenario.seed == 1);
  CHECK(scenario.iterations == 100);
  CHECK(scenario.warmup_iterations == 10);
  CHECK(reading.read({"/iterations=2", "remove /warmup_iterations"}).warmup_iterations == 1);
  CHECK(reading.read({"/iterations=1", "remove /warmup_iterations"}).warmup_iterations == 0);
  CHECK(scenario.engine == Engine::fair);
  CHECK(scenario.collectives == CollectiveExecution::automatic);
  CHECK(scenario.simgrid == SimGridOptions{});
  CHECK(scenario.cluster.workers_per_host == 1);
  CHECK(!scenario.cluster.intra_host_link);
  CHECK(scenario.message_costs.overhead_s == 0);
  CHECK(scenario.message_costs.reduction_s_per_byte == 0);
  CHECK(scenario.transport == "nccl_tcp");
  CHECK(scenario.message_costs.eager_threshold_bytes == 4 * mebibyte);
  CHECK(scenario.workload.optimizer_s_per_byte == 0);
  CHECK(scenario.imbalance.empty());
  CHECK(scenario.warnings.empty());
}

TEST_CASE("the transport follows from the network, and its costs hold unless they are given") {
  const Reading reading;
  const auto transport_of = [&](const std::vector<std::string>& changes) {
    return reading.read(changes).transport;
  };
  const Scenario near = reading.read({"/cluster/network/link/latency=4.9us"});
  CHECK(near.transport == "nccl_ib");
  CHECK(near.transport_reason == "not given; hosts are 9.8 us apart");
  CHECK(near.message_costs.protocols == transport("nccl_ib").protocols_of_single_workers);
  CHECK(reading
            .read({"/cluster/transport=nccl_ib", "/cluster/workers_per_host=2",
                   R"(/cluster/intra_host_link={"bandwidth": "300GBps", "latency": "1us"})"})
            .message_costs.protocols == transport("nccl_ib").costs.protocols);
  CHECK(near.message_costs.channels == 2);
  CHECK(transport_of({"/cluster/network/link/latency=5us"}) == "nccl_tcp");
  CHECK_NOTHROW(transport_of({"/cluster/network/link/latency=25us", "/cluster/transport=nccl_ib"}));
  CHECK_THROWS_AS(transport_of({"/cluster/network/link/latency=25.1us", "/cluster/transport=nccl_ib"}),
                  ScenarioError);
  CHECK_NOTHROW(transport_of({R"(/cluster/network={"kind": "line", "link": {"bandwidth": 1e9,
                                "latency": "20us"}})",
                              "/cluster/transport=nccl_ib"}));  // in all 140 us
  CHECK(transport_of({"/cluster/network/link/latency=1us", "/cluster/host_latency=9us"}) == "nccl_tcp");
  CHECK(transport_of({"/cluster/network/link/latency=1us", "/engine=tcp"}) == "nccl_tcp");
  CHECK(transport_of({"/cluster/send_buffer=400kB"}) == "mpi_tcp");
  CHECK(transport_of({"/cluster/workers=1"}) == "nccl_ib");
  CHECK(transport_of({"/cluster/workers=1", "/engine=tcp"}) == "nccl_tcp");
  CHECK(reading.read({"/cluster/workers=1", "/engine=tcp"}).transport_reason ==
        "not given; there is one host, engine tcp");
  reading.folder().write("measured.json", R"({"cluster": {"send_buffer": 4e5}})");
  CHECK(transport_of({"/cluster/file=measured.json"}) == "mpi_tcp");

  const Scenario given = reading.read({"/cluster/transport=mpi_tcp", "/cluster/message_overhead=1us",
                                       "/cluster/send_buffer=unlimited", "/cluster/channels=3"});
  CHECK(given.transport_reason == "given");
  CHECK(given.message_costs.overhead_s == 1e-6);
  CHECK(given.message_costs.eager_threshold_bytes == 65536);
  CHECK(std::isinf(given.message_costs.send_buffer_bytes));
  CHECK(given.message_costs.channels == 3);
  CHECK(std::isinf(given.host_costs.rate_Bps));
  CHECK(reading.read({"/cluster/transport=nccl_tcp"}).host_costs.rate_Bps == 4.7e9);
  CHECK(std::isinf(
      reading.read({"/cluster/transport=nccl_tcp", "/cluster/host_rate=unlimited"}).host_costs.rate_Bps));
  CHECK(
      reading.read({"/cluster/transport=nccl_ib", "/cluster/protocols=[]"}).message_costs.protocols.empty());
}

TEST_CASE("every host that forwards a message to the next one counts where no transport is given") {
  const Scenario scenario =
      Reading().read({R"(/cluster/network={"kind": "ring", "link": {"bandwidth": 1e9, "latency": "1us"}})",
                      "/cluster/host_latency=5us", "/cluster/placement=[0, 2, 1, 3, 4, 5, 6, 7]"});
  CHECK(scenario.transport_reason == "not given; hosts are 12 us apart");
  CHECK(scenario.transport == "nccl_tcp");
}

TEST_CASE("what a given protocol leaves out is the default, and not what the transport's protocols have") {
  const Scenario scenario =
      Reading().read({"/cluster/transport=nccl_ib",
                      R"(/cluster/protocols=[{"name": "plain"}, {"name": "thin", "efficiency": 0.5}])"});
  const std::vector<Protocol>& protocols = scenario.message_costs.protocols;
  REQUIRE(protocols.size() == 2);
  CHECK(protocols[0] == Protocol{.name = "plain"});
  CHECK(protocols[1] == Protocol{.name = "thin", .efficiency = 0.5, .intra_host_efficiency = 0.5});
}

TEST_CASE("the defaults of algorithms are those of their options") {
  const Scenario scenario = Reading().read(
      {R"(/algorithms=[{"kind": "ddp"}, {"kind": "horovod"}, {"kind": "bytescheduler"}, {"kind": "dear"}])"});
  const auto& ddp = *scenario.algorithms[0].options.get_if<DdpOptions>();
  CHECK(ddp.first_bucket_bytes == DdpOptions{}.first_bucket_bytes);
  CHECK(scenario.algorithms[0].as_read["bucket_bytes"] == DdpOptions{}.bucket_bytes);
  CHECK(scenario.algorithms[0].as_read["first_bucket_bytes"] == DdpOptions{}.first_bucket_bytes);
  CHECK(scenario.algorithms[1].as_read["cycle_time"] == HorovodOptions{}.cycle_time_s);
  CHECK(scenario.algorithms[1].as_read["fusion_bytes"] == HorovodOptions{}.fusion_bytes);
  CHECK(scenario.algorithms[2].as_read["partition_bytes"] == ByteSchedulerOptions{}.partition_bytes);
  CHECK(scenario.algorithms[2].as_read["credit_bytes"] == ByteSchedulerOptions{}.credit_bytes);
  CHECK(scenario.algorithms[3].as_read["bucket_bytes"] == DearOptions{}.bucket_bytes);
  CHECK(scenario.algorithms[3].as_read["prefetch_depth"] == DearOptions{}.prefetch_depth);
}

TEST_CASE("dear takes every collective that falls into a reduce-scatter and an all-gather") {
  for (const std::string collective : {"ring", "halving_doubling", "auto"}) {
    const auto scenario =
        Reading().read({R"(/algorithms=[{"kind": "dear", "collective": ")" + collective + R"("}])"});
    CHECK(scenario.algorithms[0].options.get_if<DearOptions>()->collective == collective);
  }
}

TEST_CASE("options of algorithms are read") {
  const auto algorithms = Reading().read(good_scenario_with("mg_wfbp")).algorithms;
  CHECK(algorithms[0].options.get_if<AllreduceOptions>()->collective == "auto");
  CHECK(algorithms[1].label == "WFBP, by doubling");
  CHECK(algorithms[1].options.get_if<WfbpOptions>()->collective == "recursive_doubling");
  CHECK(algorithms[3].options.get_if<DdpOptions>()->bucket_bytes == 10e6);
  CHECK(algorithms[3].options.get_if<DdpOptions>()->first_bucket_bytes == 1);
  CHECK(algorithms[4].options.get_if<HorovodOptions>()->cycle_time_s == 5e-3);
  CHECK(algorithms[4].options.get_if<HorovodOptions>()->fusion_bytes == 0);
  const auto& bytescheduler = *algorithms[5].options.get_if<ByteSchedulerOptions>();
  CHECK(bytescheduler.partition_bytes == 1e6);
  CHECK(bytescheduler.credit_bytes == 4e6);
  CHECK(bytescheduler.streams == 2);
  const auto& dear = *algorithms[6].options.get_if<DearOptions>();
  CHECK_FALSE(dear.bucket_bytes.has_value());
  CHECK(dear.prefetch_depth == 4);
  CHECK(dear.sync_each_iteration);
  CHECK(!dear.launch_ahead);
  CHECK(algorithms[7].options.get_if<DearOptions>()->bucket_bytes == 0);
  const auto& merged = *algorithms[9].options.get_if<MgWfbpOptions>();
  CHECK(merged.planned_start_up_s == 4e-3);
  CHECK(merged.planned_bandwidth_Bps == 1.2e9);
}

TEST_CASE("algorithms without a label get their kind, with a number where that is taken") {
  const auto algorithms =
      Reading()
          .read({R"(/algorithms=[{"kind": "ddp"}, {"kind": "ddp"}, {"kind": "dear", "label": "ddp-2"},
                         {"kind": "ddp"}])"})
          .algorithms;
  CHECK(algorithms[0].label == "ddp");
  CHECK(algorithms[1].label == "ddp-3");  // ddp-2 was given to another
  CHECK(algorithms[2].label == "ddp-2");
  CHECK(algorithms[3].label == "ddp-4");
}

TEST_CASE("every kind of network is read into its options") {
  const Reading reading;
  const auto network = [&](const std::string& json) {
    return reading.read({"/cluster/network=" + json}).cluster.network;
  };
  const std::string link = R"("link": {"bandwidth": 1e9, "latency": 1e-6})";

  const auto ring = std::get<RingOptions>(
      network(R"({"kind": "ring", "switches": true, "host_link": {"bandwidth": 2e9, "latency": 0}, )" + link +
              "}")
          .kind);
  CHECK(ring.switches);
  CHECK(ring.link.latency_s == 1e-6);
  CHECK(ring.host_link->bandwidth_Bps == 2e9);
  CHECK(std::holds_alternative<LineOptions>(network(R"({"kind": "line", )" + link + "}").kind));
  CHECK(std::get<TorusOptions>(network(R"({"kind": "torus", "dimensions": [2, 4], )" + link + "}").kind)
            .dimensions == std::vector<int>{2, 4});
  CHECK(std::holds_alternative<MeshOptions>(
      network(R"({"kind": "mesh", "dimensions": [8], )" + link + "}").kind));
  CHECK(std::holds_alternative<HypercubeOptions>(network(R"({"kind": "hypercube", )" + link + "}").kind));
  CHECK(std::holds_alternative<CompleteOptions>(network(R"({"kind": "complete", )" + link + "}").kind));
  CHECK(std::get<FatTreeOptions>(network(R"({"kind": "fat_tree", "k": 4, )" + link + "}").kind).k == 4);
  const auto tree = std::get<FatTreeOptions>(
      network(
          R"({"kind": "fat_tree", "levels": [{"down": 4, "up": 1}, {"down": 2, "up": 2, "parallel": 3}], )" +
          link + "}")
          .kind);
  REQUIRE(tree.levels.size() == 2);
  CHECK(tree.levels[1].down == 2);
  CHECK(tree.levels[1].up == 2);
  CHECK(tree.levels[1].parallel == 3);
  const auto leaf = std::get<LeafSpineOptions>(
      network(R"({"kind": "leaf_spine", "hosts_per_leaf": 3, "spines": 2, "oversubscription": 1.5, )" + link +
              "}")
          .kind);
  CHECK(leaf.hosts_per_leaf == 3);
  CHECK_FALSE(leaf.leaves);  // as many as the hosts need
  CHECK(leaf.oversubscription == 1.5);

  const Scenario one_host =
      reading.read({"remove /cluster/network", "/cluster/workers_per_host=8",
                    "/cluster/intra_host_link/bandwidth=300GBps", "/cluster/intra_host_link/latency=2us"});
  CHECK(std::get<GraphOptions>(one_host.cluster.network.kind).cables.empty());
}

TEST_CASE("overrides of links and the choice of paths are read") {
  const auto network = Reading().read(good_scenario_with("/cluster/network/overrides")).cluster.network;
  CHECK(network.path_choice == PathChoice::destination);
  REQUIRE(network.overrides.size() == 3);
  CHECK(network.overrides[0].host == 1);
  CHECK(network.overrides[0].bandwidth_Bps == 1.25e8);
  CHECK(network.overrides[1].link == "host3 -> *");
  CHECK(network.overrides[1].latency_s == 9e-6);
  CHECK((*network.overrides[2].between)[1] == "switch0");
}

TEST_CASE("the options of the engine fair are read") {
  const FairOptions options =
      Reading()
          .read({R"(/fair={"epsilon": 0.01, "window": "1MiB", "frame": "64KiB", "connection_rate": "5Gbps",
                           "weight_s": 20537, "unevenness": 0.1, "queued_at_first_link": 0.25})"})
          .fair;
  CHECK(options.epsilon == 0.01);
  CHECK(options.window_bytes == 1 << 20);
  CHECK(options.frame_bytes == 1 << 16);
  CHECK(options.connection_rate_Bps == 625e6);
  CHECK(options.weight_s_bytes == 20537);
  CHECK(options.unevenness == 0.1);
  CHECK(options.queued_at_first_link == 0.25);
  const FairOptions defaults = Reading().read({"/engine=fair"}).fair;
  CHECK_FALSE(defaults.window_bytes.has_value());
  CHECK_FALSE(defaults.connection_rate_Bps.has_value());
  CHECK_FALSE(defaults.weight_s_bytes.has_value());
}

TEST_CASE("compute times come from totals, a throughput, a profile or a GPU") {
  const Reading reading;
  const Scenario rate = reading.read({R"(/workload/compute={"throughput": 3200})"});
  CHECK(rate.workload.compute_total_s() == about(0.01));
  const Scenario profile = reading.read({R"(/workload/compute={"profile": "profile.json"})"});
  CHECK(profile.workload.forward_s == std::vector<double>{1e-3});
  CHECK(profile.workload.backward_s == std::vector<double>{2e-3});
  const Scenario slower = reading.read({R"(/workload/compute={"profile": "profile.json", "scale": 2})"});
  CHECK(slower.workload.forward_s == std::vector<double>{2e-3});
  const Scenario shipped = reading.read({R"(/workload/compute={"profile": "resnet50_h100_fp32"})",
                                         "/workload/model=resnet50", "/workload/batch_size=128"});
  CHECK(shipped.workload.forward_total_s() == about(41.67e-3, 1e-3));

  const Scenario gpu = reading.read(
      {R"(/workload/compute={"gpu": "A100", "achieved_fraction": 0.5})", "/workload/model=resnet50"});
  const double flops = gpu.workload.model.forward_flops_per_sample * 32;
  // Not less than the arithmetic alone takes at 0.5 of 19.5 TFLOP/s; layers bound by memory take longer.
  CHECK(gpu.workload.forward_total_s() >= flops / (0.5 * 19.5e12) * (1 - 1e-9));
  CHECK(gpu.workload.backward_total_s() > 1.9 * gpu.workload.forward_total_s());
}

TEST_CASE("who computes in a native run goes with every way of giving times, and changes none") {
  const Reading reading;
  const Scenario emulated = reading.read({});
  CHECK(emulated.compute_kind == ComputeKind::emulated);
  CHECK(emulated.as_read.at("workload").at("compute").at("kind") == "emulated");
  const Scenario gemm = reading.read({"/workload/compute/kind=gemm"});
  CHECK(gemm.compute_kind == ComputeKind::gemm);
  CHECK(gemm.workload.forward_s == emulated.workload.forward_s);
  CHECK(gemm.workload.backward_s == emulated.workload.backward_s);
  for (const std::string times :
       {R"("profile": "profile.json")", R"("gpu": "A100", "achieved_fraction": 0.5)"})
    CHECK(reading.read({R"(/workload/compute={"kind": "gemm", )" + times + "}"}).compute_kind ==
          ComputeKind::gemm);
}

TEST_CASE("gradients are sent in the 16-bit precision of a GPU unless the scenario says otherwise") {
  const Reading reading;
  const auto gpu = [](const std::string& precision) {
    return R"(/workload/compute={"gpu": "A100", "achieved_fraction": 0.5, "precision": ")" + precision +
           R"("})";
  };
  const auto check = [&](const std::vector<std::string>& changes, const std::string& dtype, double bytes) {
    CAPTURE(dtype);
    const Scenario scenario = reading.read(changes);
    CHECK(scenario.as_read.at("workload").at("gradient_dtype") == dtype);
    CHECK(scenario.workload.bytes_per_element == bytes);
    CHECK(scenario.workload.bytes_per_parameter == 4);  // optimizers update parameters of 32 bits
  };
  check({}, "fp32", 4);
  check({gpu("tf32")}, "fp32", 4);
  check({gpu("bf16")}, "bf16", 2);
  check({gpu("fp16")}, "fp16", 2);
  check({gpu("bf16"), "/workload/gradient_dtype=fp32"}, "fp32", 4);
  check({gpu("tf32"), "/workload/gradient_dtype=fp16"}, "fp16", 2);
  check({"/workload/gradient_dtype=bf16"}, "bf16", 2);
}

TEST_CASE("every kind of load imbalance is read") {
  const auto causes = Reading().read(good_scenario_with("markov")).imbalance;
  REQUIRE(causes.size() == 12);
  CHECK(std::holds_alternative<RandomFactor<Law::lognormal>>(causes[0]));
  CHECK(std::get<RandomFactor<Law::gamma>>(causes[1]).coefficient_of_variation == 1);
  CHECK(std::holds_alternative<RandomFactor<Law::weibull>>(causes[2]));
  CHECK(std::get<DrawnTime>(causes[3]).meaning == DrawnMeaning::compute);
  CHECK(std::get<DrawnTime>(causes[3]).distribution->name() == "cloud_resnet50_batch");
  CHECK(std::get<RandomDelay>(causes[4]).workers == 2);
  CHECK(std::get<RandomDelay>(causes[4]).delay_s == 0.32);
  CHECK(std::get<IndependentDelay>(causes[5]).probability == 0.03);
  CHECK(std::get<LinearSkew>(causes[6]).step_s == 0.01);
  CHECK(std::get<LinearSkew>(causes[6]).rotate);
  CHECK(std::get<SlowWorkers>(causes[7]).workers == std::vector<Rank>{0, 7});
  CHECK(std::get<SlowWorkers>(causes[7]).factor == 1.5);
  CHECK(std::get<MarkovStates>(causes[8]).mean_fast_iterations == 50);
  CHECK(std::get<Pause>(causes[9]).iteration == 2);
  CHECK(std::get<Pause>(causes[9]).duration_s == 1);
  CHECK(std::get<DrawnTime>(causes[10]).distribution->name() == "rl_habitat_collect");
  CHECK(std::get<DrawnTime>(causes[10]).tail.probability == 0.05);
  CHECK(std::get<DrawnTime>(causes[10]).tail.iterations == 0.4);
  CHECK(std::get<PeriodicSlowness>(causes[11]).slow_iterations == 2);
  CHECK(std::get<PeriodicSlowness>(causes[11]).phases == Phases::spread);
}

TEST_CASE("learning is read into its options") {
  const Reading reading;
  CHECK(!reading.read({}).learning);
  const auto learning =
      reading
          .read({"/iterations=101", R"(/learning={"task": "hyperplane", "learning_rate": 0.01,
      "features": 30, "points": 64, "target_loss": 4.7, "optimizer": {"kind": "accum_adam", "beta1": 0.8,
      "beta2": 0.99, "epsilon": 1e-6, "weight_decay": 0.1, "accumulation": 5}})"})
          .learning;
  REQUIRE(learning);
  CHECK(learning->task_name == "hyperplane");
  CHECK(learning->task->parameters() == 31);
  CHECK(learning->target_loss == 4.7);
  CHECK(learning->evaluate_every == 3);
  CHECK(learning->optimizer.kind == OptimizerKind::accum_adam);
  CHECK(learning->optimizer.learning_rate == 0.01);
  CHECK(learning->optimizer.beta1 == 0.8);
  CHECK(learning->optimizer.beta2 == 0.99);
  CHECK(learning->optimizer.epsilon == 1e-6);
  CHECK(learning->optimizer.weight_decay == 0.1);
  CHECK(learning->optimizer.accumulation == 5);
}

TEST_CASE("a task follows from the scenario's seed") {
  const Reading reading;
  const auto start = [&](const std::string& seed) {
    return reading.read({"/seed=" + seed, R"(/learning={"task": "quadratic", "learning_rate": 1})"})
        .learning->task->initial_parameters();
  };
  CHECK(start("7") == start("7"));
  CHECK(start("7") != start("8"));
}

TEST_CASE("data is read from every format") {
  const Reading reading;
  const auto parameters = [&](const std::string& data) {
    return reading
        .read({R"(/learning={"task": "logistic_regression", "learning_rate": 1, "data": )" + data + "}"})
        .learning->task->parameters();
  };
  // Two classes, each with a weight per feature and a bias.
  CHECK(parameters(R"({"kind": "csv", "file": "points.csv"})") == 2 * (2 + 1));
  CHECK(parameters(R"({"kind": "libsvm", "file": "points.svm"})") == 2 * (2 + 1));
  CHECK(parameters(R"({"kind": "libsvm", "file": "points.svm", "features": 5})") == 2 * (5 + 1));
  CHECK(parameters(R"({"kind": "idx", "points": "points.idx", "labels": "labels.idx"})") == 2 * (2 + 1));
  CHECK(parameters(R"({"kind": "generated", "features": 7, "classes": 3})") == 3 * (7 + 1));
}

TEST_CASE("what is wrong with a file of labels is told where it is named") {
  const Reading reading;
  const auto error = [&](const std::string& points, const std::string& labels) {
    const std::string data =
        fmt::format(R"({{"kind": "idx", "points": "{}", "labels": "{}"}})", points, labels);
    return error_of(reading.folder().path(), [&] {
      (void)reading.read(
          {R"(/learning={"task": "logistic_regression", "learning_rate": 1, "data": )" + data + "}"});
    });
  };
  CHECK(error("points.idx", "points.csv").find(": /learning/data/labels: points.csv: ") != std::string::npos);
  CHECK(error("points.csv", "labels.idx").find(": /learning/data/points: points.csv: ") != std::string::npos);
}

TEST_CASE("files are found relative to the scenario") {
  const ScratchFolder folder;
  folder.write("studies/models/mine.json",
               R"({"name": "mine", "layers": [{"name": "l", "tensors": [{"name": "w", "elements": 7}],
                                               "forward_flops_per_sample": 14}]})");
  const auto file =
      folder.write("studies/scenario.json", changed_scenario({"/workload/model=models/mine.json"}).dump());
  CHECK(read_scenario(file).workload.model.parameters() == 7);
}

TEST_CASE("a scenario without a name is called by its file, on one line") {
  auto document = changed_scenario({});
  document.erase("name");
  CHECK(read_scenario_document(document, "folder/a\nb.json").name == "a b");
}

TEST_CASE("what was read, read again, gives the same") {
  const Reading reading;
  for (const auto& changes : good_scenarios()) {
    CAPTURE(changes.size());
    if (!changes.empty()) CAPTURE(changes.front());
    const Scenario first = reading.read(changes);
    const Scenario second = read_scenario(reading.folder().write("again.json", first.as_read.dump()));
    CHECK(first.as_read.dump() == second.as_read.dump());
    CHECK(first.workload.forward_s == second.workload.forward_s);
    CHECK(first.message_costs.reduction_s_per_byte == second.message_costs.reduction_s_per_byte);
  }
}

TEST_CASE("suspicious scenarios are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::vector<std::string>& changes) {
    auto all = reading.read(changes).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  CHECK(warnings({"/cluster/workers_per_host=3",
                  R"(/cluster/intra_host_link={"bandwidth": 1e9, "latency": 0})"}) ==
        std::vector<std::string>{
            "scenario.json: /cluster: 8 workers on hosts of 3 leave the last host with 2"});
  const auto rails = [&](int cards) {
    return warnings({"/cluster/workers_per_host=4", fmt::format("/cluster/nics_per_host={}", cards),
                     R"(/cluster/intra_host_link={"bandwidth": 1e9, "latency": 0})",
                     R"(/cluster/network={"kind": "rail", "link": {"bandwidth": 1e9, "latency": 0}})"});
  };
  CHECK(rails(4).empty());
  CHECK(rails(1) == std::vector<std::string>{"scenario.json: /cluster/network: one rail, as nics_per_host is "
                                             "1, which all 4 workers of a host share"});
  CHECK(warnings({"/cluster/message_overhead=1"}) ==
        std::vector<std::string>{"scenario.json: /cluster/message_overhead: 1 s for each message"});
  CHECK(warnings({"/warmup_iterations=0"}).empty());
  CHECK(warnings({"/warmup_iterations=0",
                  R"(/algorithms=[{"kind": "ddp"}, {"kind": "dear", "label": "mine"}])"}) ==
        std::vector<std::string>{
            "scenario.json: /warmup_iterations: without warm-up the first iteration of mine "
            "counts, which is shorter than the others: it has no messages of an iteration "
            "before it"});
}

TEST_CASE("a graph whose nodes are not called by their ranks is accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& before) {
    std::string text = "<graphml><graph edgedefault=\"undirected\">";
    for (int node = 7; node >= 0; --node) text += fmt::format("<node id=\"{}{}\"/>", before, node);
    for (int node = 0; node < 7; ++node)
      text += fmt::format("<edge source=\"{0}{1}\" target=\"{0}{2}\"/>", before, node, node + 1);
    reading.folder().write("graph.graphml", text + "</graph></graphml>");
    return reading
        .read({R"(/algorithms=[{"kind": "dpsgd", "graph": {"kind": "file", "file": "graph.graphml"}}])"})
        .warnings;
  };
  CHECK(warnings("").empty());
  CHECK(warnings("n").empty());
  REQUIRE(warnings("gpu").size() == 1);
  CHECK(warnings("gpu")[0].find("scenario.json: /algorithms/0/graph/file: ") != std::string::npos);
  CHECK(warnings("gpu")[0].ends_with("\"gpu7\" is worker 0, \"gpu0\" worker 7"));
}

TEST_CASE("what would come after the last iteration is accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::vector<std::string>& changes) {
    auto all = reading.read(changes).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  const auto pause_before = [](int iteration) {
    return fmt::format(
        R"(/workload/imbalance={{"kind": "pause", "worker": 3, "iteration": {}, "duration": "1s"}})",
        iteration);
  };
  CHECK(warnings({pause_before(3)}).empty());
  CHECK(
      warnings({pause_before(4)}) ==
      std::vector<std::string>{"scenario.json: /workload/imbalance: the pause before iteration 4 of worker 3 "
                               "never comes: the last iteration is 3"});
  CHECK(warnings({pause_before(4), R"(/iterations={"standard_error": 0.1, "most": 8})"}).empty());
  CHECK(
      warnings({pause_before(1), "/warmup_iterations=2"}) ==
      std::vector<std::string>{"scenario.json: /workload/imbalance: the pause before iteration 1 of worker 3 "
                               "is not counted: iterations count from 2 on"});
  CHECK(warnings({pause_before(2), "/warmup_iterations=2"}).empty());
  CHECK(warnings({R"(/algorithms=[{"kind": "local_sgd", "period": 4}])"}).empty());
  CHECK(warnings({R"(/algorithms=[{"kind": "local_sgd", "period": 5}, {"kind": "wagma"}])"}) ==
        std::vector<std::string>{
            "scenario.json: /iterations: local_sgd averages all models every 5 iterations, "
            "which comes after the last of 4",
            "scenario.json: /iterations: wagma averages all models every 10 iterations, "
            "which comes after the last of 4"});
  CHECK(
      warnings({R"(/algorithms=[{"kind": "slowmo"}, {"kind": "eager_solo", "model_sync_iterations": 6}])"}) ==
      std::vector<std::string>{
          "scenario.json: /iterations: slowmo averages all models every 12 iterations, "
          "which comes after the last of 4",
          "scenario.json: /iterations: eager_solo averages all models every 6 iterations, "
          "which comes after the last of 4"});
  CHECK(warnings({R"(/algorithms=[{"kind": "eager_solo"}])"}).empty());
}

TEST_CASE("times that are not of these workers, or of another length, are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& imbalance, const std::vector<std::string>& more = {}) {
    std::vector<std::string> changes{"/workload/imbalance=" + imbalance};
    changes.insert(changes.end(), more.begin(), more.end());
    auto all = reading.read(changes).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  std::string times;
  for (int worker = 0; worker < 10; ++worker) times += fmt::format("{0},0,0.02\n{0},1,0.02\n", worker);
  const std::string trace_file = reading.folder().write("ten.csv", times).string();
  const std::string traced = fmt::format(R"({{"kind": "trace", "file": "{}"}})", trace_file);
  CHECK(
      warnings(traced) ==
      std::vector<std::string>{"scenario.json: /workload/imbalance: " + trace_file +
                               " has times of 10 workers, and there are 8: those of 2 of them are not used"});
  CHECK(warnings(traced, {"/cluster/workers=10"}).empty());
  CHECK(warnings(traced, {"/cluster/workers=10", "/iterations=2"}).empty());
  CHECK(warnings(traced, {"/cluster/workers=10", "/iterations=1", "/warmup_iterations=0"}) ==
        std::vector<std::string>{"scenario.json: /workload/imbalance: " + trace_file +
                                 " has times of 2 iterations, and the run has 1: those after them are not "
                                 "used"});
  // 0.454 s in the mean.
  const std::string drawn = R"({"kind": "distribution", "name": "cloud_resnet50_batch"})";
  CHECK(warnings(drawn, {"/workload/compute/forward=100ms", "/workload/compute/backward=130ms"}).empty());
  CHECK(warnings(drawn, {"/workload/compute/forward=300ms", "/workload/compute/backward=600ms"}).empty());
  const auto about_long = warnings(drawn, {"/workload/compute/forward=1s", "/workload/compute/backward=4s"});
  REQUIRE(about_long.size() == 1);
  CHECK(about_long[0].starts_with(
      "scenario.json: /workload/imbalance: cloud_resnet50_batch draws compute times of 0.45"));
  CHECK(about_long[0].ends_with(
      " s in the mean, in place of the 5 s of forward and backward together, which only say how to split "
      "them"));
  CHECK(warnings(drawn).size() == 1);  // 30 ms
  CHECK(warnings(R"({"kind": "distribution", "name": "cloud_resnet50_batch", "as": "delay"})").empty());
}

TEST_CASE("times of a trace in another unit are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& seconds) {
    std::string times;
    for (int worker = 0; worker < 8; ++worker) times += fmt::format("{},0,{}\n", worker, seconds);
    times += "8,0,1000\n";  // of nobody, so that its time does not count
    reading.folder().write("times.csv", times);
    auto all = reading.read({R"(/workload/imbalance={"kind": "trace", "file": "times.csv"})"}).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("times.csv"));
    return all;
  };
  CHECK(warnings("0.03").size() == 1);  // of the ninth worker, as in all others
  CHECK(warnings("0.015").size() == 1);
  CHECK(warnings("0.06").size() == 1);
  const auto in_milliseconds = warnings("30");
  REQUIRE(in_milliseconds.size() == 2);
  CHECK(in_milliseconds[1] ==
        "times.csv has compute times of 30 s in the mean, in place of the 0.03 s of forward and backward "
        "together, which only say how to split them");
  CHECK(warnings("0.0149").size() == 2);
  CHECK(warnings("0").size() == 1);
}

TEST_CASE("a trace that lacks times is an error that names its file and what it takes") {
  const Reading reading;
  const auto error = [&](const std::string& times) {
    reading.folder().write("times.csv", times);
    return error_of(reading.folder().path(), [&] {
      reading.read({"/cluster/workers=2", R"(/workload/imbalance={"kind": "trace", "file": "times.csv"})"});
    });
  };
  const std::string every = "every iteration from 0 to its last, after which they repeat";
  CHECK(error("0,0,0.03\n") ==
        "scenario.json: /workload/imbalance: trace times.csv: worker 1 has no times; each of the 2 workers "
        "needs one for " +
            every);
  CHECK(error("0,0,0.03\n0,2,0.03\n1,0,0.03\n") ==
        "scenario.json: /workload/imbalance: trace times.csv: worker 0 has no time for iteration 1, but one "
        "for iteration 2; it needs one for " +
            every);
}

TEST_CASE("factors that make slow workers fast are accepted with a warning") {
  const Reading reading;
  const auto warnings = [&](const std::string& imbalance) {
    auto all = reading.read({"/workload/imbalance=" + imbalance}).warnings;
    for (std::string& warning : all) warning.erase(0, warning.find("scenario.json"));
    return all;
  };
  CHECK(warnings(R"({"kind": "slow_workers", "workers": [1], "factor": 1})").empty());
  CHECK(
      warnings(R"([{"kind": "lognormal", "coefficient_of_variation": 0.1},
                     {"kind": "slow_workers", "workers": [1], "factor": 0.7}])") ==
      std::vector<std::string>{
          "scenario.json: /workload/imbalance: slow_workers: factor 0.7 makes workers faster; 1.3 would take "
          "30 % longer, 1.43 would be 0.7 of the speed"});
  CHECK(
      warnings(R"({"kind": "markov", "slow_factor": 0.5, "mean_slow": 2, "mean_fast": 8})") ==
      std::vector<std::string>{
          "scenario.json: /workload/imbalance: markov: slow_factor 0.5 makes workers faster; 1.5 would take "
          "50 % longer, 2 would be 0.5 of the speed"});
}

TEST_CASE("a job's times are those of its own workers") {
  const Reading reading;
  std::string times;
  for (int worker = 0; worker < 4; ++worker) times += fmt::format("{},0,0.03\n", worker);
  const std::string trace_file = reading.folder().write("four.csv", times).string();
  const auto warnings = reading
                            .read({"remove /algorithms", "remove /workload",
                                   fmt::format(R"(/jobs=[
      {{"name": "small", "workers": 2, "iterations": 20, "algorithm": {{"kind": "ddp"}},
        "workload": {{"model": "hyperplane_mlp", "batch_size": 32,
          "compute": {{"forward": "10ms", "backward": "20ms"}},
          "imbalance": {{"kind": "trace", "file": "{}"}}}}}}])",
                                               trace_file)})
                            .warnings;
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("/jobs/0/workload/imbalance: " + trace_file +
                         " has times of 4 workers, and there are 2") != std::string::npos);
}

TEST_CASE("an error in a value from the command line names the option") {
  const Reading reading;
  const auto error = [&](const std::vector<std::string>& overrides) {
    return error_of(reading.folder().path(), [&] { reading.read({}, overrides); });
  };
  CHECK(error({"/cluster/workers=0"}) ==
        "--set /cluster/workers=0: /cluster/workers: out of range, got 0, expected an integer from 1 to "
        "1048576");
  CHECK(error({"/cluster/network={}"})
            .starts_with("--set /cluster/network={}: /cluster/network: key \"kind\" is missing"));
  CHECK(error({"/cluster/network/link/latency=5", "/cluster/workers=0"})
            .starts_with("--set /cluster/workers=0: "));
  CHECK(error({"/cluster/workers=4", "/iterations=0"}).starts_with("--set /iterations=0: /iterations: "));
  CHECK(error({"/iterations=4", "/iterations=0"}).starts_with("--set /iterations=0: /iterations: "));
  CHECK(error({"/algorithms/-/kind=ddp", "/algorithms/-/kind=ddq"})
            .starts_with("--set /algorithms/-/kind=ddq: /algorithms/"));
  CHECK(error({"/workload/modle=vgg16"})
            .starts_with("--set /workload/modle=vgg16: /workload/modle: unknown key"));
  CHECK(error({"/wokload/model=vgg16"}).starts_with("--set /wokload/model=vgg16: /wokload: unknown key"));
}

TEST_CASE("an override takes effect") {
  const Reading reading;
  const Scenario scenario =
      reading.read({}, {"/cluster/workers=16", "/cluster/network/link/bandwidth=100Gbps",
                        "/algorithms/-/kind=dear", "/engine=simgrid"});
  CHECK(scenario.cluster.workers == 16);
  CHECK(std::get<StarOptions>(scenario.cluster.network.kind).link.bandwidth_Bps == 12.5e9);
  CHECK(scenario.algorithms.back().label == "dear");
  CHECK(scenario.engine == Engine::simgrid);
  CHECK(scenario.as_read["simgrid"]["model"] == "CM02");
}

TEST_CASE("a cluster file says what the scenario's cluster does not; keys of the scenario count as a whole") {
  const Reading reading;
  reading.folder().write("measured.json", R"({"starling": "0.1.0", "measured": {}, "cluster": {
      "workers": 2, "network": {"kind": "ring", "link": {"bandwidth": 1e9, "latency": 1e-6}},
      "message_overhead": "7us", "goodput": 0.95, "host_latency": "3us"}})");
  const auto network = R"(/cluster={"file": "measured.json", "workers": 8,
      "network": {"kind": "star", "link": {"bandwidth": "25MBps", "latency": "1ms"}}})";
  const Scenario scenario = reading.read({network});
  CHECK(scenario.cluster.workers == 8);
  CHECK(std::get<StarOptions>(scenario.cluster.network.kind).link.bandwidth_Bps == 25e6);
  CHECK(scenario.message_costs.overhead_s == about(7e-6));
  CHECK(scenario.host_costs.goodput == 0.95);
  CHECK(scenario.host_costs.latency_s == about(3e-6));
  CHECK_FALSE(scenario.as_read["cluster"].contains("file"));
  CHECK(reading.read({R"(/cluster={"file": "measured.json"})"}).cluster.workers == 2);
}

TEST_CASE("paths in a cluster file are relative to that file") {
  const Reading reading;
  reading.folder().write("machines/cables.json", R"({"nodes": [{"id": "a"}, {"id": "b"}, {"id": "s"}],
      "edges": [{"source": "a", "target": "s", "bandwidth": "1GBps", "latency": "1us"},
                {"source": "b", "target": "s", "bandwidth": "1GBps", "latency": "1us"}]})");
  const char* measured = R"({"cluster": {"workers": 2, "network": {"kind": "file", "path": "cables.json"}}})";
  reading.folder().write("machines/measured.json", measured);
  const Scenario scenario = reading.read({R"(/cluster={"file": "machines/measured.json"})"});
  const auto& network = std::get<FileNetworkOptions>(scenario.cluster.network.kind);
  CHECK(network.path == (reading.folder().path() / "machines/cables.json").string());
  CHECK(scenario.as_read["cluster"]["network"]["path"] == "machines/cables.json");
  // What stands in the scenario is relative to that.
  CHECK_NOTHROW(reading.read({R"(/cluster={"file": "machines/measured.json",
      "network": {"kind": "file", "path": "machines/cables.json"}})"}));
  reading.folder().write("measured.json", measured);
  CHECK(
      error_of(reading.folder().path(), [&] { reading.read({R"(/cluster={"file": "measured.json"})"}); }) ==
      "measured.json: /cluster/network/path: no such file, got \"cables.json\", expected a path relative to "
      "the scenario's file");
}

TEST_CASE("an override of a part of what a cluster file says is told to be one") {
  const Reading reading;
  reading.folder().write("measured.json", R"({"cluster": {"workers": 2,
      "network": {"kind": "star", "link": {"bandwidth": "1GBps", "latency": "1us"}}}})");
  const auto file = reading.folder().write("scenario.json", R"({"cluster": {"file": "measured.json"}})");
  CHECK(error_of(reading.folder().path(), [&] {
          read_scenario(file, {"/cluster/network/link/latency=2us"});
        }).starts_with("--set /cluster/network/link/latency=2us: /cluster/network: key \"kind\" is missing"));
}

TEST_CASE("an error in a cluster file names that file, and files include no others") {
  const Reading reading;
  const auto error = [&](const char* text) {
    reading.folder().write("measured.json", text);
    return error_of(reading.folder().path(),
                    [&] { reading.read({R"(/cluster={"file": "measured.json"})"}); });
  };
  CHECK(error(R"({"cluster": {"workers": 0}})") ==
        "measured.json: /cluster/workers: out of range, got 0, expected an integer from 1 to 1048576");
  CHECK(error(R"({"cluster": {"file": "other.json"}})") ==
        "measured.json: /cluster/file: an included cluster cannot include another");
  CHECK(error(R"({"cluster": []})") == "measured.json: /cluster: wrong type, got [], expected an object");
  CHECK(error("{}").starts_with("measured.json: key \"cluster\" is missing"));
}

TEST_CASE("a placement that several jobs cannot have is told where it stands, in a cluster file, too") {
  const Reading reading;
  reading.folder().write("placed.json", R"({"cluster": {"placement": "optimized"}})");
  CHECK(error_of(reading.folder().path(),
                 [&] {
                   reading.read(
                       {"/cluster/file=placed.json", "remove /workload", "remove /algorithms",
                        R"(/jobs=[{"workers": 4, "workload": {"model": "hyperplane_mlp", "batch_size": 8,
                          "compute": {"forward": "5ms", "backward": "10ms"}},
                          "algorithm": {"kind": "ddp"}}])"});
                 }) ==
        "placed.json: /cluster/placement: is for what the algorithms of one job send, got \"optimized\", "
        "expected another placement beside \"jobs\"");
}

TEST_CASE("a scenario knows all files that it was read from") {
  const Reading reading;
  reading.folder().write("measured.json", R"({"cluster": {"message_overhead": "1us"}})");
  std::string ring;
  std::string times;
  for (int worker = 0; worker < 8; ++worker) {
    ring += fmt::format("{} {}\n", worker, (worker + 1) % 8);
    times += fmt::format("{},0,0.5\n", worker);
  }
  reading.folder().write("ring.txt", ring);
  reading.folder().write("times.csv", times);
  const Scenario scenario =
      reading.read({R"(/cluster/file=measured.json)",
                    R"(/workload/imbalance=[{"kind": "trace", "file": "times.csv"},
          {"kind": "distribution", "name": "cloud_resnet50_batch", "as": "delay"}])",
                    R"(/algorithms=[{"kind": "dpsgd", "graph": {"kind": "file", "file": "ring.txt"}}])"});
  std::vector<std::string> names;
  for (const auto& file : scenario.input_files) names.push_back(file.filename());
  CHECK(names == std::vector<std::string>{"measured.json", "times.csv", "ring.txt", "hyperplane_mlp.json",
                                          "cloud_resnet50_batch.json"});
}

TEST_CASE("every shipped scenario is right and says so without warnings") {
  int count = 0;
  const auto folder = data_directory() / "scenarios";
  std::vector<std::filesystem::directory_entry> entries(std::filesystem::directory_iterator{folder}, {});
  if (std::filesystem::exists(folder / "figures"))
    entries.insert(entries.end(), std::filesystem::directory_iterator{folder / "figures"}, {});
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json" || name == "published.json" || name == "unfitted.json") continue;
    CAPTURE(entry.path().string());
    const Scenario scenario = read_scenario(entry.path());
    CHECK(scenario.name == entry.path().stem().string());
    CHECK(scenario.warnings.empty());
    CHECK(scenario.transport_reason == "given");
    ++count;
  }
  CHECK(count >= 13);
}

/// In the file, in what it is a base for, or in the file of the cluster.
bool states_transport(const std::filesystem::path& file) {
  const auto document = nlohmann::json::parse(contents_of(file));
  const nlohmann::json given = document.value("base", document).at("cluster");
  if (given.contains("transport")) return true;
  return given.contains("file") && states_transport(file.parent_path() / given.value("file", ""));
}

TEST_CASE("every scenario for other commands than run states a transport, too") {
  int with_cluster = 0;
  for (const char* name : {"scenarios/validation", "scenarios/designs", "scenarios/regimes", "examples"}) {
    if (!std::filesystem::exists(data_directory() / name)) continue;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(data_directory() / name)) {
      if (entry.path().extension() != ".json") continue;
      const std::string text = contents_of(entry.path());
      if (text.find("\"cluster\"") == std::string::npos) continue;
      CAPTURE(entry.path().string());
      CHECK(states_transport(entry.path()));
      ++with_cluster;
    }
  }
  CHECK(with_cluster >= 16);
}

TEST_CASE("errors of a scenario inside another file say where it stands there") {
  ScenarioDocument document{
      .file = "study.json", .json = changed_scenario({}), .changes = {}, .place = "/base"};
  document.json["workload"] = 4;
  CHECK_THROWS_WITH_AS(read_scenario(document),
                       "study.json: /base/workload: wrong type, got 4, expected an object", ScenarioError);
  change(document, "/workload=5", "--vary");
  CHECK_THROWS_WITH_AS(read_scenario(document),
                       "--vary /workload=5: /workload: wrong type, got 5, expected an object", ScenarioError);
}

TEST_CASE("warnings of a scenario inside another file say where it stands there") {
  const auto warnings = [](const std::string& place) {
    return read_scenario({.file = "study.json",
                          .json = changed_scenario({"/cluster/message_overhead=1"}),
                          .changes = {},
                          .place = place})
        .warnings;
  };
  CHECK(warnings("") ==
        std::vector<std::string>{"study.json: /cluster/message_overhead: 1 s for each message"});
  CHECK(warnings("/base") ==
        std::vector<std::string>{"study.json: /base/cluster/message_overhead: 1 s for each message"});
}

}  // namespace

}  // namespace starling

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <variant>
#include <vector>

#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"
#include "tests/scenarios/reading/reading.hpp"

namespace starling {
namespace {

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
        "needs a time for " +
            every);
  CHECK(error("0,0,0.03\n0,2,0.03\n1,0,0.03\n") ==
        "scenario.json: /workload/imbalance: trace times.csv: worker 0 has no time for iteration 1, but one "
        "for iteration 2; it needs a time for " +
            every);
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
                         " has times of 4 workers, but the job has 2") != std::string::npos);
}

TEST_CASE("a job repeats only where a trace lets all its workers take time") {
  const Reading reading;
  const auto error = [&](const char* times) {
    const std::string file = reading.folder().write("times.csv", times).string();
    return error_of(reading.folder().path(), [&] {
      reading.read({"remove /algorithms", "remove /workload",
                    fmt::format(R"(/jobs=[
      {{"workers": 2, "repeat": true, "algorithm": {{"kind": "adpsgd"}},
        "workload": {{"model": "hyperplane_mlp", "batch_size": 32,
          "compute": {{"forward": "10ms", "backward": "20ms"}},
          "imbalance": {{"kind": "trace", "file": "{}"}}}}}}])",
                                file)});
    });
  };
  CHECK(error("0,0,0\n0,1,0.03\n1,0,0.03\n") == "no error");
  CHECK(error("0,0,0.03\n1,0,0\n1,1,0\n2,0,0.03\n") ==
        "scenario.json: /jobs/0/repeat: a worker whose traced compute times are all 0 could repeat forever "
        "at the same simulated time, got true, expected false, or a workload that takes time");
}

}  // namespace
}  // namespace starling

#include "analysis/design/lower_bounds.hpp"

#include <doctest/doctest.h>

#include <string>

#include "analysis/running/runner.hpp"
#include "sim/strands/address_sanitizer.hpp"
#include "tests/analysis/design/small_designs.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr const char* every_algorithm_text = R"([{"kind": "allreduce"}, {"kind": "wfbp"}, {"kind": "ddp"},
  {"kind": "ddp", "collective": "halving_doubling", "label": "ddp_hd"}, {"kind": "horovod"},
  {"kind": "mg_wfbp"},
  {"kind": "bytescheduler"}, {"kind": "dear"}, {"kind": "eager_solo"}, {"kind": "eager_majority"},
  {"kind": "wagma"}, {"kind": "local_sgd", "period": 2}, {"kind": "dpsgd"},
  {"kind": "dpsgd", "overlap": true, "label": "dpsgd_overlap"}, {"kind": "adpsgd"}, {"kind": "sgp"},
  {"kind": "sgp", "overlap": 2, "label": "sgp_overlap"}, {"kind": "decentralized_adam"}])";

SweepPlan plan_of(const nlohmann::json& base, const std::vector<nlohmann::json>& networks) {
  SweepAxis network_axis{.pointers = {"/cluster/network"}, .points = {}};
  for (const nlohmann::json& network : networks) network_axis.points.push_back({network});
  SweepAxis algorithms{.pointers = {"/algorithms"}, .points = {}};
  for (const nlohmann::json& algorithm : base.at("algorithms"))
    algorithms.points.push_back({nlohmann::json::array({algorithm})});
  return SweepPlan({.file = "bounds.json", .json = base, .changes = {}}, {network_axis, algorithms}, {}, 2);
}

nlohmann::json star_of(const std::string& bandwidth) {
  return {{"kind", "star"}, {"link", {{"bandwidth", bandwidth}, {"latency", "1us"}}}};
}

TEST_CASE("no run is shorter than its lower bound") {
  auto base = small_base(every_algorithm_text);
  std::vector<nlohmann::json> networks{
      star_of("1Gbps"),
      {{"kind", "torus"}, {"dimensions", {2, 4}}, {"link", {{"bandwidth", "2Gbps"}, {"latency", "1us"}}}},
      star_of("100Gbps"),
      {{"kind", "leaf_spine"},
       {"hosts_per_leaf", 4},
       {"spines", 2},
       {"oversubscription", 4},
       {"link", {{"bandwidth", "10Gbps"}, {"latency", "20us"}}}}};
  if (has_address_sanitizer) networks.resize(2);  // all of them take minutes
  const std::int64_t every_nth = has_address_sanitizer ? 3 : 1;
  for (const char* engine : {"fair", "event"}) {
    base["engine"] = engine;
    const SweepPlan plan = plan_of(base, networks);
    LowerBounds bounds(plan);
    for (std::int64_t i = 0; i < plan.combinations(); i += every_nth) {
      double sum_s = 0;
      double sum_of_samples_s = 0;
      for (int seed = 0; seed < plan.seeds(); ++seed) {
        const Scenario scenario = read_scenario(plan.document(i, seed));
        const RunResult run = simulate(scenario).runs.front();
        sum_s += run.iteration_time_s.mean;
        sum_of_samples_s += run.workers * scenario.workload.batch_size / *run.throughput_samples_per_s;
      }
      CAPTURE(engine);
      CAPTURE(plan.values(i).back().dump());
      CAPTURE(plan.values(i).front().dump());
      CHECK(bounds.iteration_time_s(i) <= sum_s / plan.seeds() * (1 + rounding_of_sums));
      CHECK(bounds.time_of_samples_s(i) <= sum_of_samples_s / plan.seeds() * (1 + rounding_of_sums));
    }
  }
}

TEST_CASE("the lower bound of a run that stops at a wanted precision is 0, as its later draws are unknown") {
  auto base = small_base(R"([{"kind": "ddp"}, {"kind": "dpsgd"}])");
  base["iterations"] = {{"standard_error", 0.01}, {"most", 200}};
  const SweepPlan plan = plan_of(base, {star_of("10Gbps")});
  LowerBounds bounds(plan);
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    CHECK(bounds.iteration_time_s(i) == 0);
    CHECK(bounds.time_of_samples_s(i) == 0);
  }
}

TEST_CASE("the bound does not extrapolate from the busiest iterations of an algorithm's pattern") {
  // Two of three iterations exchange models between hosts; the first and the last of the run do not.
  auto base = small_base(R"([{"kind": "decentralized_adam", "graph": "one_peer_exponential"}])");
  base["iterations"] = 98;
  base["warmup_iterations"] = 2;
  base["cluster"]["workers"] = 8;
  base["cluster"]["workers_per_host"] = 2;
  base["cluster"]["intra_host_link"] = {{"bandwidth", "50GBps"}, {"latency", "2us"}};
  base["workload"]["imbalance"] = nlohmann::json::array();
  const SweepPlan plan = plan_of(base, {star_of("1Gbps"), star_of("10Gbps")});
  LowerBounds bounds(plan);
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    const double simulated_s =
        simulate(read_scenario(plan.document(i, 0))).runs.front().iteration_time_s.mean;
    CHECK(bounds.iteration_time_s(i) <= simulated_s * (1 + rounding_of_sums));
  }
}

TEST_CASE("bounds of one network are not reused for a network on which other collectives are chosen") {
  auto base = small_base(R"([{"kind": "allreduce", "collective": "auto"}, {"kind": "mg_wfbp"},
    {"kind": "horovod", "collective": "auto"}])");
  base["iterations"] = 5;
  base["cluster"]["workers"] = 16;
  base["workload"] = {{"model", "resnet32_cifar10"},
                      {"batch_size", 32},
                      {"compute", {{"forward", "3ms"}, {"backward", "2ms"}}}};
  auto far = star_of("25Gbps");
  far["link"]["latency"] = "1ms";
  const auto slow = star_of("1Gbps");
  const SweepPlan far_first = plan_of(base, {far, slow});
  const SweepPlan slow_first = plan_of(base, {slow, far});
  LowerBounds bounds(far_first);
  LowerBounds others(slow_first);
  const std::int64_t algorithms = far_first.combinations() / 2;
  for (std::int64_t i = 0; i < far_first.combinations(); ++i) {
    CAPTURE(i);
    const double simulated_s =
        simulate(read_scenario(far_first.document(i, 0))).runs.front().iteration_time_s.mean;
    CHECK(bounds.iteration_time_s(i) <= simulated_s * (1 + rounding_of_sums));
    CHECK(bounds.iteration_time_s(i) == others.iteration_time_s((i + algorithms) % (2 * algorithms)));
  }
}

TEST_CASE(
    "the bound of a gossip algorithm does not charge distant workers for a slow cable in few iterations") {
  auto base = small_base(R"([{"kind": "dpsgd"}, {"kind": "dpsgd", "overlap": true, "label": "overlap"},
    {"kind": "decentralized_adam", "graph": "one_peer_ring"}, {"kind": "sgp"}])");
  base["iterations"] = 6;
  base["warmup_iterations"] = 1;
  base["cluster"]["workers"] = 32;
  base["workload"].erase("imbalance");
  auto network = star_of("25Gbps");
  network["overrides"] = {{{"host", 5}, {"bandwidth", "1Gbps"}}};
  const SweepPlan plan = plan_of(base, {network});
  LowerBounds bounds(plan);
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    CAPTURE(i);
    const double simulated_s =
        simulate(read_scenario(plan.document(i, 0))).runs.front().iteration_time_s.mean;
    CHECK(bounds.iteration_time_s(i) <= simulated_s * (1 + rounding_of_sums));
    CHECK(bounds.iteration_time_s(i) > 0);
  }
}

TEST_CASE("no run of ByteScheduler is shorter than its lower bound, wherever its warm-up ends") {
  auto base = small_base(R"([{"kind": "bytescheduler"}])");
  base["iterations"] = 8;
  base["warmup_iterations"] = 2;
  base["cluster"]["workers"] = 16;
  base["cluster"]["transport"] = "ideal";
  base["workload"]["compute"] = {{"forward", "10ms"}, {"backward", "20ms"}};
  base["workload"]["imbalance"] = {{"kind", "gamma"}, {"coefficient_of_variation", 0.2}};
  const int seeds = has_address_sanitizer ? 1 : 20;
  for (int seed = 60; seed < 60 + seeds; ++seed) {
    base["seed"] = seed;
    const SweepPlan plan = plan_of(base, {star_of("100Gbps")});
    LowerBounds bounds(plan);
    double sum_s = 0;
    for (int replication = 0; replication < plan.seeds(); ++replication)
      sum_s += simulate(read_scenario(plan.document(0, replication))).runs.front().iteration_time_s.mean;
    CHECK(bounds.iteration_time_s(0) <= sum_s / plan.seeds() * (1 + rounding_of_sums));
    CHECK(bounds.iteration_time_s(0) > 0.8 * sum_s / plan.seeds());
  }
}

TEST_CASE("no run of Horovod is shorter than its lower bound, wherever in a cycle its warm-up ends") {
  auto base = nlohmann::json::parse(R"({
    "seed": 781, "iterations": 3, "warmup_iterations": 1, "cluster": {"workers": 16, "transport": "ideal"},
    "workload": {"model": "resnet32_cifar10", "batch_size": 32,
      "compute": {"forward": "3ms", "backward": "2ms"},
      "imbalance": {"kind": "random_delay", "workers": 1, "delay": "20ms"}},
    "algorithms": [{"kind": "horovod", "collective": "recursive_doubling", "cycle_time": "5ms"}]})");
  const SweepPlan plan = plan_of(base, {star_of("25Gbps"), star_of("100Gbps")});
  LowerBounds bounds(plan);
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    double sum_s = 0;
    for (int seed = 0; seed < plan.seeds(); ++seed)
      sum_s += simulate(read_scenario(plan.document(i, seed))).runs.front().iteration_time_s.mean;
    CHECK(bounds.iteration_time_s(i) <= sum_s / plan.seeds());
    CHECK(bounds.iteration_time_s(i) > 0.8 * sum_s / plan.seeds());
  }
}

TEST_CASE("the lower bound of an all-reduce on a star is the time of its bytes on a link") {
  auto base = small_base(R"([{"kind": "allreduce"}, {"kind": "ddp"}, {"kind": "dear"}])");
  base["workload"].erase("imbalance");
  base["cluster"]["send_buffer"] = "1MB";
  const SweepPlan plan = plan_of(base, {star_of("1Gbps")});
  LowerBounds bounds(plan);
  // ResNet-50 has 25,557,032 parameters of 4 bytes. A ring of 8 workers sends 2 · 7 messages of an eighth
  // each. The bound leaves out 1500 B of each message and one of 11 iterations.
  const double bytes = 2 * 7.0 / 8 * 4 * 25'557'032 - 14 * 1500;
  const double link_s = bytes / 0.125e9 * 10 / 11;
  const double buffered_s = 1e6 / 0.125e9;  // may still be in the send buffer when the next iteration begins
  CHECK(bounds.iteration_time_s(0) == about(0.09 + link_s - buffered_s, 1e-6));
  CHECK(bounds.iteration_time_s(1) >
        0.03 + 0.99 * link_s - buffered_s);  // more buckets are more messages, each without 1500 B
  CHECK(bounds.iteration_time_s(1) < 0.03 + link_s - buffered_s);
  CHECK(bounds.iteration_time_s(2) < link_s);
  base["cluster"].erase("send_buffer");
  const SweepPlan unlimited = plan_of(base, {star_of("1Gbps")});
  CHECK(LowerBounds(unlimited).iteration_time_s(0) == about(link_s, 1e-6));
}

TEST_CASE("a ring over one slow link is no shorter than its lower bound, whatever buffers hold") {
  for (const char* transport : {"ideal", "nccl_ib", "mpi_ib"}) {
    CAPTURE(transport);
    auto base = small_base(R"([{"kind": "allreduce"}])");
    base["cluster"] = {{"workers", 32}, {"transport", transport}};
    base["workload"].erase("imbalance");
    auto star = star_of("100Gbps");
    star["overrides"] = nlohmann::json::array({{{"link", "host5 -> switch0"}, {"bandwidth", "5Gbps"}}});
    const SweepPlan plan = plan_of(base, {star});
    const double simulated_s =
        simulate(read_scenario(plan.document(0, 0))).runs.front().iteration_time_s.mean;
    CHECK(LowerBounds(plan).iteration_time_s(0) <= simulated_s);
    CHECK(LowerBounds(plan).iteration_time_s(0) > 0.8 * simulated_s);
  }
}

TEST_CASE("where messages take no time the lower bound is the iteration time") {
  const auto base = small_base(R"([{"kind": "allreduce"}, {"kind": "ddp"}])");
  const SweepPlan plan = plan_of(base, {star_of("1000Tbps")});
  LowerBounds bounds(plan);
  for (std::int64_t i = 0; i < plan.combinations(); ++i) {
    auto document = plan.document(i, 0);
    document.json["cluster"]["network"]["link"]["latency"] = 0;
    const double first_s = simulate(read_scenario(document)).runs.front().iteration_time_s.mean;
    document = plan.document(i, 1);
    document.json["cluster"]["network"]["link"]["latency"] = 0;
    const double second_s = simulate(read_scenario(document)).runs.front().iteration_time_s.mean;
    // 2 · 7/8 · 102 MB at 1,000 Tb/s take 1.4 us, 1.6e-5 of 90 ms.
    CHECK(bounds.iteration_time_s(i) == about((first_s + second_s) / 2, 2e-5));
  }
}

}  // namespace
}  // namespace starling

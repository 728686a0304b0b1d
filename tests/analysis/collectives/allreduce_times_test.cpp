#include "analysis/collectives/allreduce_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "analysis/running/runner.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "tests/analysis/running/small_scenario.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

AllreduceTimes times_of_allreduces(const Scenario& scenario, const AllreduceQuestion& question) {
  ProgressLine none(stderr, ProgressStyle::none);
  return allreduce_times(scenario, question, none);
}

nlohmann::json pairs_of_gpus(int workers) {
  return {{"workers", workers},
          {"workers_per_host", 2},
          {"intra_host_link", {{"bandwidth", "100GBps"}, {"latency", "2us"}}},
          {"network", {{"kind", "star"}, {"link", {{"bandwidth", "25GBps"}, {"latency", "3us"}}}}}};
}

TEST_CASE("All-reduces over a star take the times of their closed forms, and auto chooses the fastest") {
  Scenario scenario = small_scenario();
  scenario.iterations = 1;
  scenario.warmup_iterations = 0;
  const AllreduceTimes times = times_of_allreduces(scenario, {.sizes_bytes = {1 << 10, 1 << 20}, .jobs = 2});
  CHECK(times.workers == 4);
  CHECK(times.collectives ==
        std::vector<std::string>{"ring", "recursive_doubling", "halving_doubling", "double_tree"});
  CHECK(times.leaves_out_hierarchical);
  // The star of small_scenario: latency and time per byte between two of its 4 hosts.
  constexpr double alpha_s = 2e-6;
  constexpr double beta_s = 1e-9;
  for (const AllreducesOfSize& size : times.sizes) {
    CAPTURE(size.bytes);
    const double sent_s = 2 * 3.0 / 4 * static_cast<double>(size.bytes) * beta_s;
    REQUIRE(size.times_s.size() == 4);
    CHECK(size.times_s[0] == about(6 * alpha_s + sent_s, rounding_of_sums));
    CHECK(size.times_s[1] ==
          about(2 * (alpha_s + static_cast<double>(size.bytes) * beta_s), rounding_of_sums));
    CHECK(size.times_s[2] == about(4 * alpha_s + sent_s, rounding_of_sums));
    CHECK(times.collectives[size.fastest()] == size.chosen_by_auto);
  }
  CHECK(times.sizes[0].chosen_by_auto == "recursive_doubling");
  CHECK(times.sizes[1].chosen_by_auto == "halving_doubling");
}

TEST_CASE(
    "An all-reduce takes as long as the last worker's iteration of a model of one tensor that computes "
    "nothing") {
  const ScratchFolder folder;
  folder.write("one.json", R"({"name": "one", "layers": [
      {"name": "all", "type": "Linear", "tensors": [{"name": "all", "elements": 65536}],
       "forward_flops_per_sample": 1}]})");
  nlohmann::json document{
      {"iterations", 1},
      {"cluster", pairs_of_gpus(8)},
      {"workload",
       {{"model", "one.json"}, {"batch_size", 1}, {"compute", {{"forward", 0}, {"backward", 0}}}}},
      {"algorithms", nlohmann::json::array()}};
  for (const std::string& name : allreduce_collectives())
    document["algorithms"].push_back({{"kind", "allreduce"}, {"collective", name}});
  document["algorithms"].push_back({{"kind", "allreduce"}, {"collective", "auto"}});
  for (const char* engine : {"fair", "event", "tcp"}) {
    CAPTURE(engine);
    document["engine"] = engine;
    const auto file = folder.write("scenario.json", document.dump());
    const Result run = simulate(read_scenario(file));
    const AllreduceTimes times =
        times_of_allreduces(read_network_scenario(file), {.sizes_bytes = {4 * 65536}});
    CHECK(times.collectives == allreduce_collectives());
    CHECK_FALSE(times.leaves_out_hierarchical);
    const AllreducesOfSize& size = times.sizes.front();
    for (std::size_t i = 0; i < times.collectives.size(); ++i) {
      CAPTURE(times.collectives[i]);
      CHECK(size.times_s[i] == about(run.runs[i].iteration_time_s.max, rounding_of_sums));
      if (times.collectives[i] == size.chosen_by_auto)
        CHECK(size.times_s[i] == about(run.runs.back().iteration_time_s.max, rounding_of_sums));
    }
  }
}

TEST_CASE("A ring over NCCL takes the sum of its steps' latencies and of the time of its bytes") {
  const ScratchFolder folder;
  nlohmann::json document{{"cluster", pairs_of_gpus(8)}};
  document["cluster"]["transport"] = "nccl_ib";
  // NCCL's latency of a step by the protocol Simple, 14 µs between hosts and 3.4 µs inside, and the links'
  // own.
  constexpr double simple_s = 14e-6 + 2 * 3e-6;
  constexpr double simple_inside_s = 3.4e-6 + 2e-6;
  for (const char* collectives : {"auto", "messages"}) {
    CAPTURE(collectives);
    document["collectives"] = collectives;
    const auto file = folder.write("network.json", document.dump());
    // Chunks of 4 MiB use the protocol Simple, which sends no flags besides the data.
    constexpr std::int64_t bytes = std::int64_t{32} << 20;
    const AllreduceTimes times = times_of_allreduces(read_network_scenario(file), {.sizes_bytes = {bytes}});
    // Of the 2(P−1) = 14 steps along a chain of messages, seven are between hosts and seven inside. Bytes
    // take as long as over the links between hosts: those inside are four times as fast.
    const double bytes_s = 2 * 7.0 / 8 * static_cast<double>(bytes) / 25e9;
    REQUIRE(times.collectives[0] == "ring");
    CHECK(times.sizes[0].times_s[0] == about(7 * simple_s + 7 * simple_inside_s + bytes_s, rounding_of_sums));
  }
}

TEST_CASE("An all-reduce ends with its last worker, so that no bus bandwidth exceeds that of the cards") {
  const ScratchFolder folder;
  // Some workers have the sum a fifth earlier than the last ones.
  const nlohmann::json cluster{
      {"workers", 16},
      {"workers_per_host", 8},
      {"transport", "ideal"},
      {"intra_host_link", {{"bandwidth", "300GBps"}, {"latency", "1us"}}},
      {"network", {{"kind", "star"}, {"link", {{"bandwidth", "400Gbps"}, {"latency", "1us"}}}}}};
  constexpr std::int64_t bytes = std::int64_t{1} << 28;
  const AllreduceTimes times =
      times_of_allreduces(read_network_scenario(folder.write("cluster.json", cluster.dump())),
                          {.sizes_bytes = {bytes}, .collectives = std::vector<std::string>{"ring"}});
  // A card sends 30 chunks, one after the other, the last of which takes two links' latency to arrive.
  constexpr double sending_s = 30 * static_cast<double>(bytes) / 16 / 50e9;
  CHECK(times.sizes[0].times_s[0] == about(sending_s + 2e-6, rounding_of_sums));
}

/// Networks of `hosts` hosts. On all but the first, the star, distances between hosts differ.
std::vector<nlohmann::json> networks_of(int hosts) {
  const nlohmann::json link{{"bandwidth", "100Gbps"}, {"latency", "2us"}};
  return {{{"kind", "star"}, {"link", link}},
          {{"kind", "line"}, {"link", link}},
          {{"kind", "torus"}, {"dimensions", {hosts}}, {"link", link}},
          {{"kind", "leaf_spine"},
           {"hosts_per_leaf", 2},
           {"spines", 1},
           {"oversubscription", 2},
           {"link", link}}};
}

/// The time of the collective that auto chooses over that of the fastest, for each size on each network.
std::vector<double> ratios_of_auto(int workers, int workers_per_host, const char* transport) {
  const ScratchFolder folder;
  std::vector<double> ratios;
  for (const nlohmann::json& network : networks_of((workers - 1) / workers_per_host + 1)) {
    nlohmann::json cluster = pairs_of_gpus(workers);
    cluster["workers_per_host"] = workers_per_host;
    cluster["network"] = network;
    cluster["transport"] = transport;
    const Scenario scenario = read_network_scenario(folder.write("cluster.json", cluster.dump()));
    const AllreduceTimes times =
        times_of_allreduces(scenario, {.sizes_bytes = {1 << 10, 1 << 15, 1 << 20, 1 << 25}});
    for (const AllreducesOfSize& size : times.sizes) {
      const auto chosen = std::ranges::find(times.collectives, size.chosen_by_auto);
      const double chosen_s = size.times_s[static_cast<std::size_t>(chosen - times.collectives.begin())];
      ratios.push_back(chosen_s / size.times_s[size.fastest()]);
    }
  }
  return ratios;
}

TEST_CASE(
    "auto is nearly as fast as the best collective for various numbers of workers and workers per host") {
  std::vector<double> ratios;
  for (const auto& [workers, workers_per_host] :
       {std::pair{6, 1}, {6, 2}, {12, 4}, {12, 8}, {16, 4}, {20, 2}, {24, 8}})
    for (const char* transport : {"ideal", "nccl_ib", "nccl_tcp", "mpi_ib", "mpi_tcp"}) {
      CAPTURE(workers);
      CAPTURE(workers_per_host);
      CAPTURE(transport);
      const std::vector<double> these = ratios_of_auto(workers, workers_per_host, transport);
      CHECK(std::ranges::max(these) < 1.5);
      ratios.insert(ratios.end(), these.begin(), these.end());
    }
  CHECK(std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(ratios.size()) < 1.03);
}

TEST_CASE("Only the network of a file is read, and a file may hold nothing else") {
  const ScratchFolder folder;
  const nlohmann::json cluster = pairs_of_gpus(8);
  const auto itself = folder.write("itself.json", cluster.dump());
  const auto alone = folder.write("alone.json", nlohmann::json{{"cluster", cluster}}.dump());
  const nlohmann::json unfinished{
      {"seed", 7}, {"iterations", -1}, {"cluster", cluster}, {"workload", "none"}, {"jobs", 5}};
  const auto scenario = folder.write("scenario.json", unfinished.dump());
  CHECK(read_network_scenario(itself).cluster.workers == 8);
  CHECK(read_network_scenario(itself, {"/workers=4"}).cluster.workers == 4);
  CHECK(read_network_scenario(alone, {"/cluster/workers=4"}).cluster.workers == 4);
  CHECK(read_network_scenario(itself, {}, {"/engine=\"tcp\""}).engine == Engine::tcp);
  CHECK(read_network_scenario(scenario).seed == 7);
  CHECK(error_of(folder.path(), [&] { read_network_scenario(scenario, {"/engin=fair"}); }).find("engin") !=
        std::string::npos);
  CHECK(error_of(folder.path(), [&] {
          read_network_scenario(folder.write("list.json", "[]"));
        }).starts_with("list.json: "));
  CHECK(error_of(folder.path(), [&] {
          read_network_scenario(folder.write("none.json", "{}"));
        }).starts_with("none.json: "));
}

TEST_CASE("Collectives that do not fit the cluster are refused if named, and left out otherwise") {
  const ScratchFolder folder;
  const auto file = folder.write("odd.json", pairs_of_gpus(7).dump());
  const auto error = [&](const std::vector<std::string>& overrides, const char* collective) {
    return error_of(folder.path(), [&] {
      times_of_allreduces(read_network_scenario(file, overrides),
                          {.sizes_bytes = {8}, .collectives = std::vector<std::string>{collective}});
    });
  };
  CHECK(error({"/workers=1"}, "ring") ==
        "odd.json: /cluster/workers: a single worker has no all-reduce, got 1, expected 2 workers or more");
  CHECK(error({}, "hierarchical").starts_with("--collectives: does not fit this cluster, got "));
  CHECK(error({"/workers=2"}, "hierarchical").starts_with("--collectives: does not fit this cluster, got "));
  CHECK(error({"/workers=8"}, "hierarchical") == "no error");
  const AllreduceTimes times = times_of_allreduces(read_network_scenario(file), {.sizes_bytes = {8}});
  CHECK(times.leaves_out_hierarchical);
  CHECK(times.collectives.size() + 1 == allreduce_collectives().size());
}

}  // namespace
}  // namespace starling

#include "scenarios/reading/cluster_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {

namespace {

const std::string cluster =
    R"({"workers": 5, "workers_per_host": 2, "intra_host_link": {"bandwidth": 1e9, "latency": 0},
        "network": {"kind": "star", "link": {"bandwidth": "200Mbps", "latency": "1ms"}}})";
const std::string scenario_of_cluster =
    R"({"cluster": )" + cluster +
    R"(, "workload": {"model": "resnet50", "batch_size": 1, "compute": {"forward": 1, "backward": 1}},
        "algorithms": [{"kind": "allreduce"}]})";
const std::string jobs = R"({"cluster": )" + cluster +
                         R"(, "jobs": [{"workers": 2, "workload": {"model": "resnet50", "batch_size": 1,
        "compute": {"forward": 1, "backward": 1}}, "algorithm": {"kind": "allreduce"}}]})";

TEST_CASE("a cluster is read from a scenario, from a file of its key, and from a file of its own") {
  const ScratchFolder folder;
  for (const std::string& text : {scenario_of_cluster, jobs, R"({"cluster": )" + cluster + "}", cluster}) {
    const ClusterFile file = read_cluster_file(folder.write("file.json", text));
    CHECK(file.cluster.workers == 5);
    CHECK(file.cluster.workers_per_host == 2);
    CHECK(std::get<StarOptions>(file.cluster.network.kind).link.bandwidth_Bps == 25e6);
    CHECK(file.warnings.size() == 1);  // the last host has one worker
  }
}

TEST_CASE("a cluster may have quantities with an error, and stand beside what was measured") {
  const ScratchFolder folder;
  const std::string uncertain =
      R"({"starling": "0.2.0", "measured": {}, "cluster": {"workers": 2, "network": {"kind": "star",
          "link": {"bandwidth": {"value": "200Mbps", "relative_error": 0.1}, "latency": "1ms"}}}})";
  const ClusterFile file = read_cluster_file(folder.write("file.json", uncertain));
  CHECK(file.file == folder.path() / "file.json");
  CHECK(std::get<StarOptions>(file.cluster.network.kind).link.bandwidth_Bps == 25e6);
}

TEST_CASE("a cluster's host costs are read, whatever else its file holds") {
  const ScratchFolder folder;
  for (const std::string& text : {scenario_of_cluster, R"({"cluster": )" + cluster + "}", cluster}) {
    const std::string before = text == cluster ? "/" : "/cluster/";
    const ClusterFile file = read_cluster_file(folder.write("file.json", text),
                                               {before + "goodput=0.9", before + "host_latency=3us"});
    CHECK(file.host_costs.goodput == 0.9);
    CHECK(file.host_costs.latency_s == about(3e-6));
  }
}

TEST_CASE("overrides change the cluster of any of these files") {
  const ScratchFolder folder;
  CHECK(read_cluster_file(folder.write("a.json", scenario_of_cluster), {"/cluster/workers=8"})
            .cluster.workers == 8);
  CHECK(read_cluster_file(folder.write("b.json", cluster), {"/workers=8"}).cluster.workers == 8);
}

TEST_CASE("an override that does not fit the file's form is named, with what is accepted there") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& text, const std::string& override_option) {
    const auto file = folder.write("file.json", text);
    return error_of(folder.path(), [&] { (void)read_cluster_file(file, {override_option}); });
  };
  const std::string inside = error(cluster, "/cluster/workers=2");
  CHECK(inside.starts_with("--set /cluster/workers=2: /cluster: unknown key"));
  CHECK(inside.find("\"workers\"") != std::string::npos);
  const std::string outside = error(R"({"cluster": )" + cluster + "}", "/workers=2");
  CHECK(outside.starts_with("--set /workers=2: /workers: unknown key"));
  CHECK(outside.find("\"cluster\"") != std::string::npos);
  CHECK(error(cluster, "/workload/batch_size=2").starts_with("--set /workload/batch_size=2: /workload: "));
  CHECK(error(cluster, "/workers=x").starts_with("--set /workers=x: /workers: "));
}

TEST_CASE("a bad file is named, with the place, whatever its form") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& text) {
    const auto file = folder.write("file.json", text);
    return error_of(folder.path(), [&] { (void)read_cluster_file(file); });
  };
  CHECK(error("[]").starts_with("file.json: "));
  CHECK(error(R"({"cluster": {"workers": 0}})").starts_with("file.json: /cluster"));
  CHECK(error(R"({"workers": 0})").starts_with("file.json: /workers"));
  CHECK(error(R"({"cluster": {}, "workload": {}})").starts_with("file.json: /cluster"));
  CHECK(error(R"({"cluster": )" + cluster + R"(, "worklaod": {}})").starts_with("file.json: /worklaod"));
}

}  // namespace

}  // namespace starling

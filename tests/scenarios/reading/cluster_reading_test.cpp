#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

#include "io/scenario_error.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/messages/transport.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"
#include "tests/scenarios/reading/reading.hpp"

namespace starling {
namespace {

TEST_CASE("the transport follows from the network, and its costs hold unless they are given") {
  const Reading reading;
  const auto transport_of = [&](const std::vector<std::string>& changes) {
    return reading.read(changes).transport;
  };
  const Scenario near = reading.read({"/cluster/network/link/latency=4.9us"});
  CHECK(near.transport == "nccl_ib");
  CHECK(near.transport_reason == "not given; latency between hosts is 9.8 us");
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
        "not given; there is only one host, engine tcp");
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
  CHECK(scenario.transport_reason == "not given; latency between hosts is 12 us");
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
  // As it is written there, and from where.
  reading.folder().write("machines/broken.json",
                         R"({"cluster": {"network": {"kind": "file", "path": "cabels.json"}}})");
  CHECK(error_of(reading.folder().path(),
                 [&] { reading.read({R"(/cluster={"file": "machines/broken.json", "workers": 2})"}); }) ==
        "machines/broken.json: /cluster/network/path: no such file, got \"cabels.json\", expected a path "
        "relative to machines");
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
        "placed.json: /cluster/placement: is computed from the messages of a single job, got \"optimized\", "
        "expected another placement with \"jobs\"");
}

}  // namespace
}  // namespace starling

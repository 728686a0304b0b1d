// Networks exported as SimGrid platforms: SMPI's times on them beside those of Starling's engine simgrid.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_network.hpp"
#include "sim/simulated/simulated_world.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "tests/topologies/networks/clusters.hpp"
#include "topologies/networks/export_network.hpp"

namespace starling {
namespace {

constexpr int shifted_bytes = 1'000'000;
constexpr int envelope_bytes = 16;  // which SMPI adds to every message
const std::vector<int> distances = {1, 3, 5};

using Times = std::map<std::pair<int, int>, double>;  // by rank and distance

/// As SimGridOptions has it by default, where nothing but the network takes time and messages leave at once.
constexpr const char* matching_options =
    "--cfg=network/model:CM02 --cfg=network/crosstraffic:no --cfg=network/TCP-gamma:0 "
    "--cfg=network/weight-S:0 "
    "--cfg=network/latency-factor:1 --cfg=network/bandwidth-factor:1 --cfg=surf/precision:1e-12 "
    "--cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 --cfg=smpi/os:0:0:0 --cfg=smpi/or:0:0:0 "
    "--cfg=smpi/ois:0:0:0 --cfg=smpi/async-small-thresh:1000000000 "
    "--cfg=smpi/send-is-detached-thresh:1000000000 --log=root.thres:critical";

std::string write_exported(const Network& network, const ScratchFolder& folder) {
  const std::string path = (folder.path() / "platform.xml").string();
  std::ofstream file(path);
  export_network(network, "simgrid", file);
  return path;
}

/// One run of SMPI for each distance: ranks wake up to the nanosecond only, so a second shift of a run would
/// not begin on all of them at once.
Times smpi_times_s(const Network& network, const ScratchFolder& folder) {
  const std::string platform = write_exported(network, folder);
  std::string hosts;
  for (Rank rank = 0; rank < network.workers(); ++rank)
    hosts += network.vertices()[static_cast<std::size_t>(network.worker_vertex(rank))].name + "\n";
  const std::string host_file = folder.write("hosts", hosts).string();
  Times times_s;
  for (const int distance : distances) {
    const std::string command =
        fmt::format("cd '{}' && smpirun -np {} -platform {} -hostfile {} {} ./shift {} {} 2>&1", SMPI_FOLDER,
                    network.workers(), platform, host_file, matching_options, shifted_bytes, distance);
    std::FILE* output = popen(command.c_str(), "r");
    REQUIRE(output != nullptr);
    int rank = 0;
    double time_s = 0;
    while (std::fscanf(output, "%d %lf", &rank, &time_s) == 2) times_s[{rank, distance}] = time_s;
    REQUIRE(pclose(output) == 0);
  }
  return times_s;
}

template <typename Model>
Times starling_times_s(const Network& network) {
  Times times_s;
  for (const int distance : distances) {
    Model model(network);
    SimulatedWorld world(network, model);
    world.run([&](Worker& worker) {
      const int size = worker.world_size();
      const Buffer message = Buffer::sized((shifted_bytes + envelope_bytes) / 4);
      Request incoming = worker.irecv(message, (worker.rank() + size - distance) % size, 0);
      Request outgoing = worker.isend(message, (worker.rank() + distance) % size, 0);
      worker.wait(incoming);
      times_s[{worker.rank(), distance}] = worker.now();
      worker.wait(outgoing);
    });
  }
  return times_s;
}

/// 10⁻⁹, of times near 10⁻³ s: what two orders of adding the same rates and moments come to is below.
void check_same_times(const Times& one, const Times& other) {
  REQUIRE(one.size() == other.size());
  for (const auto& [key, time_s] : one) {
    CAPTURE(key.first);
    CAPTURE(key.second);
    CHECK(time_s == about(other.at(key), 1e-9));
  }
}

std::vector<std::pair<std::string, ClusterOptions>> clusters() {
  ClusterOptions full = cluster_of(2, StarOptions{.link = test_link});
  full.workers = 8;
  full.workers_per_host = 4;
  full.intra_host_link = LinkOptions{.bandwidth_Bps = 50e9, .latency_s = 2e-6};
  return {
      {"oversubscribed leaf and spine",
       cluster_of(
           8, LeafSpineOptions{.hosts_per_leaf = 4, .spines = 2, .link = test_link, .oversubscription = 4})},
      {"torus", cluster_of(9, TorusOptions{.dimensions = {3, 3}, .link = test_link})},
      {"Valiant's dragonfly",
       cluster_of(20, DragonflyOptions{.routing = DragonflyRouting::valiant, .link = test_link})},
      {"HammingMesh",
       cluster_of(16, HammingMeshOptions{.board = {2, 2}, .boards = {2, 2}, .link = test_link})},
      {"full hosts", full}};
}

TEST_CASE("SMPI on an exported platform takes the times of the engine simgrid") {
  for (const auto& [name, options] : clusters()) {
    CAPTURE(name);
    const ScratchFolder folder;
    const Network network = build_network(options);
    const Times ours_s = starling_times_s<SimGridNetwork>(network);
    REQUIRE(ours_s.size() == distances.size() * static_cast<std::size_t>(network.workers()));
    check_same_times(ours_s, smpi_times_s(network, folder));
  }
}

TEST_CASE("a network that was exported as a platform and read back takes the same times") {
  for (const auto& [name, options] : clusters()) {
    if (options.workers_per_host > 1) continue;
    CAPTURE(name);
    const ScratchFolder folder;
    const Network network = build_network(options);
    const Network again =
        network_of(network.workers(), FileNetworkOptions{.path = write_exported(network, folder)});
    check_same_times(starling_times_s<SimGridNetwork>(network), starling_times_s<SimGridNetwork>(again));
    check_same_times(starling_times_s<FairNetwork>(network), starling_times_s<FairNetwork>(again));
  }
}

}  // namespace
}  // namespace starling

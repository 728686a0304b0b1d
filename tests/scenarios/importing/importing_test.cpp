#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "io/scenario_error.hpp"
#include "scenarios/importing/astra_sim_network.hpp"
#include "scenarios/importing/astra_sim_workload.hpp"
#include "scenarios/importing/import_formats.hpp"
#include "scenarios/importing/simai_topology.hpp"
#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/model_file.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

using nlohmann::json;

ForeignFile file_of(const std::string& text) { return {.path = "foreign", .text = text, .name = "imported"}; }

std::string error_of(Imported (*read)(const ForeignFile&), const std::string& text) {
  try {
    read(file_of(text));
  } catch (const ScenarioError& error) {
    return error.what();
  }
  return "no error";
}

Imported import_workload(const ForeignFile& file) { return import_astra_sim_workload(file, 1); }

ClusterDescription cluster_of(const Imported& imported) {
  REQUIRE(imported.key == "cluster");
  const json value = imported.value;
  std::vector<std::string> warnings;
  ClusterDescription cluster = read_cluster(JsonPlace(value, "imported"), warnings);
  CHECK(warnings.empty());
  return cluster;
}

/// Two servers of two GPUs with an NVSwitch each; GPU i of each is on leaf i, and a spine joins both. Numbers
/// are mixed, ends of lines are of any kind.
const std::string two_servers =
    "9 2 2 3 10 H100\r\n"
    "4 7 2 5 8 \r\n"
    "0 4 2880Gbps 0.000025ms 0\n1 4 2880Gbps 0.000025ms 0\n"
    "3 7 2880Gbps 0.000025ms 0\n6 7 2880Gbps 0.000025ms 0\n"
    "0\t2\t400Gbps\t0.0005ms\t0\n3 2 400Gbps 0.0005ms 0\n1 5 400Gbps 0.0005ms 0\n"
    "6 5 400Gbps 0.0005ms 0\n2 8 800Gbps 0.0005ms 0\n5 8 800Gbps 0.0005ms 0.01\n";

TEST_CASE("a topology of SimAI is the network that it lists") {
  const Imported imported = import_simai_topology(file_of(two_servers));
  const json network = imported.value["network"];
  CHECK(imported.value["workers"] == 4);
  CHECK(network["switches"] == 5);
  REQUIRE(network["cables"].size() == 10);
  // GPUs 0, 1, 3 and 6 are hosts 0 to 3; switches 4, 7, 2, 5 and 8 come after them.
  const json ends = json::parse("[[0,4],[1,4],[2,5],[3,5],[0,6],[2,6],[1,7],[3,7],[6,8],[7,8]]");
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CHECK(network["cables"][i]["from"] == ends[i][0]);
    CHECK(network["cables"][i]["to"] == ends[i][1]);
  }
  CHECK(network["cables"][0]["link"]["bandwidth"].get<double>() == about(360e9));
  CHECK(network["cables"][0]["link"]["latency"].get<double>() == about(25e-9));

  const Network built = build_network(cluster_of(imported).options);
  CHECK(built.summary(0, 1).latency_s == about(50e-9));  // by the NVSwitch
  CHECK(built.summary(0, 2).latency_s == about(1e-6));   // by their leaf
  CHECK(built.summary(0, 2).s_per_byte() == about(1 / 50e9));
  REQUIRE(imported.notes.size() == 2);
  CHECK(imported.notes[0].find("does not know which 2 GPUs are in one server") != std::string::npos);
  CHECK(imported.notes[1].find("the error rates of 1 links are left out") != std::string::npos);
}

TEST_CASE("GPUs of a server talk over its NVSwitch, and none passes on what is for others") {
  std::string text = "11 4 2 1 16 H100\n8 9 10\n";  // two servers of four; all GPUs are on switch 10, too
  for (int gpu = 0; gpu < 8; ++gpu) {
    text += std::to_string(gpu) + (gpu < 4 ? " 8" : " 9") + " 2400Gbps 0.000025ms 0\n";
    text += std::to_string(gpu) + " 10 100Gbps 0.0005ms 0\n";
  }
  const Network network = build_network(cluster_of(import_simai_topology(file_of(text))).options);
  for (Rank source = 0; source < 8; ++source)
    for (Rank destination = 0; destination < 8; ++destination) {
      if (source == destination) continue;
      const bool is_inside = source / 4 == destination / 4;
      CHECK(network.summary(source, destination).latency_s == about(is_inside ? 50e-9 : 1e-6));
      CHECK(network.route(source, destination).size() == 2);
    }
}

TEST_CASE("what is no topology of SimAI is told with its line") {
  const auto error = [](const std::string& text) { return error_of(import_simai_topology, text); };
  CHECK(error("") == "foreign: line 1: the file ends where the number of nodes should be");
  CHECK(error("nodes 2") ==
        "foreign: line 1: the number of nodes is invalid, got \"nodes\", expected an integer from 1 to "
        "8388608");
  CHECK(
      error("3 1 0 3 0 H100\n") ==
      "foreign: line 1: the number of other switches is invalid, got \"3\", expected an integer from 0 to 2");
  for (const std::string number : {"3", "-1", "0.5", "none"})
    CHECK(error("3 1 0 1 2 H100\n" + number) == "foreign: line 2: no switch has this number, got \"" +
                                                    number + "\", expected an integer from 0 to 2");
  CHECK(error("3 1 0 2 0 H100\n1 1") ==
        "foreign: line 2: this switch appears twice, got \"1\", expected another number");
  CHECK(error("3 1 0 1 2 H100\n2\n0 2 9Gbps 1us 0\n") ==
        "foreign: line 4: the file ends where the source of a link should be");
  CHECK(error("3 1 0 1 1 H100\n2\n0 2 9Gbps 1us 0\n1 2 9Gbps 1us 0\n") ==
        "foreign: line 4: the file continues after its last entry, got \"1\", expected 1 links, as the first "
        "line says");
  CHECK(error("3 1 0 1 1 H100\n2\n0 3 9Gbps 1us 0\n") ==
        "foreign: line 3: the destination of a link is invalid, got \"3\", expected an integer from 0 to 2");
  CHECK(error("3 1 0 1 1 H100\n2\n0 2 9Gb 1us 0\n").find("line 3: the bandwidth of a link: ") !=
        std::string::npos);
  CHECK(error("3 1 0 1 1 H100\n2\n0 2 0Gbps 1us 0\n").find("the bandwidth of a link is out of range") !=
        std::string::npos);
  CHECK(error("3 1 0 1 1 H100\n2\n0 2 9Gbps 1us 2\n") ==
        "foreign: line 3: the error rate of a link is invalid, got \"2\", expected a number from 0 to 1");
}

std::string network_text(const std::string& topology, const std::string& counts) {
  return "topology: [ " + topology + " ]\nnpus_count: [ " + counts +
         " ]\nbandwidth: [ 100.0, 25.0, 5.0 ]\nlatency: [ 250.0, 500, 2e3 ]\n";
}

TEST_CASE("a dimension of ASTRA-sim's network is a ring, a complete network or a star") {
  const auto kind_of = [](const std::string& shape, int npus) {
    const Imported imported =
        import_astra_sim_network(file_of("topology: [" + shape + "]\nnpus_count: [" + std::to_string(npus) +
                                         "]\nbandwidth: [50]  # GB/s\nlatency: [500]\n"));
    const ClusterDescription cluster = cluster_of(imported);
    CHECK(cluster.options.workers == npus);
    const Network network = build_network(cluster.options);
    const double links = shape == "Switch" ? 2 : 1;
    CHECK(network.summary(0, 1).latency_s == about(links * 500e-9));
    CHECK(network.summary(0, 1).s_per_byte() == about(1 / (50 * 1024.0 * 1024 * 1024)));
    return imported.value["network"]["kind"].get<std::string>();
  };
  CHECK(kind_of("Ring", 5) == "ring");
  CHECK(kind_of("Ring", 2) == "line");
  CHECK(kind_of("FullyConnected", 4) == "complete");
  CHECK(kind_of("Switch", 16) == "star");
}

TEST_CASE("switches behind switches are rails") {
  const Imported imported = import_astra_sim_network(
      file_of("topology: [Switch, Switch]\nnpus_count: [8, 4]\nbandwidth: [450, 50]\nlatency: [250, 1000]"));
  const Network network = build_network(cluster_of(imported).options);
  CHECK(network.workers() == 32);
  CHECK(network.hosts() == 4);
  CHECK(network.summary(0, 7).latency_s == about(500e-9));
  CHECK(network.summary(3, 3 + 3 * 8).latency_s == about(2e-6));
  CHECK(network.route(3, 3 + 8).size() == 2);  // over their own rail
}

TEST_CASE("whatever has more dimensions is a graph in which NPUs have links of their own in each") {
  const Imported imported =
      import_astra_sim_network(file_of(network_text("Ring, FullyConnected, Switch", "3, 4, 2")));
  const json network = imported.value["network"];
  CHECK(imported.value["workers"] == 24);
  CHECK(network["switches"] == 12);
  CHECK(network["cables"].size() == 8 * 3 + 6 * 6 + 24);
  const Network built = build_network(cluster_of(imported).options);
  for (Rank npu = 0; npu < 24; ++npu) {
    const Rank in_ring = npu % 3 == 2 ? npu - 2 : npu + 1;
    const Rank in_clique = npu % 12 < 6 ? npu + 6 : npu - 6;
    CHECK(built.summary(npu, in_ring).latency_s == about(250e-9));
    CHECK(built.summary(npu, in_clique).latency_s == about(500e-9));
    CHECK(built.summary(npu, (npu + 12) % 24).latency_s == about(4e-6));
  }
}

TEST_CASE("what is no network of ASTRA-sim is told with its line") {
  const auto error = [](const std::string& text) { return error_of(import_astra_sim_network, text); };
  CHECK(error("topology: [") != "no error");
  CHECK(error("topology: [").find("foreign: line 1: not YAML: ") == 0);
  CHECK(error("[1, 2]") ==
        "foreign: not a network of ASTRA-sim, expected YAML with the keys topology, npus_count, bandwidth, "
        "latency");
  CHECK(error("") == error("[1, 2]"));
  CHECK(error("topology: [Ring]\n") ==
        "foreign: npus_count: is missing, expected a list with an entry for each dimension");
  CHECK(error("topology: Ring\n") ==
        "foreign: line 1: topology: is not a list with an entry for each dimension, got \"Ring\", expected a "
        "list with an entry for each "
        "dimension");
  CHECK(error("topology: [Ring]\nnpus_count: [2, 2]\n") ==
        "foreign: line 2: npus_count: is not a list with an entry for each dimension, expected a list of 1, "
        "one entry for each dimension of topology");
  CHECK(error(network_text("Ring, Ring, Mesh", "2, 2, 2")) ==
        "foreign: line 1: topology: is unknown, got \"Mesh\", expected one of Ring, FullyConnected, Switch");
  CHECK(error(network_text("Ring, Ring, Ring", "2, 2, 1")).find("npus_count: is invalid, got \"1\"") !=
        std::string::npos);
  CHECK(error(network_text("Ring, Ring, Ring", "2, 2, 2.5")).find("is not a number of NPUs, got \"2.5\"") !=
        std::string::npos);
  CHECK(error(network_text("Ring, Ring, Ring", "1024, 1024, 2")).find("at most 1048576 NPUs in all") !=
        std::string::npos);
  CHECK(error(network_text("FullyConnected, Ring, Ring", "100000, 2, 2"))
            .find("the network has too many links, got 20000200000, expected at most 8388608") !=
        std::string::npos);
  CHECK(error("topology: [Ring]\nnpus_count: [4]\nbandwidth: [fast]\nlatency: [1]\n")
            .find("line 3: bandwidth: is invalid, got \"fast\", expected a number from 1e-06") !=
        std::string::npos);
  const Imported other = import_astra_sim_network(
      file_of("topology: [Ring]\nnpus_count: [4]\nbandwidth: [1]\nlatency: [1]\ncolor: red\n"));
  CHECK(other.notes.back() == "the key \"color\" is left out");
}

TEST_CASE("what a network of ASTRA-sim tells twice is refused") {
  const auto error = [](const std::string& text) { return error_of(import_astra_sim_network, text); };
  const std::string network = network_text("Ring, Ring, Ring", "2, 2, 2");
  CHECK(error("---\n" + network + "...\n") == "no error");
  CHECK(error(network + "topology: [ Switch, Ring, Ring ]\n") ==
        "foreign: line 5: the key topology appears twice, expected each key once");
  CHECK(error(network + "---\n" + network) == "foreign: line 6: a second document, expected one");
  CHECK(error(network + "---\n") == "no error");
}

const std::string three_layers =
    "HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n"
    "3\n"
    "embedding -1 1000 NONE 0 2000 NONE 0 3000 ALLREDUCE 4000 100\n"
    "block -1 10000 ALLREDUCE 5000 20000 ALLREDUCE 6000 30000 REDUCESCATTER 8001 100 DATA\n"
    "block\t-1\t10\tALLTOALL_EP\t500\t20\tNONE\t0\t30\tALLGATHER_DP_EP\t8000\t0\n";

TEST_CASE("a workload of ASTRA-sim is a model and a profile") {
  const Imported imported = import_astra_sim_workload(file_of(three_layers), 16);
  CHECK(imported.key == "workload");
  CHECK(imported.value == nlohmann::ordered_json::parse(R"({"model": "imported.model.json",
    "batch_size": 16, "compute": {"profile": "imported.profile.json"}, "gradient_dtype": "fp32"})"));

  const ScratchFolder folder;
  for (const Imported::File& file : imported.files) folder.write(file.name, file.content.dump());
  const Model model = read_model_file(folder.path() / "imported.model.json");
  REQUIRE(model.tensors.size() == 2);
  CHECK(model.tensors[0].elements == 1000);
  CHECK(model.tensors[1].elements == 2001);
  CHECK(model.layers[2].name == "block#2");
  const MeasuredTimes times = read_profile_file(folder.path() / "imported.profile.json", model, 16);
  const std::vector<double> forward_us{1, 10, 0.01};
  const std::vector<double> backward_us{3 + 20, 30 + 0.02, 0.03};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(times.forward_s[i] == forward_us[i] / 1e6);
    CHECK(times.backward_s[i] == about(1e-6 * backward_us[i]));
  }

  const auto notes_have = [&](const std::string& part) {
    return std::ranges::any_of(imported.notes,
                               [&](const std::string& note) { return note.find(part) != std::string::npos; });
  };
  CHECK(imported.notes.size() == 8);
  CHECK(notes_have("\"HYBRID_TRANSFORMER model_parallel_NPU_group: 4\" is left out"));
  CHECK(notes_have("at a batch size of 16"));
  CHECK(notes_have("communication of 2 layers for their activations is left out, 5.500 kB in total"));
  CHECK(notes_have("communication of 1 layers for their input gradients is left out, 6.000 kB in total"));
  CHECK(
      notes_have("for their weight gradients by other collectives than ALLREDUCE and REDUCESCATTER is left"));
  CHECK(notes_have("times of updates are left out"));
  CHECK(notes_have("words after the times of updates are left out"));
  CHECK(notes_have("rounded up to whole elements"));
}

TEST_CASE("layers of a workload may be called anything") {
  const Imported imported =
      import_astra_sim_workload(file_of("DATA\n1\n\xff\x1b -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 1\n"), 1);
  CHECK(imported.files[0].content["layers"][0]["name"] == "\\xff\\x1b");
}

TEST_CASE("a byte order mark is no part of a workload") {
  const std::string text = "DATA\n1\nfc -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 1\n";
  const Imported marked = import_astra_sim_workload(file_of("\xEF\xBB\xBF" + text), 1);
  CHECK(marked.notes == import_astra_sim_workload(file_of(text), 1).notes);
}

TEST_CASE("what is no workload of ASTRA-sim is told with its line") {
  const auto error = [](const std::string& text) { return error_of(import_workload, text); };
  CHECK(error(std::string("D\0A\0", 4)) == "foreign: is UTF-16, expected UTF-8");
  CHECK(error("") == "foreign: line 1: the file ends where the kind of parallelism should be");
  CHECK(error("DATA\n") == "foreign: line 2: the file ends where the number of layers should be");
  CHECK(error("DATA\n0\n") ==
        "foreign: line 2: the number of layers is invalid, got \"0\", expected an integer from 1 to 1000000");
  CHECK(error("DATA\n1\nfc -1 5 NONE 0 5 NONE 0 5 SUM 8 1\n") ==
        "foreign: line 3: unknown collective, got \"SUM\", expected one of NONE, ALLREDUCE, "
        "ALLGATHER, REDUCESCATTER, ALLTOALL");
  CHECK(error("DATA\n1\nfc -1 -5 NONE 0 5 NONE 0 5 ALLREDUCE 8 1\n") ==
        "foreign: line 3: a compute time is invalid, got \"-5\", expected a number from 0 to 1e+17");
  CHECK(error("DATA\n1\nfc -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8\n") ==
        "foreign: line 4: the file ends where the time of an update should be");
  CHECK(error("DATA\n1\nfc -1 5 NONE 0 5 NONE 0 5 ALLREDUCE 8 1\nfc") ==
        "foreign: line 4: the file continues after its last entry, got \"fc\", expected 1 layers, as the "
        "second line says");
  CHECK(error("DATA\n1\nfc -1 5 NONE 0 5 NONE 0 5 NONE 8 1\n") ==
        "foreign: no layer has gradients that workers average, expected weight gradients with ALLREDUCE or "
        "REDUCESCATTER");
}

TEST_CASE("a file cut anywhere is read or refused, and nothing else") {
  for (const std::string& text : {two_servers, network_text("Ring, Switch, Ring", "3, 4, 2"), three_layers})
    for (std::size_t length = 0; length < text.size(); ++length)
      for (const ImportFormat& format : import_formats()) {
        try {
          format.read(file_of(text.substr(0, length)), 1);
        } catch (const ScenarioError& error) {
          CHECK(std::string(error.what()).starts_with("foreign: "));
        }
      }
}

}  // namespace
}  // namespace starling

#include "analysis/reproduction/cluster_profile.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

using nlohmann::json;

/// A profile in which everything is given.
json whole_profile() {
  return json::parse(R"json({
    "name": "lab",
    "description": "eight hosts",
    "seed": 3,
    "cluster": {
      "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}},
      "intra_host_link": {"bandwidth": "12GBps", "latency": "2us"},
      "reduction_rate": "4GBps"
    },
    "compute": [{
      "model": "resnet50", "batch_size": 64, "forward": "80ms", "backward": 0.16, "optimizer_rate": "100GBps",
      "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.02}, "samples_per_epoch": 1000,
      "match": {"paper": "Lab"}, "calibrated_on": ["a", "b"]
    }],
    "roofline": {"gpu": "P100", "achieved_fraction": 0.5, "source": "data sheet"},
    "software": [{
      "match": {"kind": "wfbp"}, "algorithm": {"collective": "recursive_doubling"},
      "cluster": {"network": {"link": {"bandwidth": "1Gbps"}}}, "source": "its code"
    }],
    "parameters": [
      {"pointer": "/cluster/network/link", "calibrated_on": ["b", "c"], "notes": "both at once"},
      {"pointer": "/cluster/intra_host_link", "source": "data sheet"},
      {"pointer": "/cluster/reduction_rate", "source": "measured"}
    ]
  })json");
}

/// The error of the profile after changes, each a JSON patch operation without its brackets.
std::string error_after_patch(const std::string& patch) {
  const ScratchFolder folder;
  const json changed = whole_profile().patch(json::parse("[" + patch + "]"));
  const auto file = folder.write("lab.json", changed.dump());
  return error_of(folder.path(), [&] { read_cluster_profile(file); });
}

TEST_CASE("a cluster profile has the values of its file") {
  const ScratchFolder folder;
  const ClusterProfile profile = read_cluster_profile(folder.write("lab.json", whole_profile().dump()));
  CHECK(profile.name == "lab");
  CHECK(profile.seed == 3);
  CHECK(profile.compute.at(0).forward_s == 0.08);
  CHECK(profile.compute.at(0).backward_s == 0.16);
  CHECK(profile.compute.at(0).samples_per_epoch == 1000);
  CHECK(profile.compute.at(0).match == json{{"paper", "Lab"}});
  CHECK(profile.roofline->compute == json{{"gpu", "P100"}, {"achieved_fraction", 0.5}});
  CHECK(profile.software.at(0).algorithm == json{{"collective", "recursive_doubling"}});
  CHECK(calibration_entries(profile) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("hosts of a cluster profile may have several network cards") {
  const auto error_with_cards = [](const std::string& cards) {
    return error_after_patch(R"({"op": "replace", "path": "/cluster/network/kind", "value": "rail"},
                                {"op": "replace", "path": "/parameters/1/pointer", "value": "/cluster"},
                                {"op": "add", "path": "/cluster/nics_per_host", "value": )" +
                             cards + "}");
  };
  CHECK(error_with_cards("4") == "no error");
  CHECK(error_with_cards("3") == "no error");
  CHECK(error_with_cards("-1").starts_with("lab.json: /cluster/nics_per_host: out of range, got -1"));
  CHECK(error_with_cards("2000").starts_with("lab.json: /cluster/nics_per_host: out of range, got 2000"));
}

TEST_CASE("every number of a cluster profile must say where it comes from") {
  CHECK(error_after_patch(R"({"op": "remove", "path": "/parameters/0"})") ==
        "lab.json: /cluster/network/link/bandwidth: no entry of \"parameters\" says where this value comes "
        "from, got \"10Gbps\", expected {\"pointer\": \"/cluster/network/link/bandwidth\", \"source\": …} or "
        "\"calibrated_on\"");
  CHECK(error_after_patch(R"({"op": "remove", "path": "/parameters/2/source"})") ==
        "lab.json: /parameters/2: names neither the source of its numbers nor the measurements that they "
        "were fitted to, "
        "expected \"source\": a text, or \"calibrated_on\": a list of published entries' ids");
  CHECK(error_after_patch(R"({"op": "remove", "path": "/software/0/source"})")
            .find("/software/0: names neither") != std::string::npos);
  CHECK(error_after_patch(R"({"op": "remove", "path": "/compute/0/calibrated_on"})")
            .find("/compute/0: names neither") != std::string::npos);
}

TEST_CASE("quantities of a profile's cluster may have errors, as a scenario's") {
  const auto error_with = [](const std::string& quantity, const std::string& more = "") {
    return error_after_patch(R"({"op": "replace", "path": "/cluster/network/link/bandwidth", "value": )" +
                             quantity + "}" + more);
  };
  const std::string uncertain = R"({"value": "10Gbps", "relative_error": 0.05})";
  CHECK(error_with(uncertain) == "no error");
  CHECK(error_with(uncertain, R"(, {"op": "add", "path": "/software/0/cluster/reduction_rate",
                                    "value": {"value": "5GBps", "relative_error": 0.1}})") == "no error");
  CHECK(error_with(R"({"value": "10Gbps", "relative_error": 1})")
            .starts_with("lab.json: /cluster/network/link/bandwidth/relative_error: out of range, got 1"));
  // A value with an error needs a source like any other.
  CHECK(error_with(uncertain, R"(, {"op": "remove", "path": "/parameters/0"})")
            .starts_with("lab.json: /cluster/network/link/bandwidth: no entry of \"parameters\""));
}

TEST_CASE("errors in a cluster profile have their place") {
  CHECK(error_after_patch(R"({"op": "add", "path": "/cluster/workers", "value": 8})") ==
        "lab.json: /cluster/workers: is not allowed in a profile, as published entries state it, got 8, "
        "expected no such key");
  CHECK(error_after_patch(R"({"op": "replace", "path": "/cluster/network/link/bandwidth", "value": "10Gb"})")
            .starts_with("lab.json: /cluster/network/link/bandwidth: unknown unit"));
  CHECK(error_after_patch(R"({"op": "add", "path": "/software/0/cluster/reduction_rat", "value": 8})")
            .starts_with("lab.json: /software/0/cluster/reduction_rat: unknown key (did you mean "
                         "\"reduction_rate\"?)"));
  CHECK(error_after_patch(
            R"({"op": "replace", "path": "/parameters/0/pointer", "value": "/cluster/network/links"})") ==
        "lab.json: /parameters/0/pointer: there is no value at this pointer, got \"/cluster/network/links\", "
        "expected a JSON "
        "pointer to a value below /cluster");
  CHECK(error_after_patch(R"({"op": "replace", "path": "/roofline/gpu", "value": "P10"})")
            .starts_with("lab.json: /roofline/gpu: unknown GPU"));
  CHECK(error_after_patch(R"({"op": "replace", "path": "/name", "value": "other"})") ==
        "lab.json: /name: differs from the name of the file, got \"other\", expected \"lab\"");
  CHECK(error_after_patch(R"({"op": "replace", "path": "/compute/0/batch_size", "value": 0})")
            .starts_with("lab.json: /compute/0/batch_size: out of range, got 0"));
  CHECK(error_after_patch(R"({"op": "replace", "path": "/software/0/match", "value": {"kind": ["wfbp"]}})") ==
        "lab.json: /software/0/match/kind: wrong type, got [\"wfbp\"], expected a text, a number, or true or "
        "false");
  CHECK(error_after_patch(R"({"op": "replace", "path": "/compute/0/imbalance/kind", "value": "gama"})")
            .starts_with(
                "lab.json: /compute/0/imbalance/kind: unknown kind of imbalance (did you mean \"gamma\"?)"));
}

/// Reads a profile that stands beside `lab` and inherits from it.
ClusterProfile heir_of_lab(const ScratchFolder& folder, const std::string& text) {
  folder.write("lab.json", whole_profile().dump());
  return read_cluster_profile(folder.write("heir.json", text));
}

TEST_CASE("a profile inherits what it leaves out, and needs sources only for its own numbers") {
  const ScratchFolder folder;
  const ClusterProfile heir = heir_of_lab(folder, R"json({
    "name": "heir", "base": "lab", "description": "the same hosts on a faster network",
    "cluster": {"network": {"link": {"bandwidth": "100Gbps", "latency": "2us"}}},
    "compute": [{"model": "resnet50", "batch_size": 64, "match": {"paper": "Lab"}, "forward": 1,
                 "backward": 2,                 "source": "measured"},
                {"model": "resnet50", "batch_size": 32, "forward": 0.5, "backward": 1, "source": "measured"}],
    "software": [{"match": {"kind": "ddp"}, "algorithm": {"bucket_bytes": 1}, "source": "its code"}],
    "parameters": [{"pointer": "/cluster/network/link", "source": "data sheet"}]
  })json");
  CHECK(heir.name == "heir");
  CHECK(heir.seed == 3);
  CHECK(heir.cluster.at("network").at("kind") == "star");
  CHECK(heir.cluster.at("network").at("link").at("bandwidth") == "100Gbps");
  CHECK(heir.cluster.at("reduction_rate") == "4GBps");
  REQUIRE(heir.compute.size() == 2);  // the base's time for the same work is replaced
  CHECK(heir.compute[0].forward_s == 1);
  CHECK(heir.compute[1].batch_size == 32);
  REQUIRE(heir.software.size() == 2);  // the later one wins
  CHECK(heir.software[0].match.at("kind") == "wfbp");
  CHECK(heir.software[1].match.at("kind") == "ddp");
  CHECK(heir.roofline.has_value());
  CHECK(heir.parameters.size() ==
        3);  // the base's source of the replaced link is gone, and so are its calibration entries
  CHECK(calibration_entries(heir).empty());
}

TEST_CASE("a profile of six lines can put known machines on another network") {
  const ScratchFolder folder;
  const ClusterProfile heir = heir_of_lab(folder, R"json({
    "name": "heir", "base": "lab", "description": "the same hosts on a faster network",
    "cluster": {"network": {"link": {"bandwidth": "100Gbps", "latency": "2us"}}},
    "parameters": [{"pointer": "/cluster/network/link", "source": "data sheet"}]
  })json");
  CHECK(heir.compute.size() == 1);
  CHECK(calibration_entries(heir) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("a number that an heir changes needs a source of its own") {
  const ScratchFolder folder;
  const std::string error = error_of(folder.path(), [&] {
    heir_of_lab(folder, R"({"name": "heir", "base": "lab", "description": "d",
                            "cluster": {"reduction_rate": "5GBps"}})");
  });
  CHECK(
      error ==
      "heir.json: /cluster/reduction_rate: no entry of \"parameters\" says where this value comes from, got "
      "\"5GBps\", expected {\"pointer\": \"/cluster/reduction_rate\", \"source\": …} or \"calibrated_on\"");
}

TEST_CASE("a base's source of an object still holds for the values in it that an heir leaves unchanged") {
  const ScratchFolder folder;
  json lab = whole_profile();
  lab["parameters"] = json::parse(R"([{"pointer": "/cluster", "calibrated_on": ["c"]}])");
  folder.write("lab.json", lab.dump());
  const auto heir_with = [&](const std::string& parameters) {
    return read_cluster_profile(
        folder.write("heir.json", R"({"name": "heir", "base": "lab", "description": "d",
                         "cluster": {"network": {"link": {"bandwidth": "100Gbps"}}}, "parameters": [)" +
                                      parameters + "]}"));
  };
  const ClusterProfile heir =
      heir_with(R"({"pointer": "/cluster/network/link/bandwidth", "source": "data sheet"})");
  const auto says = [&](const std::string& pointer) {
    return std::ranges::count(heir.parameters, pointer, &ProfileParameter::pointer);
  };
  CHECK(says("/cluster") == 0);
  CHECK(says("/cluster/network/link") == 0);
  CHECK(says("/cluster/network/link/bandwidth") == 1);
  CHECK(says("/cluster/network/link/latency") == 1);
  CHECK(says("/cluster/reduction_rate") == 1);
  CHECK(error_of(folder.path(), [&] {
          heir_with("");
        }).starts_with("heir.json: /cluster/network/link/bandwidth: no entry of \"parameters\" says"));
}

TEST_CASE("errors in inherited lists name the file and the place of the entry") {
  const auto error_with = [](const std::string& more) {
    const ScratchFolder folder;
    return error_of(folder.path(), [&] {
      heir_of_lab(folder, R"({"name": "heir", "base": "lab", "description": "d", )" + more + "}");
    });
  };
  CHECK(error_with(R"("parameters": [{"pointer": "/cluster/moon", "source": "x"}])") ==
        "heir.json: /parameters/0/pointer: there is no value at this pointer, got \"/cluster/moon\", "
        "expected a JSON pointer to "
        "a value below /cluster");
  CHECK(error_with(R"("compute": [{"model": "vgg16", "batch_size": 1, "forward": "1m", "backward": 1,
                                   "source": "x"}])")
            .starts_with("heir.json: /compute/0/forward: "));
  CHECK(error_with(R"("software": [{"match": {}, "cluster": {"reduction_rat": 8}, "source": "x"}])")
            .starts_with("heir.json: /software/0/cluster/reduction_rat: unknown key"));
  // An inherited entry that sets network.link is wrong for the heir's graph, whose cables have links of their
  // own.
  const std::string network = R"("network": {"kind": "graph", "link": null, "switches": 1, "cables": [
    {"from": 0, "to": 2, "link": {"bandwidth": "1Gbps", "latency": "1us"}},
    {"from": 1, "to": 2, "link": {"bandwidth": "1Gbps", "latency": "1us"}}]})";
  const std::string inherited = error_with(
      R"("cluster": {)" + network + R"(}, "parameters": [{"pointer": "/cluster/network", "source": "x"}])");
  CAPTURE(inherited);
  CHECK(inherited.starts_with("lab.json: /software/0/cluster/network/link: unknown key"));
  CHECK(inherited.find(", inherited by heir.json") != std::string::npos);
}

TEST_CASE("a user's profile inherits from a shipped one, unless a file beside it has that name") {
  const ScratchFolder folder;
  const auto file =
      folder.write("third.json", R"({"name": "third", "description": "d", "base": "hkbu_10gbe"})");
  CHECK(read_cluster_profile(file).compute.size() > 1);
  folder.write("hkbu_10gbe.json",
               R"({"name": "other", "description": "d", "cluster": {}, "parameters": []})");
  CHECK(error_of(folder.path(), [&] { read_cluster_profile(file); }).starts_with("hkbu_10gbe.json: /name: "));
}

TEST_CASE("a base that is missing, is malformed, or inherits from its heir is refused") {
  const ScratchFolder folder;
  const auto error_with = [&](const std::string& base, const std::string& more = "") {
    const std::string text = R"({"name": "heir", "description": "d", "base": )" + base + more + "}";
    return error_of(folder.path(), [&] { heir_of_lab(folder, text); });
  };
  CHECK(error_with("\"lob\"") ==
        "heir.json: /base: unknown cluster profile (did you mean \"lab\"?), got \"lob\", expected one of "
        "\"heir\", \"hkbu_100gbib\", \"hkbu_10gbe\", \"lab\", \"p2p_a100\", \"p2p_a40\", \"p2p_t4\", "
        "\"piz_daint\"");
  CHECK(error_with("\"heir\"") ==
        "heir.json: /base: profiles inherit from each other in a cycle, got \"heir\", expected a profile "
        "that does not inherit from this one");
  CHECK(error_with("7").starts_with("heir.json: /base: does not meet the schema"));
  CHECK(
      error_with("\"lab\"", ", \"compute\": 7").starts_with("heir.json: /compute: does not meet the schema"));

  folder.write("first.json", R"({"name": "first", "description": "d", "base": "second"})");
  folder.write("second.json", R"({"name": "second", "description": "d", "base": "first"})");
  CHECK(error_with("\"first\"") ==
        "second.json: /base: profiles inherit from each other in a cycle, got \"first\", expected a profile "
        "that does not inherit from this one");
  folder.write("wrong.json", R"({"name": "other", "description": "d", "cluster": {}, "parameters": []})");
  CHECK(error_with("\"wrong\"").starts_with("wrong.json: /name: differs from the name of the file"));
}

TEST_CASE("the example of a cluster profile in its README can be read") {
  const std::string text = read_text_file(data_directory() / "scenarios" / "clusters" / "README.md");
  const std::size_t start = text.find("```json") + 7;
  const ScratchFolder folder;
  const auto file = folder.write("example.json", text.substr(start, text.find("```", start) - start));
  CHECK(error_of(folder.path(), [&] { read_cluster_profile(file); }) == "no error");
}

TEST_CASE("all cluster profiles that are shipped can be read") {
  const auto folder = data_directory() / "scenarios" / "clusters";
  const auto names = json_names(folder);
  REQUIRE_FALSE(names.empty());
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(read_cluster_profile(folder / (name + ".json")).name == name);
  }
}

}  // namespace

}  // namespace starling

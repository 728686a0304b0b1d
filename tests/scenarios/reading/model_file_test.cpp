#include "scenarios/reading/model_file.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/scenarios/reading/good_scenarios.hpp"

namespace starling {

namespace {

const std::string two_layers = R"({
  "name": "mine", "source": "made up", "parameters": 12, "tensors": 2, "forward_flops_per_sample": 30,
  "layers": [
    {"name": "a", "type": "Linear", "tensors": [{"name": "a.weight", "elements": 10},
     {"name": "a.bias", "elements": 2}],
     "forward_flops_per_sample": 20},
    {"name": "b", "tensors": [], "forward_flops_per_sample": 10}
  ]
})";

/// The error of the model above with one value replaced.
std::string error_with(const std::string& pointer, const nlohmann::json& value) {
  const ScratchFolder folder;
  nlohmann::json document = parse_json(two_layers, "m.json");
  document[nlohmann::json::json_pointer(pointer)] = value;
  const auto file = folder.write("m.json", document.dump());
  return error_of(folder.path(), [&] { (void)read_model_file(file); });
}

TEST_CASE("a model file is read layer by layer") {
  const ScratchFolder folder;
  const Model model = read_model_file(folder.write("m.json", two_layers));
  CHECK(model.name == "mine");
  CHECK(model.source == "made up");
  CHECK(model.parameters() == 12);
  REQUIRE(model.tensors.size() == 2);
  CHECK(model.tensors[1].name == "a.bias");
  CHECK(model.tensors[1].elements == 2);
  REQUIRE(model.layers.size() == 2);
  CHECK(model.layers[0].type == "Linear");
  CHECK(model.layers[0].first_tensor == 0);
  CHECK(model.layers[0].tensors == 2);
  CHECK(model.layers[1].first_tensor == 2);
  CHECK(model.layers[1].tensors == 0);
  CHECK(model.layers[1].forward_flops_per_sample == 10);
  CHECK(model.forward_flops_per_sample == 30);
  model.validate();
}

TEST_CASE("every shipped model is right and bears its file's name") {
  const auto names = json_names(model_directory());
  CHECK(names.size() >= 15);
  for (const std::string& name : names) {
    CAPTURE(name);
    const Model model = read_model_file(model_directory() / (name + ".json"));
    CHECK(model.name == name);
    model.validate();
  }
}

TEST_CASE("what is wrong in a model file is told with its place in that file") {
  CHECK(error_with("/layers/0/tensors/1/elements", 0) ==
        "m.json: /layers/0/tensors/1/elements: out of range, got 0, expected an integer from 1 to "
        "70368744177664");
  CHECK(error_with("/layers/0/tensors/1/elements", 1.5) ==
        "m.json: /layers/0/tensors/1/elements: wrong type, got 1.5, expected an integer from 1 to "
        "70368744177664");
  CHECK(
      error_with("/layers/1/forward_flops_per_sample", -1) ==
      "m.json: /layers/1/forward_flops_per_sample: out of range, got -1, expected a number from 0 to 1e+24");
  CHECK(error_with("/layers/1/flops", 1) ==
        "m.json: /layers/1/flops: unknown key, expected one of \"name\", \"type\", \"tensors\", "
        "\"forward_flops_per_sample\"");
  CHECK(error_with("/layers", nlohmann::json::array()) ==
        "m.json: /layers: too short, got [], expected a list of at least 1 element");
  CHECK(error_with("/name", nullptr) == "m.json: /name: wrong type, got null, expected a text");
}

TEST_CASE("a model file that is no JSON says that it should be, and where that is described") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& name, const std::string& text) {
    const auto file = folder.write(name, text);
    return error_of(folder.path(), [&] { (void)read_model_file(file); });
  };
  const std::string is_json =
      "a model file is JSON, see \"Files that a scenario names\" in scenarios/reference.md: ";
  CHECK(error("layers.csv", "name,elements\nfc,1000\n") ==
        "layers.csv: line 1, column 2: " + is_json + "syntax error: invalid literal");
  CHECK(error("m.json", R"({"name": "mine")") ==
        "m.json: line 1, column 16: " + is_json + "syntax error, got end of input, expected '}'");
  CHECK(error("m.json", "").starts_with("m.json: " + is_json + "is empty"));
  CHECK(
      error("m.json", R"({"name": "mine", "name": "mine"})").starts_with("m.json: /name: this key appears"));
}

TEST_CASE("totals that contradict the layers are errors") {
  CHECK(
      error_with("/parameters", 13) ==
      "m.json: /parameters: does not agree with the layers, got 13, expected 12, the sum of their elements");
  CHECK(error_with("/tensors", 3) ==
        "m.json: /tensors: does not agree with the layers, got 3, expected 2, the number of their tensors");
  CHECK(error_with("/forward_flops_per_sample", 31) ==
        "m.json: /forward_flops_per_sample: does not agree with the layers, got 31, expected 30, their sum");
}

TEST_CASE("a model without tensors or with too many parameters is an error") {
  CHECK(error_with("/layers/0/tensors", nlohmann::json::array())
            .starts_with("m.json: /layers: no layer has a tensor"));
  CHECK(error_with("/layers/0/tensors/1/elements", 70368744177664) ==
        "m.json: /layers/0/tensors/1/elements: the model has too many parameters, got 70368744177664, "
        "expected at most 70368744177664 in all");
}

TEST_CASE("a profile gives the times of every layer") {
  const ScratchFolder folder;
  const Model model = read_model_file(folder.write("m.json", two_layers));
  const auto file = folder.write("p.json", R"({"model": "mine", "batch_size": 32, "layers": [
    {"name": "a", "forward": "1ms", "backward": "2ms"}, {"name": "b", "forward": 0, "backward": 0.5}]})");
  const MeasuredTimes times = read_profile_file(file, model, 32);
  CHECK(times.forward_s == std::vector<double>{1e-3, 0});
  CHECK(times.backward_s == std::vector<double>{2e-3, 0.5});
}

TEST_CASE("a profile of something else is an error") {
  const ScratchFolder folder;
  const Model model = read_model_file(folder.write("m.json", two_layers));
  const auto error = [&](const std::string& text) {
    const auto file = folder.write("p.json", text);
    return error_of(folder.path(), [&] { (void)read_profile_file(file, model, 32); });
  };
  CHECK(error(R"({"model": "yours", "batch_size": 32, "layers": []})") ==
        "p.json: /model: profile of another model, got \"yours\", expected \"mine\"");
  CHECK(error(R"({"model": "mine", "batch_size": 64, "layers": []})") ==
        "p.json: /batch_size: profile at another batch size, got 64, expected 32, the workload's batch_size");
  CHECK(error(R"({"model": "mine", "batch_size": 32, "layers": []})") ==
        "p.json: /layers: wrong number of layers, got 0, expected 2, those of model mine");
  CHECK(error(R"({"model": "mine", "batch_size": 32, "layers": [{"name": "b", "forward": 1, "backward": 1},
                {"name": "a", "forward": 1, "backward": 1}]})") ==
        "p.json: /layers/0/name: not the model's layer at this place, got \"b\", expected \"a\"");
  CHECK(error(
            R"({"model": "mine", "batch_size": 32,
              "layers": [{"name": "a", "forward": -1, "backward": 1}, {}]})")
            .starts_with("p.json: /layers/0/forward: out of range, got -1"));
}

}  // namespace

}  // namespace starling

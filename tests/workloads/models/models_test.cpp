#include <doctest/doctest.h>

#include "shipped_data.hpp"
#include "workloads/models/workload.hpp"

namespace starling {
namespace {

using nlohmann::json;

Model model_of(const json& file) {
  Model model;
  model.name = file["name"];
  for (const json& layer : file["layers"]) {
    model.layers.push_back({layer["name"], layer["type"], static_cast<int>(model.tensors.size()),
                            static_cast<int>(layer["tensors"].size()), layer["forward_flops_per_sample"]});
    for (const json& tensor : layer["tensors"]) model.tensors.push_back({tensor["name"], tensor["elements"]});
  }
  return model;
}

TEST_CASE("the tables of shipped models add up to the totals they state") {
  const std::vector<json> files = shipped_files("models");
  CHECK(files.size() == 17);
  for (const json& file : files) {
    CAPTURE(file["name"].get<std::string>());
    const Model model = model_of(file);
    CHECK_NOTHROW(model.validate());
    CHECK(model.parameters() == file["parameters"].get<std::int64_t>());
    CHECK(static_cast<int>(model.tensors.size()) == file["tensors"].get<int>());
    double flops = 0;
    for (const Layer& layer : model.layers) flops += layer.forward_flops_per_sample;
    CHECK(flops == file["forward_flops_per_sample"].get<double>());
  }
}

}  // namespace
}  // namespace starling

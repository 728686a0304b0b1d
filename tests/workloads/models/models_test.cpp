#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <string>

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
  CHECK(files.size() == 28);
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

/// The model of the shipped table of that name.
json table_of(const std::string& name) {
  for (const json& file : shipped_files("models"))
    if (file["name"] == name) return file;
  FAIL("no table of " << name);
  return {};
}

std::int64_t parameters_of(const std::string& name) {
  return table_of(name)["parameters"].get<std::int64_t>();
}

// num_params and GFLOPS, which are multiply-adds, at pytorch.org/vision/stable/models. Inception v3 is there
// with the parameters of its auxiliary head, 27,161,264, and without its work. Tensors are not counted there.
TEST_CASE("tables of torchvision's networks have the sizes and the work that it prints") {
  struct Printed {
    std::string name;
    std::int64_t parameters;
    int tensors;
    double giga_macs;
  };
  for (const Printed& printed :
       {Printed{"alexnet", 61'100'840, 16, 0.71}, Printed{"densenet121", 7'978'856, 364, 2.83},
        Printed{"densenet201", 20'013'928, 604, 4.29}, Printed{"inceptionv3", 23'834'568, 284, 5.71},
        Printed{"mobilenet_v2", 3'504'872, 158, 0.30}, Printed{"resnet18", 11'689'512, 62, 1.81},
        Printed{"resnet34", 21'797'672, 110, 3.66}, Printed{"resnet50", 25'557'032, 161, 4.09},
        Printed{"resnet101", 44'549'160, 314, 7.80}, Printed{"resnet152", 60'192'808, 467, 11.51},
        Printed{"vgg16", 138'357'544, 32, 15.47}, Printed{"vgg19", 143'667'240, 38, 19.63},
        Printed{"vit_b_16", 86'567'656, 152, 17.56}}) {
    CAPTURE(printed.name);
    const json file = table_of(printed.name);
    CHECK(file["parameters"].get<std::int64_t>() == printed.parameters);
    CHECK(file["tensors"].get<int>() == printed.tensors);
    CHECK(std::abs(file["forward_macs_per_sample"].get<double>() / 1e9 - printed.giga_macs) <= 0.005);
  }
}

TEST_CASE("deeper networks of a family are shallower ones with more blocks") {
  const auto basic = [](std::int64_t width) { return 18 * width * width + 4 * width; };
  CHECK(parameters_of("resnet34") - parameters_of("resnet18") ==
        basic(64) + 2 * basic(128) + 4 * basic(256) + basic(512));
  const auto bottleneck = [](std::int64_t width) { return 17 * width * width + 12 * width; };
  CHECK(parameters_of("resnet101") - parameters_of("resnet50") == 17 * bottleneck(256));
  CHECK(parameters_of("resnet152") - parameters_of("resnet101") ==
        4 * bottleneck(128) + 13 * bottleneck(256));
  const auto convolution = [](std::int64_t width) { return 9 * width * width + width; };
  CHECK(parameters_of("vgg19") - parameters_of("vgg16") == convolution(256) + 2 * convolution(512));
}

TEST_CASE("transformers have 12 parameters per square of their width in every layer") {
  const auto layers = [](std::int64_t count, std::int64_t width) {
    return count * (12 * width + 13) * width;
  };
  const auto gpt2 = [&](std::int64_t count, std::int64_t width) {
    return layers(count, width) + (50257 + 1024 + 2) * width;  // words, positions, the last normalization
  };
  CHECK(parameters_of("gpt2_medium") == gpt2(24, 1024));
  CHECK(parameters_of("gpt2_xl") == gpt2(48, 1600));
  const std::int64_t patches = (3 * 16 * 16 + 1) * 768, tokens = 14 * 14 + 1, classes = (768 + 1) * 1000;
  CHECK(parameters_of("vit_b_16") == layers(12, 768) + patches + (1 + tokens + 2) * 768 + classes);
}

TEST_CASE("the work of a layer is two operations per multiply-add, plus normalizations and embeddings") {
  for (const json& file : shipped_files("models")) {
    CAPTURE(file["name"].get<std::string>());
    double of_products = 0;
    for (const json& layer : file["layers"]) {
      const std::string type = layer["type"];
      // BERT's head adds its bias to every word that it tells.
      const bool is_beside = type.ends_with("Norm") || type.ends_with("Norm2d") || type == "Embedding" ||
                             type == "BertLMPredictionHead";
      if (!is_beside) of_products += layer["forward_flops_per_sample"].get<double>();
    }
    CHECK(of_products == 2 * file["forward_macs_per_sample"].get<double>());
  }
}

}  // namespace
}  // namespace starling

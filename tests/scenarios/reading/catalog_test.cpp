#include "scenarios/reading/catalog.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/options/option_kinds.hpp"
#include "io/data_directory.hpp"
#include "scenarios/reading/algorithm_reader.hpp"
#include "sim/messages/transport.hpp"
#include "topologies/networks/network_options.hpp"
#include "workloads/compute/gpu.hpp"
#include "workloads/learning/task_options.hpp"

namespace starling {

namespace {

std::vector<std::string> names(const std::vector<CatalogEntry>& entries) {
  std::vector<std::string> all;
  for (const CatalogEntry& entry : entries) all.push_back(entry.name);
  return all;
}

TEST_CASE("the lists name what scenarios may name, no less and no more") {
  CHECK(names(list_models()) == json_names(model_directory()));
  CHECK(names(list_profiles()) == json_names(profile_directory()));
  CHECK(names(list_distributions()) == json_names(distribution_directory()));
  CHECK(names(list_algorithms()) == algorithm_kinds());
  CHECK(names(list_topologies()).size() == kinds_of<NetworkKind>().size());
  CHECK(names(list_tasks()).size() == kinds_of<TaskOptions>().size());
  CHECK(list_gpus().size() == gpu_catalog().size());
  CHECK(names(list_transports()) == transport_names());
}

TEST_CASE("every entry is described in one line") {
  for (const auto& list : {list_models(), list_profiles(), list_algorithms(), list_topologies(), list_gpus(),
                           list_distributions(), list_tasks(), list_transports()}) {
    for (const CatalogEntry& entry : list) {
      CAPTURE(entry.name);
      CHECK(!entry.description.empty());
      CHECK(entry.description.find('\n') == std::string::npos);
    }
  }
}

TEST_CASE("a GPU's description states where its rates are from") {
  CHECK(list_gpus().front().description ==
        "PCIe 16 GB: fp32 9.3, fp16 18.7 TFLOP/s, memory 732 GB/s; NVIDIA Tesla P100 PCIe datasheet (2016); "
        "no tensor cores, fp16 is packed arithmetic");
}

TEST_CASE("a model's description states its size, and what a batch counts") {
  const auto description = [](const std::string& name) {
    for (const CatalogEntry& entry : list_models())
      if (entry.name == name) return entry.description;
    return std::string();
  };
  CHECK(
      description("resnet50")
          .starts_with(
              "25.56 million parameters in 161 tensors, 8.2228 GFLOP forward per image of 3 x 224 x 224: "));
  CHECK(description("bert_large")
            .starts_with(
                "336.2 million parameters in 398 tensors, 43.21 GFLOP forward per sentence of 64 tokens: "));
  CHECK(description("transformer_big_wmt14").find(" forward per token pair: ") != std::string::npos);
}

}  // namespace

}  // namespace starling

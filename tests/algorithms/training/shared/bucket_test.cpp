#include "algorithms/training/shared/bucket.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "sim/random.hpp"
#include "tests/algorithms/training/training_fixture.hpp"

namespace starling {
namespace {

/// As text: "first+count@ready_layer …".
std::string text_of(const std::vector<Bucket>& buckets) {
  std::string text;
  for (const Bucket& bucket : buckets) {
    text += std::to_string(bucket.tensors.first) + "+" + std::to_string(bucket.tensors.count) + "@" +
            std::to_string(bucket.ready_layer) + " ";
  }
  return text;
}

/// As text: "tensors of layers first-end …".
std::string text_of(const std::vector<LayerGroup>& groups) {
  std::string text;
  for (const LayerGroup& group : groups) {
    text += std::to_string(group.tensors.first) + "+" + std::to_string(group.tensors.count) + " of " +
            std::to_string(group.first_layer) + "-" + std::to_string(group.end_layer) + " ";
  }
  return text;
}

// Tensors 0 … 5 of 40, 80, 400, 40, 40, 200 bytes in layers 1, 1, 2, 4, 4, 5; layers 0 and 3 have none.
const Workload sample =
    workload_of({{{}, 1, 1}, {{10, 20}, 1, 1}, {{100}, 1, 1}, {{}, 1, 1}, {{10, 10}, 1, 1}, {{50}, 1, 1}});

TEST_CASE("a single bucket holds everything and waits for the whole backward pass") {
  CHECK(text_of(single_bucket(sample.model)) == "0+6@0 ");
  CHECK(text_of(single_bucket(Model{})).empty());
}

TEST_CASE("buckets of one tensor each follow the order of the backward pass") {
  CHECK(text_of(bucket_per_tensor(sample.model)) == "5+1@5 4+1@4 3+1@4 2+1@2 1+1@1 0+1@1 ");
}

TEST_CASE("a ddp bucket closes with the tensor that brings it to its limit") {
  CHECK(text_of(ddp_buckets(sample, 400, 100)) == "5+1@5 2+3@2 0+2@1 ");
  CHECK(text_of(ddp_buckets(sample, 480, 201)) == "4+2@4 1+3@1 0+1@1 ");
  // Exactly at the limit is at the limit.
  CHECK(text_of(ddp_buckets(sample, 480, 240)) == "4+2@4 1+3@1 0+1@1 ");
  CHECK(text_of(ddp_buckets(sample, 440, 200)) == "5+1@5 2+3@2 0+2@1 ");
}

TEST_CASE("ddp's first bucket has its own limit, and huge limits make one bucket") {
  CHECK(text_of(ddp_buckets(sample, 1, 1)) == text_of(bucket_per_tensor(sample.model)));
  CHECK(text_of(ddp_buckets(sample, 1e9, 1e9)) == "0+6@1 ");
  CHECK(text_of(ddp_buckets(sample, 1e9, 1)) == "5+1@5 0+5@1 ");
}

TEST_CASE(
    "dear's groups take layers while their sum stays below the limit, and a larger layer stands alone") {
  CHECK(text_of(layer_groups(sample, 0)) == "0+2 of 1-2 2+1 of 2-4 3+2 of 4-5 5+1 of 5-6 ");
  CHECK(text_of(layer_groups(sample, 300)) == "0+2 of 1-2 2+1 of 2-4 3+3 of 4-6 ");
  // 120 + 400 is below 521, but not below 520.
  CHECK(text_of(layer_groups(sample, 520)) == "0+2 of 1-2 2+3 of 2-5 5+1 of 5-6 ");
  CHECK(text_of(layer_groups(sample, 521)) == "0+3 of 1-4 3+3 of 4-6 ");
  CHECK(text_of(layer_groups(sample, 1e9)) == "0+6 of 1-6 ");
  CHECK(text_of(layer_groups(Workload{}, 10)).empty());
}

TEST_CASE("padding rounds elements up to a multiple of the workers") {
  CHECK(padded(0, 4) == 0);
  CHECK(padded(1, 4) == 4);
  CHECK(padded(8, 4) == 8);
  CHECK(padded(9, 4) == 12);
  CHECK(padded(9, 1) == 9);
}

TEST_CASE("MG-WFBP merges a layer whose all-reduce would not start before the next layer is ready") {
  // Backward: layer 2 ready at 10, layer 1 at 20, layer 0 at 30; a = 0, so nothing is worth waiting for.
  const Workload workload = workload_of({{{10}, 1, 10}, {{10}, 1, 10}, {{10}, 1, 10}});
  // 40 bytes take 4 s: done before the next is ready.
  CHECK(text_of(merged_buckets(workload, {.start_up_s = 0, .s_per_byte = 0.1})) == "2+1@2 1+1@1 0+1@0 ");
  // 40 bytes take 24 s: layer 2 runs from 10 to 34, layer 1 would start at 34, when layer 0 is ready.
  CHECK(text_of(merged_buckets(workload, {.start_up_s = 0, .s_per_byte = 0.6})) == "2+1@2 0+2@0 ");
}

TEST_CASE("MG-WFBP merges a layer when waiting for the next one costs less than a start-up") {
  const Workload workload = workload_of({{{10}, 1, 10}, {{10}, 1, 3}, {{10}, 1, 10}});
  CHECK(text_of(merged_buckets(workload, {.start_up_s = 2.9})) == "2+1@2 1+1@1 0+1@0 ");
  CHECK(text_of(merged_buckets(workload, {.start_up_s = 3.1})) == "1+2@1 0+1@0 ");
}

/// Algorithm 1 of the MG-WFBP paper as printed, with its procedures: O(layers²), every layer with tensors.
std::vector<bool> printed_merges(const std::vector<double>& backward_s, std::vector<double> bytes, double a,
                                 double b) {
  const std::size_t layers = backward_s.size();
  std::vector<double> ready(layers);
  double now = 0;
  for (std::size_t l = layers; l-- > 0;) ready[l] = now += backward_s[l];
  std::vector<double> communication(layers);
  for (std::size_t l = 0; l < layers; ++l) communication[l] = a + b * bytes[l];
  const auto communication_starts = [&] {
    std::vector<double> start(layers);
    start[layers - 1] = ready[layers - 1];
    for (std::size_t l = layers - 1; l-- > 0;)
      start[l] = std::max(start[l + 1] + communication[l + 1], ready[l]);
    return start;
  };
  std::vector<bool> is_merged(layers);
  std::vector<double> start = communication_starts();
  for (std::size_t l = layers - 1; l > 0; --l) {
    if (!(ready[l - 1] - start[l] < a)) continue;
    communication[l] = 0;
    bytes[l - 1] += bytes[l];
    communication[l - 1] = a + b * bytes[l - 1];
    start = communication_starts();
    is_merged[l] = true;
  }
  return is_merged;
}

TEST_CASE("MG-WFBP's merges are those of the paper's Algorithm 1 on random models") {
  int merges = 0;
  int layers_kept = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const CounterRandom random(seed, Purpose::data);
    std::vector<LayerSpec> layers(2 + random.below(20, 0, 0));
    std::vector<double> bytes;
    std::vector<double> backward_s;
    for (std::uint32_t l = 0; l < layers.size(); ++l) {
      const auto elements = static_cast<std::int64_t>(1 + random.below(1000, l, 1));
      layers[l] = {{elements}, 1, random.uniform(l, 2)};
      bytes.push_back(4.0 * static_cast<double>(elements));
      backward_s.push_back(layers[l].backward_s);
    }
    const AllreduceTime time{.start_up_s = 0.5 * random.uniform(0, 3),
                             .s_per_byte = 1e-4 * random.uniform(0, 4)};

    std::vector<bool> is_merged(layers.size(), true);
    for (const Bucket& bucket : merged_buckets(workload_of(layers), time)) {
      is_merged[static_cast<std::size_t>(bucket.ready_layer)] = false;
    }
    CHECK(is_merged == printed_merges(backward_s, bytes, time.start_up_s, time.s_per_byte));
    for (const bool merged : is_merged) ++(merged ? merges : layers_kept);
  }
  CHECK(merges > 100);
  CHECK(layers_kept > 100);
}

TEST_CASE("buckets of any kind hold every tensor once, in the order of the backward pass") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Workload workload = random_workload(seed, 20, 1, 1000);
    const std::vector<int> layers = tensor_layers(workload.model);
    for (const auto& buckets :
         {single_bucket(workload.model), bucket_per_tensor(workload.model), ddp_buckets(workload, 4000, 1000),
          merged_buckets(workload, {.start_up_s = 0.01, .s_per_byte = 1e-5})}) {
      int next = static_cast<int>(workload.model.tensors.size());
      for (const Bucket& bucket : buckets) {
        CHECK(bucket.tensors.first + bucket.tensors.count == next);
        next = bucket.tensors.first;
        if (buckets.size() > 1) CHECK(bucket.ready_layer == layers[static_cast<std::size_t>(next)]);
      }
      CHECK(next == 0);
    }
  }
}

}  // namespace
}  // namespace starling

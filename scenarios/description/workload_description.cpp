#include "scenarios/description/workload_description.hpp"

#include <fmt/format.h>

#include <utility>

namespace starling {

namespace {

constexpr GradientDtype dtypes[] = {GradientDtype::fp32, GradientDtype::bf16, GradientDtype::fp16};

void describe_dtype(WorkloadDescription& workload, OptionVisitor& visitor) {
  std::vector<std::pair<std::string, GradientDtype>> named;
  for (const GradientDtype dtype : dtypes) named.emplace_back(name_of(dtype), dtype);
  const GradientDtype by_default = default_gradient_dtype(workload.compute);
  GradientDtype dtype = workload.gradient_dtype.value_or(by_default);
  visitor.choice(
      {"gradient_dtype", "data type in which gradients are sent, and the parameters that algorithms average",
       "the precision of a GPU that computes in 16 bits; else `\"fp32\"`"},
      dtype, named);
  if (dtype != by_default) workload.gradient_dtype = dtype;
  visitor.require(can_give(workload.compute, dtype), "gradient_dtype",
                  "differs from the 16-bit precision of the computation",
                  fmt::format("\"{}\" or \"fp32\"", name_of(by_default)));
}

}  // namespace

void describe_workload(WorkloadDescription& workload, int workers, OptionVisitor& visitor) {
  visitor.text(
      {.key = "model",
       .meaning = "a name of `starling list models`, or the path of a model file (which contains `/` "
                  "or ends in `.json`)",
       .is_needed = true},
      workload.model);
  visitor.integer(
      {.key = "batch_size",
       .meaning = "samples per worker and pass; an iteration is one forward and one backward pass, "
                  "unless gradients are accumulated",
       .is_needed = true},
      workload.batch_size, {1, largest_batch_size});
  constexpr int most_accumulation_steps = 4096;
  visitor.integer({"gradient_accumulation_steps",
                   "k: number of forward and backward passes per iteration, of `batch_size` samples each, "
                   "whose gradients each worker accumulates locally: algorithms send during or after the "
                   "last backward pass only, wait in the first forward pass only, and update parameters once "
                   "(PyTorch's `no_sync`, Horovod's `backward_passes_per_step`)"},
                  workload.gradient_accumulation_steps, {1, most_accumulation_steps});
  visitor.object(
      {.key = "compute", .meaning = "how long forward and backward passes take", .is_needed = true},
      workload.compute);
  describe_dtype(workload, visitor);
  visitor.rate({"optimizer_rate",
                "bytes of parameters that the optimizer updates per second, 4 per parameter whatever "
                "`gradient_dtype` is",
                "absent: the update takes no time"},
               workload.optimizer_rate_Bps);
  constexpr double largest_slowdown = 100;
  visitor.number(
      {"communication_slowdown",
       "s: a worker's computation takes 1 + s times as long while the worker communicates: while a "
       "collective or a receive is under way, received data is added, or a message of the worker has not "
       "arrived, waiting for the receiver included; negotiations and notifications do not count. In "
       "simulations only: a real machine has contention of its own. 0.189 was measured on average, 0.4 at "
       "most, for language models on four A100, H100, MI210 or MI250 (arXiv 2507.03114), 0.01 to 0.66 for a "
       "kernel that copies on some processors of an H100 (workloads/profiles/README.md). Above 0 all "
       "messages are simulated one by one, which takes longer",
       "0: it differs from GPU to GPU, and measured compute times may include some already"},
      workload.communication_slowdown, {.least = 0, .greatest = largest_slowdown});
  visitor.list(
      {"imbalance",
       "load imbalance between workers; the causes of a list combine: delays add up, factors multiply",
       "none"},
      NestedList{.size = [&] { return workload.imbalance.size(); },
                 .resize = [&](std::size_t count) { workload.imbalance.resize(count); },
                 .describe =
                     [&workload, workers](std::size_t i, OptionVisitor& each) {
                       describe_imbalance(workload.imbalance[i], workers, each);
                     },
                 .or_one = true});
}

}  // namespace starling

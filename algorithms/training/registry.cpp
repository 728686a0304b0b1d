#include "algorithms/training/registry.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/training/every_algorithm.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"

namespace starling {
namespace {

std::vector<RegisteredAlgorithm>& registry() {
  static std::vector<RegisteredAlgorithm> algorithms = {
      {AllreduceOptions{}, "all gradients in one all-reduce after the backward pass"},
      {WfbpOptions{},
       "wait-free backpropagation: one all-reduce per tensor, as soon as its gradient is ready"},
      {DdpOptions{}, "PyTorch's DistributedDataParallel: buckets of tensors in reverse order"},
      {HorovodOptions{}, "tensors that are ready on every rank are fused and sent once a cycle"},
      {MgWfbpOptions{}, "wait-free backpropagation with layers merged where that saves start-up time"},
      {ByteSchedulerOptions{},
       "tensors are sent in partitions; those that the next forward pass needs first have priority"},
      {DearOptions{}, "reduce-scatters overlap the backward pass, all-gathers the next forward pass"},
      {EagerOptions{.kind = EagerOptions::solo},
       "eager-SGD: gradients are summed when the first worker is ready"},
      {EagerOptions{.kind = EagerOptions::majority},
       "eager-SGD: gradients are summed when one random worker is ready"},
      {WagmaOptions{}, "WAGMA-SGD: models are averaged in changing groups that do not wait for late workers"},
      {LocalSgdOptions{}, "local steps, and an average of all models in every τ-th iteration"},
      {SlowMoOptions{},
       "local or SGP steps, and a momentum step of the averaged model in every τ-th iteration"},
      {DpsgdOptions{}, "every worker averages its model with its neighbors' in every iteration"},
      {AdpsgdOptions{}, "pairs of workers average their models asynchronously, while they compute"},
      {SgpOptions{}, "stochastic gradient push: push-sum over a directed graph"},
      {DecentralizedAdamOptions{},
       "groups average models bucket by bucket, overlapping each average with a whole iteration"},
  };
  return algorithms;
}

}  // namespace

const std::vector<RegisteredAlgorithm>& registered_algorithms() { return registry(); }

void register_algorithm(TrainingOptions defaults, std::string summary) {
  if (std::ranges::find(registry(), defaults.kind(), &RegisteredAlgorithm::kind) != registry().end())
    reject("there is an algorithm \"{}\" already", defaults.kind());
  registry().push_back({std::move(defaults), std::move(summary)});
}

std::unique_ptr<TrainingAlgorithm> make_training_algorithm(TrainingOptions options, const Workload& workload,
                                                           const ClusterFacts& facts) {
  if (facts.workers < 1) reject("{}: workers is {}; it must be 1 or more", options.kind(), facts.workers);
  check_options(options.kind(), [&](OptionVisitor& visitor) { options.describe_options(visitor); });
  return options.make(workload, facts);
}

}  // namespace starling

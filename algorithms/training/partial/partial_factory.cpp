#include "algorithms/training/partial/partial_factory.hpp"

#include "algorithms/training/partial/eager_sgd.hpp"
#include "algorithms/training/partial/wagma.hpp"

namespace starling {

std::unique_ptr<TrainingAlgorithm> make_eager_sgd(const EagerOptions& options, const Workload& workload,
                                                  const ClusterFacts& facts) {
  const CollectiveChoice collective(options.kind, options.collective, facts, workload.bytes_per_element);
  return std::make_unique<EagerSgd>(options, workload, collective);
}

std::unique_ptr<TrainingAlgorithm> make_wagma(const WagmaOptions& options, const Workload& workload,
                                              const ClusterFacts& facts) {
  const CollectiveChoice collective(options.kind, options.collective, facts, workload.bytes_per_element);
  return std::make_unique<Wagma>(options, workload, collective);
}

}  // namespace starling

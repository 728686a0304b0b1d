#include "scenarios/description/workload_description.hpp"

namespace starling {

void describe_workload(WorkloadDescription& workload, int workers, OptionVisitor& visitor) {
  constexpr int largest_batch = 1 << 24;
  visitor.text(
      {.key = "model",
       .meaning = "a name of `starling list models`, or the path of a model file (which contains `/` "
                  "or ends in `.json`)",
       .is_needed = true},
      workload.model);
  visitor.integer({.key = "batch_size", .meaning = "samples per worker and iteration", .is_needed = true},
                  workload.batch_size, {1, largest_batch});
  visitor.object(
      {.key = "compute", .meaning = "how long forward and backward passes take", .is_needed = true},
      workload.compute);
  visitor.rate(
      {"optimizer_rate", "bytes of parameters updated per second", "absent: the update takes no time"},
      workload.optimizer_rate_Bps);
  visitor.list({"imbalance",
                "how workers differ; the causes of a list combine: delays add up, factors multiply", "none"},
               NestedList{.size = [&] { return workload.imbalance.size(); },
                          .resize = [&](std::size_t count) { workload.imbalance.resize(count); },
                          .describe =
                              [&workload, workers](std::size_t i, OptionVisitor& each) {
                                describe_imbalance(workload.imbalance[i], workers, each);
                              },
                          .or_one = true});
}

}  // namespace starling

#include "analysis/model/free_prediction.hpp"

#include "analysis/model/runtime_model.hpp"
#include "analysis/running/free_run.hpp"

namespace starling {

IterationLog free_prediction(const ScenarioJob& job, std::size_t index) {
  const Network network = free_network(job.workers());
  const MessageCosts costs;
  return predict(FreeAlgorithm(job, index).run(), {.routes = network, .costs = costs, .rules = {}}).log;
}

}  // namespace starling

#include "analysis/model/free_prediction.hpp"

#include "analysis/model/runtime_model.hpp"
#include "analysis/running/free_run.hpp"

namespace starling {

IterationLog free_prediction(const PreparedRun& run, int workers) {
  const Network network = free_network(workers);
  const MessageCosts costs;
  return predict(run, {.routes = network, .costs = costs, .rules = {}}).log;
}

}  // namespace starling

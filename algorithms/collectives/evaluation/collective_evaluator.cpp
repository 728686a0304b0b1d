#include "algorithms/collectives/evaluation/collective_evaluator.hpp"

namespace starling {

CollectiveEvaluator::CollectiveEvaluator(const Routes& routes, const MessageCosts& costs,
                                         const SmallMessageRules& rules)
    : network_(routes, costs, rules), rings_(RingEvaluator::make(network_)), rounds_(network_) {}

std::optional<Evaluation> CollectiveEvaluator::evaluate(const Schedule& schedule,
                                                        std::span<const double> begin_s,
                                                        double bytes_per_element) {
  if (RingEvaluator* const rings = ring_evaluator(schedule, bytes_per_element))
    return rings->evaluate(static_cast<const RingSchedule&>(schedule), begin_s, bytes_per_element);
  return rounds_.evaluate(schedule, begin_s, bytes_per_element);
}

}  // namespace starling

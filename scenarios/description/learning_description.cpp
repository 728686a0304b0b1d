#include "scenarios/description/learning_description.hpp"

#include "scenarios/description/iterations.hpp"
#include "workloads/learning/option_ranges.hpp"

namespace starling {
namespace {

/// Default number of evaluations of a run: enough for a smooth curve, and not more, since evaluating the loss
/// over all data can take as long as many iterations.
constexpr std::int64_t default_evaluations = 50;

}  // namespace

void describe_learning(LearningDescription& learning, int workers, std::int64_t iterations,
                       OptionVisitor& visitor) {
  if (learning.evaluate_every == 0)
    learning.evaluate_every = (iterations + default_evaluations - 1) / default_evaluations;
  Kinds kinds = task_kinds(learning.task, workers);
  const Description describe_task = kinds.describe;
  kinds.describe = [&](OptionVisitor& inner) {
    inner.number({.key = "learning_rate",
                  .meaning = "factor on the mean gradient in algorithms that sum gradients, on the worker's "
                             "own gradient in those that average models",
                  .is_needed = true},
                 learning.learning_rate, magnitude_range);
    inner.object_or_name(
        {"optimizer",
         "rule by which gradients change a worker's parameters; its state is not sent to other workers"},
        learning.optimizer);
    inner.number(
        {"target_loss", "loss to reach: the result reports when the loss is first at most this", "absent"},
        learning.target_loss, {.least = 0, .greatest = 1e300});
    inner.integer({"evaluate_every",
                   "number of iterations from one evaluation of the loss to the next; the start and the last "
                   "iteration are always evaluated",
                   "a fiftieth of `iterations`, rounded up"},
                  learning.evaluate_every, {.least = 1, .greatest = most_iterations});
    describe_task(inner);
  };
  visitor.kind(kinds);
  learning.optimizer.learning_rate = learning.learning_rate;
}

}  // namespace starling

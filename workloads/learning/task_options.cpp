#include "workloads/learning/task_options.hpp"

#include "base/options/option_kinds.hpp"
#include "workloads/learning/option_ranges.hpp"

namespace starling {
namespace {

constexpr std::size_t most_layers = 64;
/// The total batch size over all workers in the published hyperplane task.
constexpr int published_hyperplane_batch = 2048;

void describe_classifier(ClassifierOptions& options, OptionVisitor& visitor) {
  visitor.integer({"batch_size", "points per worker and iteration; 0: all points of the worker"},
                  options.batch_size, {0, count_range.greatest});
  visitor.object({.key = "data", .meaning = "data to learn from", .is_needed = true}, options.data);
  visitor.object_or_name({"partition", "how points are divided among workers"}, options.partition);
}

}  // namespace

void describe(LogisticRegressionTaskOptions& options, OptionVisitor& visitor) {
  describe_classifier(options, visitor);
}

void describe(PerceptronTaskOptions& options, OptionVisitor& visitor) {
  visitor.integers(
      {.key = "hidden",
       .meaning = "number of units of each hidden layer, from the input on",
       .is_needed = true},
      options.hidden, width_range,
      {.least = 1, .greatest = most_layers, .noun = "hidden layers' units", .problem = "too many layers"});
  describe_classifier(options, visitor);
}

Kinds task_kinds(TaskOptions& task, int workers) {
  Kinds kinds = kinds_of(task, "learning task");
  kinds.key = "task";
  kinds.become = [&task, workers](std::string_view name) {
    task = *of_kind<TaskOptions>(name);
    if (auto* quadratic = std::get_if<QuadraticOptions>(&task)) quadratic->workers = workers;
    if (auto* hyperplane = std::get_if<HyperplaneOptions>(&task); hyperplane != nullptr && workers > 0)
      hyperplane->batch_size = (published_hyperplane_batch + workers - 1) / workers;
  };
  return kinds;
}

}  // namespace starling

#include "scenarios/reading/learning_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "io/scenario_error.hpp"
#include "workloads/learning/data_partition.hpp"
#include "workloads/learning/learning_workload.hpp"
#include "workloads/learning/option_ranges.hpp"
#include "workloads/learning/perceptron_task.hpp"

namespace starling {

namespace {

using Task = std::shared_ptr<const LearningTask>;

void require_room(const JsonPlace& place, double floats, const std::string& problem) {
  if (floats <= most_floats) return;
  throw ScenarioError({place.file(), place.pointer(), problem + " do not fit in memory", "",
                       fmt::format("at most {:.0f} numbers in all", most_floats)});
}

/// Constructs the task of each kind of options.
class TaskMaker {
 public:
  TaskMaker(const JsonPlace& place, const LearningContext& context) : place_(place), context_(context) {}

  Task operator()(QuadraticOptions options) const {
    options.workers = context_.workers;
    options.seed = context_.seed;
    return std::make_shared<QuadraticTask>(options);
  }
  Task operator()(HyperplaneOptions options) const {
    options.seed = context_.seed;
    return naming_place(place_.file(), place_.pointer(),
                        [&] { return std::make_shared<HyperplaneTask>(options); });
  }
  Task operator()(const LogisticRegressionTaskOptions& options) const { return classifier(options, {}); }
  Task operator()(const PerceptronTaskOptions& options) const { return classifier(options, options.hidden); }

 private:
  Task classifier(const ClassifierOptions& classifier, std::vector<int> hidden) const {
    const PerceptronOptions options{
        .hidden = std::move(hidden), .batch_size = classifier.batch_size, .seed = context_.seed};
    auto data = data_set(classifier.data);
    DataPartition partition = partition_of(classifier.partition, *data);
    int widest = std::max(data->features, data->classes);
    for (const int units : options.hidden) widest = std::max(widest, units);
    const double batch = options.batch_size > 0 ? options.batch_size : static_cast<double>(data->points());
    require_room(place_, batch * widest, fmt::format("batches of {:.0f} rows of {} numbers", batch, widest));
    return naming_place(place_.file(), place_.pointer(), [&] {
      return std::make_shared<PerceptronTask>(std::move(data), std::move(partition), options);
    });
  }

  std::shared_ptr<const DataSet> data_set(const DataOptions& options) const {
    // Errors about two files name the file themselves.
    const bool has_two_files = std::holds_alternative<IdxDataOptions>(options);
    return naming_place(place_.file(), place_.pointer() + (has_two_files ? "/data" : "/data/file"), [&] {
      return std::make_shared<const DataSet>(make_data_set(options, context_.seed));
    });
  }

  DataPartition partition_of(const PartitionOptions& options, const DataSet& data) const {
    const auto* dirichlet = std::get_if<DirichletPartitionOptions>(&options);
    const bool is_given = place_.value().contains("partition");
    return naming_place(place_.file(), place_.pointer() + (is_given ? "/partition" : ""), [&] {
      return dirichlet == nullptr ? iid_partition(data.points(), context_.workers, context_.seed)
                                  : dirichlet_partition(data.labels, context_.workers,
                                                        dirichlet->concentration, context_.seed);
    });
  }

  const JsonPlace& place_;
  const LearningContext& context_;
};

void check_size(const JsonPlace& place, const LearningTask& task, const LearningContext& context) {
  require_room(place, static_cast<double>(task.parameters()) * context.workers,
               fmt::format("{} workers' models of {} parameters", context.workers, task.parameters()));
  naming_place(place.file(), place.pointer(),
               [&] { return learning_workload(context.workload, task.parameters()); });
}

}  // namespace

LearningOptions make_learning(const LearningDescription& learning, const JsonPlace& place,
                              const LearningContext& context) {
  LearningOptions options{
      .task_name = std::visit([](const auto& task) { return std::string(task.name); }, learning.task),
      .task = std::visit(TaskMaker(place, context), learning.task),
      .optimizer = learning.optimizer,
      .target_loss = learning.target_loss,
      .evaluate_every = learning.evaluate_every};
  check_size(place, *options.task, context);
  return options;
}

}  // namespace starling

#include "scenarios/reading/learning_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "io/input_file.hpp"
#include "io/scenario_error.hpp"
#include "workloads/learning/data_partition.hpp"
#include "workloads/learning/data_set_file.hpp"
#include "workloads/learning/hyperplane_task.hpp"
#include "workloads/learning/learning_workload.hpp"
#include "workloads/learning/perceptron_task.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {

namespace {

using Task = std::shared_ptr<const LearningTask>;

constexpr IntegerRange count_range{.least = 1, .greatest = 1 << 24};
constexpr IntegerRange width_range{.least = 1, .greatest = 1 << 16};
constexpr Range size_range{.least = 0, .greatest = 1e6};
constexpr Range share_range{.least = 0, .greatest = 1, .excludes_greatest = true};
constexpr std::int64_t most_iterations = 1'000'000'000;
constexpr std::size_t most_layers = 64;
/// Of anything that is kept as floats: a gigabyte.
constexpr double most_floats = 0x1p28;
/// Evaluations of a run unless the scenario says how many: enough for a smooth curve, and a loss over all
/// data can take as long as many iterations.
constexpr std::int64_t usual_evaluations = 50;
/// Points in all workers' batches together, as the hyperplane was published.
constexpr int published_hyperplane_batch = 2048;

constexpr std::int64_t quotient_rounded_up(std::int64_t dividend, std::int64_t divisor) {
  return (dividend + divisor - 1) / divisor;
}

/// Calls `make`; what does not fit together is told as an error of the whole block.
template <typename Make>
auto checked(const JsonPlace& place, const Make& make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({place.file(), place.pointer(), error.what(), "", ""});
  }
}

void require_room(const JsonPlace& place, double floats, const std::string& problem) {
  if (floats <= most_floats) return;
  throw ScenarioError({place.file(), place.pointer(), problem + " do not fit in memory", "",
                       fmt::format("at most {:.0f} numbers in all", most_floats)});
}

Task read_quadratic(ObjectReader& object, const LearningContext& context) {
  QuadraticOptions options{.workers = context.workers, .seed = context.seed};
  options.dimension = object.small_integer("dimension", count_range, options.dimension);
  options.condition_number =
      object.number("condition_number", {.least = 1, .greatest = 1e12}, options.condition_number);
  options.gradient_noise = object.number("gradient_noise", size_range, options.gradient_noise);
  options.heterogeneity = object.number("heterogeneity", size_range, options.heterogeneity);
  require_room(object.place(), static_cast<double>(options.dimension) * context.workers,
               fmt::format("{} workers' optima of {} numbers", context.workers, options.dimension));
  return std::make_shared<QuadraticTask>(options);
}

Task read_hyperplane(ObjectReader& object, const LearningContext& context) {
  HyperplaneOptions options{.seed = context.seed};
  options.features = object.small_integer("features", count_range, options.features);
  options.points = object.small_integer("points", count_range, options.points);
  options.batch_size = object.small_integer(
      "batch_size", count_range,
      static_cast<int>(quotient_rounded_up(published_hyperplane_batch, context.workers)));
  options.noise_variance = object.number("noise_variance", size_range, options.noise_variance);
  options.coefficient_deviation =
      object.number("coefficient_deviation", size_range, options.coefficient_deviation);
  return checked(object.place(), [&] { return std::make_shared<HyperplaneTask>(options); });
}

DataSet read_generated(ObjectReader& object, std::uint64_t seed) {
  GeneratedDataOptions options{.seed = seed};
  options.points = object.small_integer("points", count_range, options.points);
  options.features = object.small_integer("features", width_range, options.features);
  options.classes = object.small_integer("classes", {2, width_range.greatest}, options.classes);
  options.separation = object.number("separation", size_range, options.separation);
  require_room(object.place(),
               static_cast<double>(std::max(options.points, options.classes)) * options.features,
               fmt::format("{} points and {} classes of {} features", options.points, options.classes,
                           options.features));
  return generated_data_set(options);
}

/// Reads the file that a key names.
template <typename Read>
DataSet read_file(ObjectReader& object, const std::string& key, const Read& read) {
  const auto path = input_path(object.at(key, "the path of a file"));
  object.note(key, object.at(key).text());
  DataSet data = checked(object.at(key), [&] { return read(path); });
  if (object.boolean("standardize", false)) data.standardize();
  return data;
}

DataSet read_csv_data(ObjectReader& object, std::uint64_t) {
  const int label_column = object.small_integer("label_column", {-1, width_range.greatest}, -1);
  return read_file(object, "file", [&](const auto& path) { return read_csv(path, label_column); });
}

DataSet read_libsvm_data(ObjectReader& object, std::uint64_t) {
  const int features = object.optional_integer("features", width_range).value_or(0);
  return read_file(object, "file", [&](const auto& path) { return read_libsvm(path, features); });
}

DataSet read_idx_data(ObjectReader& object, std::uint64_t) {
  const auto labels = input_path(object.at("labels", "the path of a file"));
  object.note("labels", object.at("labels").text());
  return read_file(object, "points", [&](const auto& path) { return read_idx(path, labels); });
}

struct DataReader {
  std::string kind;
  std::vector<std::string> keys;
  DataSet (*read)(ObjectReader& object, std::uint64_t seed);
};

Normalized<std::shared_ptr<const DataSet>> read_data(const JsonPlace& place, std::uint64_t seed) {
  static const std::vector<DataReader> readers = {
      {"generated", {"kind", "points", "features", "classes", "separation"}, read_generated},
      {"csv", {"kind", "file", "label_column", "standardize"}, read_csv_data},
      {"libsvm", {"kind", "file", "features", "standardize"}, read_libsvm_data},
      {"idx", {"kind", "points", "labels", "standardize"}, read_idx_data},
  };
  std::vector<std::string> kinds;
  for (const DataReader& reader : readers) kinds.push_back(reader.kind);
  const std::string kind = read_kind(place, "kind of data", kinds);
  const auto reader = std::ranges::find(readers, kind, &DataReader::kind);
  ObjectReader object(place, reader->keys);
  object.note("kind", kind);
  auto data = std::make_shared<const DataSet>(reader->read(object, seed));
  return {std::move(data), object.as_read()};
}

Normalized<DataPartition> read_partition(const JsonPlace& place, const DataSet& data,
                                         const LearningContext& context) {
  const std::string kind = read_kind(place, "partition", {"iid", "dirichlet"});
  const bool is_iid = kind == "iid";
  ObjectReader object(
      place, is_iid ? std::vector<std::string>{"kind"} : std::vector<std::string>{"kind", "concentration"});
  object.note("kind", kind);
  const double concentration = is_iid ? 0 : object.number("concentration", {.least = 1e-4, .greatest = 1e6});
  DataPartition partition = checked(place, [&] {
    return is_iid ? iid_partition(data.points(), context.workers, context.seed)
                  : dirichlet_partition(data.labels, context.workers, concentration, context.seed);
  });
  return {std::move(partition), object.as_read()};
}

DataPartition read_optional_partition(ObjectReader& object, const DataSet& data,
                                      const LearningContext& context) {
  const auto read = [&](const JsonPlace& place) { return read_partition(place, data, context); };
  if (auto partition = object.optional_object("partition", read)) return std::move(*partition);
  const nlohmann::json usual = {{"kind", "iid"}};
  auto [partition, as_read] = read(JsonPlace(usual, object.place().file(), object.place().pointer()));
  object.note("partition", std::move(as_read));
  return std::move(partition);
}

Task read_classifier(ObjectReader& object, const LearningContext& context, std::vector<int> hidden) {
  PerceptronOptions options{.hidden = std::move(hidden), .seed = context.seed};
  options.batch_size = object.small_integer("batch_size", {0, count_range.greatest}, options.batch_size);
  auto data = object.object("data", [&](const JsonPlace& place) { return read_data(place, context.seed); });
  DataPartition partition = read_optional_partition(object, *data, context);

  int widest = std::max(data->features, data->classes);
  for (const int units : options.hidden) widest = std::max(widest, units);
  const double batch = options.batch_size > 0 ? options.batch_size : static_cast<double>(data->points());
  require_room(object.place(), batch * widest,
               fmt::format("batches of {:.0f} rows of {} numbers", batch, widest));
  return checked(object.place(), [&] {
    return std::make_shared<PerceptronTask>(std::move(data), std::move(partition), options);
  });
}

Task read_logistic_regression(ObjectReader& object, const LearningContext& context) {
  return read_classifier(object, context, {});
}

Task read_perceptron(ObjectReader& object, const LearningContext& context) {
  const JsonPlace place = object.at("hidden", "a list of the hidden layers' units");
  std::vector<int> hidden;
  for (const JsonPlace& units : place.elements(1))
    hidden.push_back(static_cast<int>(units.integer(width_range)));
  if (hidden.size() > most_layers) place.fail("too many layers", fmt::format("at most {}", most_layers));
  object.note("hidden", hidden);
  return read_classifier(object, context, std::move(hidden));
}

struct TaskReader {
  std::string task;
  std::vector<std::string> keys;
  Task (*read)(ObjectReader& object, const LearningContext& context);
};

const std::vector<TaskReader>& task_readers() {
  static const std::vector<TaskReader> readers = {
      {"quadratic", {"dimension", "condition_number", "gradient_noise", "heterogeneity"}, read_quadratic},
      {"hyperplane",
       {"features", "points", "batch_size", "noise_variance", "coefficient_deviation"},
       read_hyperplane},
      {"logistic_regression", {"batch_size", "data", "partition"}, read_logistic_regression},
      {"perceptron", {"hidden", "batch_size", "data", "partition"}, read_perceptron},
  };
  return readers;
}

const std::vector<std::string>& optimizer_keys(OptimizerKind kind) {
  static const std::vector<std::string> sgd = {"kind", "momentum", "nesterov", "weight_decay"};
  static const std::vector<std::string> adam = {"kind", "beta1", "beta2", "epsilon", "weight_decay"};
  static const std::vector<std::string> accum_adam = {"kind",    "beta1",        "beta2",
                                                      "epsilon", "weight_decay", "accumulation"};
  if (kind == OptimizerKind::sgd) return sgd;
  return kind == OptimizerKind::accum_adam ? accum_adam : adam;
}

Normalized<OptimizerOptions> read_optimizer(const JsonPlace& place) {
  static constexpr OptimizerKind kinds[] = {OptimizerKind::sgd, OptimizerKind::adam, OptimizerKind::adamw,
                                            OptimizerKind::accum_adam};
  std::vector<std::string> names;
  for (const OptimizerKind kind : kinds) names.emplace_back(name_of(kind));
  const std::string name = read_kind(place, "optimizer", names);
  OptimizerOptions options;
  options.kind = kinds[std::ranges::find(names, name) - names.begin()];

  ObjectReader object(place, optimizer_keys(options.kind));
  object.note("kind", name);
  if (options.kind == OptimizerKind::sgd) {
    options.momentum = object.number("momentum", share_range, options.momentum);
    options.nesterov = object.boolean("nesterov", options.nesterov);
  } else {
    options.beta1 = object.number("beta1", share_range, options.beta1);
    options.beta2 = object.number("beta2", share_range, options.beta2);
    options.epsilon =
        object.number("epsilon", {.least = 0, .greatest = 1, .excludes_least = true}, options.epsilon);
  }
  options.weight_decay = object.number("weight_decay", size_range, options.weight_decay);
  if (options.kind == OptimizerKind::accum_adam)
    options.accumulation = object.small_integer("accumulation", {1}, options.accumulation);
  checked(place, [&] {
    options.validate();
    return true;
  });
  return {options, object.as_read()};
}

OptimizerOptions read_optional_optimizer(ObjectReader& object) {
  if (const auto options = object.optional_object("optimizer", read_optimizer)) return *options;
  const nlohmann::json usual = {{"kind", "sgd"}};
  const auto [options, as_read] = read_optimizer(JsonPlace(usual, object.place().file()));
  object.note("optimizer", as_read);
  return options;
}

void check_size(const JsonPlace& place, const LearningTask& task, const LearningContext& context) {
  require_room(place, static_cast<double>(task.parameters()) * context.workers,
               fmt::format("{} workers' models of {} parameters", context.workers, task.parameters()));
  checked(place, [&] { return learning_workload(context.workload, task.parameters()); });
}

}  // namespace

const std::vector<std::string>& learning_tasks() {
  static const std::vector<std::string> tasks = [] {
    std::vector<std::string> names;
    for (const TaskReader& reader : task_readers()) names.push_back(reader.task);
    return names;
  }();
  return tasks;
}

Normalized<LearningOptions> read_learning(const JsonPlace& place, const LearningContext& context) {
  LearningOptions options;
  options.task_name = read_kind(place, "learning task", learning_tasks(), {}, "task");
  const auto reader = std::ranges::find(task_readers(), options.task_name, &TaskReader::task);
  std::vector<std::string> keys = {"task", "learning_rate", "optimizer", "target_loss", "evaluate_every"};
  keys.insert(keys.end(), reader->keys.begin(), reader->keys.end());

  ObjectReader object(place, keys);
  object.note("task", options.task_name);
  const double learning_rate = object.number("learning_rate", size_range);
  options.optimizer = read_optional_optimizer(object);
  options.optimizer.learning_rate = learning_rate;
  options.target_loss = object.optional_number("target_loss", {.least = 0, .greatest = 1e300});
  options.evaluate_every = object.integer("evaluate_every", {.least = 1, .greatest = most_iterations},
                                          quotient_rounded_up(context.iterations, usual_evaluations));
  options.task = reader->read(object, context);
  check_size(place, *options.task, context);
  return {std::move(options), object.as_read()};
}

}  // namespace starling

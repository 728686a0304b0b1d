#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "base/options/option_visitor.hpp"
#include "workloads/learning/data_options.hpp"
#include "workloads/learning/hyperplane_task.hpp"
#include "workloads/learning/quadratic_task.hpp"

namespace starling {

/// Options that both classifiers share: the batch size and the data.
struct ClassifierOptions {
  int batch_size = 32;
  DataOptions data = GeneratedDataOptions();
  PartitionOptions partition = IidPartitionOptions();
};

struct LogisticRegressionTaskOptions : ClassifierOptions {
  static constexpr std::string_view name = "logistic_regression";
  static constexpr std::string_view summary =
      "multinomial logistic regression on generated points or a CSV, LIBSVM or IDX file";
};

struct PerceptronTaskOptions : ClassifierOptions {
  static constexpr std::string_view name = "perceptron";
  static constexpr std::string_view summary =
      "a multi-layer perceptron with rectified linear units, on the same kinds of data";
  std::vector<int> hidden = {};  // units of each hidden layer, from the input on
};

using TaskOptions =
    std::variant<QuadraticOptions, HyperplaneOptions, LogisticRegressionTaskOptions, PerceptronTaskOptions>;

/// The kinds of learning task, under the key "task", for a job of `workers` workers; if that is 0, defaults
/// and limits that depend on the number of workers are not known. Describes the options of the chosen kind
/// only.
Kinds task_kinds(TaskOptions& task, int workers);

}  // namespace starling

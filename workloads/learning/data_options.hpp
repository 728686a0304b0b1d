#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/options/option_visitor.hpp"
#include "workloads/learning/data_set.hpp"

namespace starling {

/// A file of comma-separated numbers, see read_csv.
struct CsvDataOptions {
  static constexpr std::string_view name = "csv";
  static constexpr std::string_view summary = "comma-separated numbers, one point per line";
  std::string file = {};
  int label_column = -1;  // from 0; -1 is the last
  bool standardize = false;
};

/// A file in LIBSVM's sparse format, see read_libsvm.
struct LibsvmDataOptions {
  static constexpr std::string_view name = "libsvm";
  static constexpr std::string_view summary = "LIBSVM's sparse format";
  std::string file = {};
  std::optional<int> features = {};  // not set: the largest index of the file
  bool standardize = false;
};

/// A pair of files in the format of MNIST, see read_idx.
struct IdxDataOptions {
  static constexpr std::string_view name = "idx";
  static constexpr std::string_view summary = "the format of MNIST";
  std::string points = {};
  std::string labels = {};
  bool standardize = false;
};

using DataOptions = std::variant<GeneratedDataOptions, CsvDataOptions, LibsvmDataOptions, IdxDataOptions>;

/// Reads or generates the data; `seed` is that of generated data.
/// @throws std::invalid_argument if the data cannot be read or are not valid.
DataSet make_data_set(const DataOptions& options, std::uint64_t seed);

/// A random split into equal shares, one per worker.
struct IidPartitionOptions {
  static constexpr std::string_view name = "iid";
  static constexpr std::string_view summary = "every worker has an equal, random share of the points";
};

/// A split in which the workers' shares of each class are a Dirichlet draw.
struct DirichletPartitionOptions {
  static constexpr std::string_view name = "dirichlet";
  static constexpr std::string_view summary =
      "the workers' shares of each class are drawn from a Dirichlet distribution";
  double concentration = 1;
};

using PartitionOptions = std::variant<IidPartitionOptions, DirichletPartitionOptions>;

void describe(DataOptions& options, OptionVisitor& visitor);
void describe(PartitionOptions& options, OptionVisitor& visitor);

}  // namespace starling

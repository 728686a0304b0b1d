#include "workloads/learning/data_options.hpp"

#include "base/options/option_kinds.hpp"
#include "workloads/learning/data_set_file.hpp"
#include "workloads/learning/option_ranges.hpp"

namespace starling {
namespace {

void describe_standardize(bool& standardize, OptionVisitor& visitor) {
  visitor.flag({"standardize", "shifts and scales every feature to mean 0 and variance 1"}, standardize);
}

/// Reads or generates data of each kind.
struct DataReader {
  std::uint64_t seed;

  DataSet operator()(GeneratedDataOptions options) const {
    options.seed = seed;
    return generated_data_set(options);
  }
  DataSet operator()(const CsvDataOptions& options) const {
    return standardized(read_csv(options.file, options.label_column), options.standardize);
  }
  DataSet operator()(const LibsvmDataOptions& options) const {
    return standardized(read_libsvm(options.file, options.features.value_or(0)), options.standardize);
  }
  DataSet operator()(const IdxDataOptions& options) const {
    return standardized(read_idx(options.points, options.labels), options.standardize);
  }

  static DataSet standardized(DataSet data, bool is_wanted) {
    if (is_wanted) data.standardize();
    return data;
  }
};

}  // namespace

DataSet make_data_set(const DataOptions& options, std::uint64_t seed) {
  return std::visit(DataReader{seed}, options);
}

void describe(CsvDataOptions& options, OptionVisitor& visitor) {
  visitor.integer({"label_column", "column of the label, counted from 0; −1: the last"}, options.label_column,
                  {-1, width_range.greatest});
  visitor.file({.key = "file", .meaning = "file of numbers, one point per line", .is_needed = true},
               options.file);
  describe_standardize(options.standardize, visitor);
}

void describe(LibsvmDataOptions& options, OptionVisitor& visitor) {
  visitor.integer({"features", "number of features of a point", "the largest index"}, options.features,
                  width_range);
  visitor.file({.key = "file",
                .meaning = "file of lines `label index:value …`, one point per line",
                .is_needed = true},
               options.file);
  describe_standardize(options.standardize, visitor);
}

void describe(IdxDataOptions& options, OptionVisitor& visitor) {
  visitor.file({.key = "labels", .meaning = "file of labels, one byte per point", .is_needed = true},
               options.labels);
  visitor.file(
      {.key = "points", .meaning = "file of points, bytes that are divided by 255", .is_needed = true},
      options.points);
  describe_standardize(options.standardize, visitor);
}

void describe(DirichletPartitionOptions& options, OptionVisitor& visitor) {
  visitor.number(
      {.key = "concentration",
       .meaning = "concentration of the Dirichlet distribution: the smaller, the more uneven the shares",
       .is_needed = true},
      options.concentration, {.least = 1e-4, .greatest = 1e6});
}

void describe(DataOptions& options, OptionVisitor& visitor) {
  visitor.kind(kinds_of(options, "kind of data"));
}

void describe(PartitionOptions& options, OptionVisitor& visitor) {
  visitor.kind(kinds_of(options, "partition"));
}

}  // namespace starling

#pragma once

#include <filesystem>

#include "workloads/learning/data_set.hpp"

namespace starling {

/// Readers of data sets for classification. Labels become classes 0, 1, … in ascending order of their values.
/// The data set is named like the file.
///
/// All readers throw std::invalid_argument with "file:line: what is wrong, what is accepted" (for IDX files
/// "file: …") if a file cannot be read, a value is not finite or too large for a float, a line has the wrong
/// number of columns, a label is not a whole number, or there are fewer than two classes.

/// Reads comma-separated numbers, one point per line, with the label in column `label_column` (from 0; −1 is
/// the last). A first line without any number is skipped as a header, and so are empty lines.
DataSet read_csv(const std::filesystem::path& file, int label_column = -1);

/// Reads LIBSVM's sparse format: `label index:value …` per line, with indices from 1 in ascending order;
/// features that are left out are 0, and `#` begins a comment. The number of features is `features`, or the
/// largest index of the file if that is 0.
/// Reference: Chang, Lin, "LIBSVM: a library for support vector machines", ACM TIST 2(3), 2011.
DataSet read_libsvm(const std::filesystem::path& file, int features = 0);

/// Reads IDX, the format of MNIST: a file of points in unsigned bytes, which are divided by 255, and a file
/// of labels. Errors are RejectedValue, at `/points` or `/labels` depending on the file.
/// Reference: LeCun, Cortes, Burges, "The MNIST database of handwritten digits".
DataSet read_idx(const std::filesystem::path& points_file, const std::filesystem::path& labels_file);

}  // namespace starling

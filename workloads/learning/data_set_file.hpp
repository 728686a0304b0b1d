#pragma once

#include <filesystem>

#include "workloads/learning/data_set.hpp"

namespace starling {

/// Reads a data set to classify from a file. Labels become classes 0, 1, … in the order of their values, and
/// the data set is named like the file.
///
/// All readers throw std::invalid_argument with "file:line: what is wrong, what is accepted" (IDX files:
/// "file: …") if a file cannot be read, a value is not a finite number or too large for a float, a line has
/// the wrong number of columns, a label is not a whole number, or there are no two classes.

/// Comma-separated numbers, a point a line, with the label in column `label_column` (from 0; −1 is the last).
/// A first line without any number is a header; empty lines are skipped.
DataSet read_csv(const std::filesystem::path& file, int label_column = -1);

/// LIBSVM's sparse format: `label index:value …`, indices from 1 and ascending, what is left out is 0; `#`
/// begins a comment. There are as many features as the largest index of the file, or `features` if that is
/// not 0.
/// Reference: Chang, Lin, "LIBSVM: a library for support vector machines", ACM TIST 2(3), 2011.
DataSet read_libsvm(const std::filesystem::path& file, int features = 0);

/// IDX, the format of MNIST: unsigned bytes, as features divided by 255, and a second file of labels.
/// What is wrong is a RejectedValue at `/points` or `/labels`, whichever file it is in.
/// Reference: LeCun, Cortes, Burges, "The MNIST database of handwritten digits".
DataSet read_idx(const std::filesystem::path& points_file, const std::filesystem::path& labels_file);

}  // namespace starling

#include "workloads/learning/data_set_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/byte_order_mark.hpp"
#include "base/readable_file.hpp"
#include "base/reject.hpp"
#include "base/rejected_value.hpp"
#include "base/texts/number_in.hpp"
#include "base/texts/plain_text.hpp"
#include "workloads/learning/option_ranges.hpp"

namespace starling {

namespace {

constexpr auto largest_value_count = static_cast<std::uint64_t>(most_floats);
constexpr std::int64_t largest_label = std::int64_t{1} << 53;
/// A limit, so that a file without line ends is not read into memory as one line.
constexpr std::streamsize longest_line_bytes = 64 << 20;

/// A line of a file; errors name both.
struct Line {
  const std::filesystem::path& file;
  int number = 0;
  std::string_view text;

  [[noreturn]] void reject(const std::string& message) const {
    starling::reject("{}:{}: {}", file.string(), number, message);
  }
};

[[noreturn]] void reject_file(const std::filesystem::path& file, const std::string& message) {
  reject("{}: {}", file.string(), message);
}

std::ifstream open(const std::filesystem::path& file) {
  if (const std::string problem = why_not_readable(file); !problem.empty())
    reject_file(file, fmt::format("this {}; a file is accepted", problem));
  std::ifstream stream(file, std::ios::binary);
  if (!stream) reject_file(file, "the file cannot be read");
  return stream;
}

/// Calls the body with each line that is not blank.
template <typename Body>
void for_each_line(const std::filesystem::path& file, Body body) {
  std::ifstream stream = open(file);
  const auto buffer = std::make_unique_for_overwrite<char[]>(longest_line_bytes + 1);
  int number = 1;
  for (; stream.getline(buffer.get(), longest_line_bytes + 1); ++number) {
    const std::size_t read_bytes = static_cast<std::size_t>(stream.gcount());
    std::string_view line(buffer.get(), stream.eof() ? read_bytes : read_bytes - 1);
    if (number == 1 && is_utf_16(line)) reject_file(file, "the file is UTF-16; UTF-8 is accepted");
    if (number == 1) line = without_byte_order_mark(line);
    if (const std::string_view content = trimmed(line); !content.empty()) body(Line{file, number, content});
  }
  if (stream.bad()) reject_file(file, "reading stopped before the end");
  if (!stream.eof())
    Line{file, number, {}}.reject(
        fmt::format("the line is longer than {} MiB, the most that is accepted", longest_line_bytes >> 20));
}

/// Parses a number, which may have a plus sign.
template <typename Number>
std::optional<Number> parse(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return number_in<Number>(text);
}

float finite_value(const Line& line, std::string_view text, const std::string& place) {
  const auto number = parse<double>(text);
  // Written so that NaN is refused, too.
  if (!number || !(std::abs(*number) <= std::numeric_limits<float>::max())) {
    line.reject(fmt::format("{} is \"{}\"; it must be a finite number of at most 3.4e38", place, text));
  }
  return static_cast<float>(*number);
}

std::int64_t whole_label(const Line& line, std::string_view text) {
  const auto number = parse<double>(text);
  if (!number || *number != std::floor(*number) || std::abs(*number) > static_cast<double>(largest_label)) {
    line.reject(fmt::format("the label is \"{}\"; it must be a whole number", text));
  }
  return static_cast<std::int64_t>(*number);
}

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = text.find_first_of(separators);
    fields.push_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

bool is_header(const std::vector<std::string_view>& fields) {
  return std::ranges::none_of(fields,
                              [](std::string_view field) { return parse<double>(field).has_value(); });
}

void require_room(const std::filesystem::path& file, std::uint64_t points, std::uint64_t features) {
  if (features != 0 && points > largest_value_count / features) {
    reject_file(file,
                fmt::format("{} points of {} features do not fit in memory; at most {} values are accepted",
                            points, features, largest_value_count));
  }
}

/// Sets the classes and labels of the data by numbering the label values in that file.
void set_classes(const std::filesystem::path& file, const std::vector<std::int64_t>& labels, DataSet& data) {
  std::vector<std::int64_t> classes = labels;
  std::ranges::sort(classes);
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  if (classes.size() < 2) {
    reject_file(file, fmt::format("every label is {}; at least 2 classes are needed", classes.front()));
  }
  for (const std::int64_t label : labels)
    data.labels.push_back(static_cast<int>(std::ranges::lower_bound(classes, label) - classes.begin()));
  data.classes = static_cast<int>(classes.size());
}

/// Names the data set like the file, and validates it.
DataSet finish(const std::filesystem::path& file, DataSet data) {
  data.name = file.filename().string();
  data.validate();
  return data;
}

/// Sets the classes from label values first, then does the same.
DataSet finish(const std::filesystem::path& file, DataSet data, const std::vector<std::int64_t>& labels) {
  if (labels.empty()) reject_file(file, "there are no points");
  set_classes(file, labels, data);
  return finish(file, std::move(data));
}

/// Appends the features in a line of a CSV file to the data, and returns its label.
std::int64_t add_csv_point(const Line& line, const std::vector<std::string_view>& fields,
                           std::size_t label_column, DataSet& data) {
  for (std::size_t column = 0; column < fields.size(); ++column) {
    if (column != label_column)
      data.values.push_back(finite_value(line, fields[column], fmt::format("column {}", column)));
  }
  return whole_label(line, fields[label_column]);
}

struct SparseValue {
  std::size_t point = 0;
  int feature = 0;
  float value = 0;
};

/// Parses one `index:value` of a LIBSVM line; the index must exceed the preceding one.
SparseValue sparse_value(const Line& line, std::string_view field, int index_before, int features) {
  const std::size_t colon = field.find(':');
  const auto given = parse<int>(field.substr(0, colon));
  if (colon == std::string_view::npos || !given)
    line.reject(fmt::format("\"{}\" is not a feature; index:value is accepted", field));
  const int index = *given;
  if (index <= index_before) {
    line.reject(
        fmt::format("feature {} follows feature {}; indices begin at 1 and ascend", index, index_before));
  }
  if (features != 0 && index > features) {
    line.reject(fmt::format("feature {} is beyond the {} features that were asked for", index, features));
  }
  return {.feature = index - 1,
          .value = finite_value(line, field.substr(colon + 1), fmt::format("feature {}", index))};
}

/// The contents of a LIBSVM file, still sparse.
struct SparsePoints {
  std::vector<std::int64_t> labels;
  std::vector<SparseValue> values;
  int features = 0;
};

void add_libsvm_point(const Line& line, int features, SparsePoints& points) {
  const std::string_view content = trimmed(line.text.substr(0, line.text.find('#')));
  if (content.empty()) return;
  int index_before = 0;
  bool is_label = true;
  for (const std::string_view field : split(content, " \t")) {
    if (field.empty()) continue;
    if (std::exchange(is_label, false)) {
      points.labels.push_back(whole_label(line, field));
      continue;
    }
    SparseValue value = sparse_value(line, field, index_before, features);
    value.point = points.labels.size() - 1;
    index_before = value.feature + 1;
    points.values.push_back(value);
  }
  points.features = std::max(points.features, index_before);
}

std::uint32_t big_endian(const std::string& bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<std::uint8_t>(bytes[offset + i]);
  return value;
}

struct IdxFile {
  std::uint64_t items = 0;
  std::uint64_t bytes_per_item = 1;
  std::string bytes;  // the whole file, header included
  std::size_t first = 0;
};

/// Appends bytes of the stream until there are `size` bytes or the stream ends. Reads block by block, as a
/// header may announce far more than there is.
void read_up_to(std::ifstream& stream, std::string& bytes, std::size_t size) {
  constexpr std::size_t longest_block = 1 << 20;
  while (stream && bytes.size() < size) {
    const std::size_t begun = bytes.size();
    bytes.resize(begun + std::min(longest_block, size - begun));
    stream.read(bytes.data() + begun, static_cast<std::streamsize>(bytes.size() - begun));
    bytes.resize(begun + static_cast<std::size_t>(stream.gcount()));
  }
}

/// Parses the header: two zero bytes, the type (8 is unsigned bytes), the number of dimensions, then each
/// dimension in 4 bytes, big-endian.
void parse_idx_header(const std::filesystem::path& file, IdxFile& idx) {
  if (idx.bytes.size() < 4 || idx.bytes[0] != 0 || idx.bytes[1] != 0) {
    reject_file(file,
                "this is no IDX file, which begins with two zero bytes (compressed files are not accepted)");
  }
  if (idx.bytes[2] != 8) {
    reject_file(file, fmt::format("the elements are of type {:#04x}; unsigned bytes, 0x08, are accepted",
                                  static_cast<std::uint8_t>(idx.bytes[2])));
  }
  const auto dimensions = static_cast<std::uint8_t>(idx.bytes[3]);
  idx.first = 4 + 4 * std::size_t{dimensions};
  if (dimensions == 0 || idx.bytes.size() < idx.first) reject_file(file, "the header is not complete");
  idx.items = big_endian(idx.bytes, 4);
  for (std::size_t dimension = 1; dimension < dimensions; ++dimension) {
    idx.bytes_per_item *= big_endian(idx.bytes, 4 + 4 * dimension);
    require_room(file, std::max<std::uint64_t>(idx.items, 1), idx.bytes_per_item);
  }
}

/// Reads at most what the header announces, however large the file is.
IdxFile read_idx_file(const std::filesystem::path& file) {
  constexpr std::size_t longest_header = 4 + 4 * 255;
  std::ifstream stream = open(file);
  IdxFile idx;
  read_up_to(stream, idx.bytes, longest_header);
  parse_idx_header(file, idx);
  require_room(file, idx.items, idx.bytes_per_item);
  const std::size_t size = idx.first + idx.items * idx.bytes_per_item;
  if (idx.bytes.size() < size) read_up_to(stream, idx.bytes, size);
  if (idx.bytes.size() != size || (stream && stream.peek() != std::ifstream::traits_type::eof())) {
    reject_file(file, fmt::format("there are {} bytes of data{}; the header announces {} items of {}",
                                  idx.bytes.size() - idx.first, stream ? " and more" : "", idx.items,
                                  idx.bytes_per_item));
  }
  return idx;
}

IdxFile read_idx_points(const std::filesystem::path& file) {
  IdxFile points = read_idx_file(file);
  if (points.items == 0) reject_file(file, "there are no points");
  return points;
}

/// Reads labels, of which there must be as many as points in the other file.
std::vector<std::int64_t> read_idx_labels(const std::filesystem::path& file, std::uint64_t points,
                                          const std::filesystem::path& points_file) {
  const IdxFile labels = read_idx_file(file);
  if (labels.bytes_per_item != 1)
    reject_file(file, fmt::format("a label has {} bytes; 1 is accepted", labels.bytes_per_item));
  if (labels.items != points)
    reject_file(file, fmt::format("there are {} labels for the {} points of {}", labels.items, points,
                                  points_file.string()));
  std::vector<std::int64_t> classes;
  for (std::size_t i = labels.first; i < labels.bytes.size(); ++i)
    classes.push_back(static_cast<std::uint8_t>(labels.bytes[i]));
  return classes;
}

}  // namespace

DataSet read_csv(const std::filesystem::path& file, int label_column) {
  DataSet data;
  std::vector<std::int64_t> labels;
  std::size_t columns = 0;
  std::size_t label_index = 0;
  for_each_line(file, [&](const Line& line) {
    const std::vector<std::string_view> fields = split(line.text, ",");
    if (columns == 0) {
      columns = fields.size();
      const bool counts_from_end = label_column == -1;
      label_index = counts_from_end ? columns - 1 : static_cast<std::size_t>(label_column);
      if (columns < 2) line.reject("there is 1 column; a label and at least 1 feature are needed");
      if (label_index >= columns) {
        line.reject(fmt::format(
            "there are {} columns; the label cannot be in column {}, but in 0 … {}, or −1 for the last",
            columns, label_column, columns - 1));
      }
      if (is_header(fields)) return;
    }
    if (fields.size() != columns) {
      line.reject(fmt::format("there are {} columns; the first line has {}", fields.size(), columns));
    }
    require_room(file, labels.size() + 1, columns - 1);
    labels.push_back(add_csv_point(line, fields, label_index, data));
  });
  data.features = static_cast<int>(columns) - 1;
  return finish(file, std::move(data), labels);
}

DataSet read_libsvm(const std::filesystem::path& file, int features) {
  if (features < 0)
    reject_file(file, fmt::format("{} features were asked for; at least 1 is needed, or 0", features));
  SparsePoints points;
  for_each_line(file, [&](const Line& line) { add_libsvm_point(line, features, points); });
  DataSet data;
  data.features = features != 0 ? features : points.features;
  const auto width = static_cast<std::size_t>(data.features);
  require_room(file, points.labels.size(), width);
  data.values.resize(points.labels.size() * width);
  for (const SparseValue& value : points.values)
    data.values[value.point * width + static_cast<std::size_t>(value.feature)] = value.value;
  return finish(file, std::move(data), points.labels);
}

DataSet read_idx(const std::filesystem::path& points_file, const std::filesystem::path& labels_file) {
  const IdxFile points = rejecting_value("/points", [&] { return read_idx_points(points_file); });
  DataSet data;
  data.features = static_cast<int>(points.bytes_per_item);
  rejecting_value("/labels", [&] {
    set_classes(labels_file, read_idx_labels(labels_file, points.items, points_file), data);
  });
  for (std::size_t i = points.first; i < points.bytes.size(); ++i)
    data.values.push_back(static_cast<float>(static_cast<std::uint8_t>(points.bytes[i])) / 255.0F);
  return rejecting_value("/points", [&] { return finish(points_file, std::move(data)); });
}

}  // namespace starling

#include "scenarios/importing/word_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/byte_order_mark.hpp"
#include "base/texts/number_in.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/units.hpp"

namespace starling {
namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";

}  // namespace

WordReader::WordReader(std::string_view text, std::string file)
    : text_(without_byte_order_mark(text)), file_(std::move(file)) {
  refuse_utf_16(text_, file_);
}

void WordReader::skip_blanks() {
  const std::size_t begin = std::min(text_.find_first_not_of(blanks), text_.size());
  line_ += static_cast<int>(std::ranges::count(text_.substr(0, begin), '\n'));
  text_.remove_prefix(begin);
}

bool WordReader::is_at_end() {
  skip_blanks();
  return text_.empty();
}

std::string_view WordReader::word(std::string_view what) {
  skip_blanks();
  line_of_last_ = line_;
  last_ = text_.substr(0, text_.find_first_of(blanks));
  if (last_.empty()) fail(fmt::format("the file ends where {} should be", what), "");
  text_.remove_prefix(last_.size());
  return last_;
}

std::int64_t WordReader::integer(std::string_view what, const IntegerRange& range, std::string_view problem) {
  const auto number = number_in<std::int64_t>(word(what));
  if (!number || *number < range.least || *number > range.greatest)
    fail(problem.empty() ? fmt::format("{} is invalid", what) : problem,
         fmt::format("an integer {}", range.text()));
  return *number;
}

double WordReader::number(std::string_view what, const Range& range) {
  const auto number = number_in<double>(word(what));
  if (!number || !range.contains(*number))
    fail(fmt::format("{} is invalid", what), fmt::format("a number {}", range.text()));
  return *number;
}

double WordReader::quantity(std::string_view what, Dimension dimension) {
  const auto found = parse_quantity(word(what), dimension);
  if (const auto* const problem = std::get_if<std::string>(&found))
    fail(fmt::format("{}: {}", what, *problem), accepted_form(dimension));
  const double value = std::get<double>(found);
  const Range range = default_range(dimension);
  if (!range.contains(value)) fail(fmt::format("{} is out of range", what), range.text() + " in SI units");
  return value;
}

std::string_view WordReader::rest_of_line() {
  line_of_last_ = line_;
  const std::size_t end = std::min(text_.find('\n'), text_.size());
  std::string_view line = text_.substr(0, end);
  text_.remove_prefix(end);
  line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
  line = line.substr(0, line.find_last_not_of(blanks) + 1);
  last_ = line;
  return line;
}

void WordReader::expect_end(std::string_view expected) {
  if (is_at_end()) return;
  word("the end of the file");
  fail("the file continues after its last entry", expected);
}

void WordReader::fail(std::string_view problem, std::string_view expected) const {
  throw ScenarioError({file_, fmt::format("line {}", line_of_last_), std::string(problem),
                       last_.empty() ? "" : fmt::format("\"{}\"", last_), std::string(expected)});
}

}  // namespace starling

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/options/range.hpp"

namespace starling {

/// Reads a text of words that are separated by blanks and line breaks. Every error is a ScenarioError that
/// names file and line, what was found and what would be accepted.
class WordReader {
 public:
  /// `text` may begin with a byte order mark, and must outlive this object. `file` is its name in errors.
  /// @throws ScenarioError if the text is UTF-16.
  WordReader(std::string_view text, std::string file);

  bool is_at_end();
  /// The next word; `what` describes it in errors: "the source of a link".
  std::string_view word(std::string_view what);
  /// `problem` replaces "`what` is none" in errors about a word that is no integer or out of range.
  std::int64_t integer(std::string_view what, const IntegerRange& range, std::string_view problem = {});
  double number(std::string_view what, const Range& range);
  /// A number with a unit, "400Gbps", in SI units.
  double quantity(std::string_view what, Dimension dimension);
  /// Fails if another word follows; `expected` is what the error says would be accepted.
  void expect_end(std::string_view expected);
  /// The rest of the current line, without blanks around it; may be empty.
  std::string_view rest_of_line();

  /// Reports a problem with the word that was read last. @throws ScenarioError always.
  [[noreturn]] void fail(std::string_view problem, std::string_view expected) const;

 private:
  void skip_blanks();

  std::string_view text_;  // what has not been read yet
  std::string file_;
  int line_ = 1;
  int line_of_last_ = 1;
  std::string_view last_ = {};
};

}  // namespace starling

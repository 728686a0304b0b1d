#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/options/range.hpp"

namespace starling {

/// Reads a text of words that blanks and ends of lines part. Every error is a ScenarioError that names file
/// and line, what was found and what would be accepted.
class WordReader {
 public:
  /// `text`, which may begin with a byte order mark, must outlive this object. `file` is what errors call it.
  /// @throws ScenarioError if it is UTF-16.
  WordReader(std::string_view text, std::string file);

  bool is_at_end();
  /// The next one; `what` says in errors what it is: "the source of a link".
  std::string_view word(std::string_view what);
  /// `problem`: what is wrong with one that is none, or out of range, in place of "`what` is none".
  std::int64_t integer(std::string_view what, const IntegerRange& range, std::string_view problem = {});
  double number(std::string_view what, const Range& range);
  /// With a unit: "400Gbps".
  double quantity(std::string_view what, Dimension dimension);
  /// Nothing may follow; `expected` is what errors say would be accepted.
  void expect_end(std::string_view expected);
  /// What is left of the line, without blanks around it.
  std::string_view rest_of_line();

  /// About the word that was read last. @throws ScenarioError always.
  [[noreturn]] void fail(std::string_view problem, std::string_view expected) const;

 private:
  void skip_blanks();

  std::string_view text_;  // from where reading goes on
  std::string file_;
  int line_ = 1;
  int line_of_last_ = 1;
  std::string_view last_ = {};
};

}  // namespace starling

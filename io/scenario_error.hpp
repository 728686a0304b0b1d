#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/rejected_value.hpp"

namespace starling {

/// The input is wrong. The text reads `file: /json/pointer: problem, got value, expected values`; place,
/// value and expected values may be missing. A program that reports it exits with code 2.
class ScenarioError : public std::runtime_error {
 public:
  struct Description {
    std::string file;      // or the command-line option that holds the value
    std::string place;     // JSON pointer, or line and column
    std::string problem;   // what is wrong
    std::string got;       // the value found
    std::string expected;  // what would be accepted
  };

  explicit ScenarioError(Description description);

  const Description& description() const { return description_; }

 private:
  Description description_;
};

/// Returns make(). A std::invalid_argument that it throws becomes a ScenarioError at `place` in `file`; a
/// RejectedValue, one at the value that it names below `place`.
template <typename Make>
auto naming_place(const std::string& file, const std::string& place, const Make& make) {
  try {
    return make();
  } catch (const RejectedValue& error) {
    throw ScenarioError({file, place + error.place(), error.what(), "", ""});
  } catch (const std::invalid_argument& error) {
    throw ScenarioError({file, place, error.what(), "", ""});
  }
}

}  // namespace starling

#include "analysis/studies/refused_combinations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "io/scenario_error.hpp"

namespace starling {
namespace {

constexpr std::size_t most_kinds = 5;
constexpr std::size_t most_values = 3;

/// The first of several errors, with a text of all of them.
class ErrorOfCombinations final : public ScenarioError {
 public:
  ErrorOfCombinations(const ScenarioError& first, std::string text)
      : ScenarioError(first), text_(std::move(text)) {}

  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

std::string key_of_error(const std::exception& error) {
  const auto* refused = dynamic_cast<const ScenarioError*>(&error);
  if (refused == nullptr) return error.what();
  const ScenarioError::Description& wrong = refused->description();
  return fmt::format("{}\n{}\n{}", wrong.place, wrong.problem, wrong.expected);
}

/// "workers=0; workers=-1; and 3 more".
std::string shown_values(std::span<const std::string> values) {
  const std::size_t shown = std::min(values.size(), most_values);
  std::string text = fmt::format("{}", fmt::join(values.first(shown), "; "));
  if (values.size() > shown) text += fmt::format("; and {} more", values.size() - shown);
  return text;
}

}  // namespace

void RefusedCombinations::add(const std::string& values, const std::exception_ptr& error) {
  if (first_ == nullptr) first_ = error;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& refused) {
    const std::string key = key_of_error(refused);
    const auto kind = std::ranges::find(kinds_, key, &Kind::key);
    if (kind == kinds_.end()) {
      kinds_.push_back({.key = key, .text = refused.what(), .values = {values}});
      return;
    }
    kind->is_same_text = kind->is_same_text && kind->text == refused.what();
    kind->values.push_back(values);
  }
}

std::string RefusedCombinations::text() const {
  const bool is_one = kinds_.size() == 1 && kinds_.front().is_same_text;
  if (is_one) return kinds_.front().text;
  std::vector<std::string> lines;
  for (const Kind& kind : std::span(kinds_).first(std::min(kinds_.size(), most_kinds)))
    lines.push_back(fmt::format("{} (with {})", kind.text, shown_values(kind.values)));
  if (kinds_.size() > most_kinds)
    lines.push_back(fmt::format("and {} other errors", kinds_.size() - most_kinds));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

void RefusedCombinations::throw_all() const {
  if (first_ == nullptr) return;
  try {
    std::rethrow_exception(first_);
  } catch (const ScenarioError& error) {
    throw ErrorOfCombinations(error, text());
  }
}

}  // namespace starling

#include "analysis/studies/refused_combinations.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "analysis/studies/sweep_tables.hpp"
#include "base/numbers/mix.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

constexpr std::size_t most_kinds = 5;
constexpr std::size_t most_values = 3;

/// The first of several errors, whose what() tells all of them.
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

/// Whether the text of an error begins with the option, or the place in the study, that gives a varied value.
bool names_varied_value(const std::string& text) {
  return text.starts_with("--vary ") || text.find(": /vary/") != std::string::npos;
}

/// "workers=0; workers=-1; and 3 more".
std::string shown_values(std::span<const std::string> values) {
  const std::size_t shown = std::min(values.size(), most_values);
  std::string text = fmt::format("{}", fmt::join(values.first(shown), "; "));
  if (values.size() > shown) text += fmt::format("; and {} more", values.size() - shown);
  return text;
}

/// The error of reading a combination with its first seed; null if it can be read.
std::exception_ptr problem_of(const SweepPlan& plan, std::int64_t combination) {
  try {
    (void)read_scenario(plan.document(combination, 0));
    return nullptr;
  } catch (const std::exception&) {
    return std::current_exception();
  }
}

std::string text_of_problem(const std::exception_ptr& problem) {
  try {
    std::rethrow_exception(problem);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// Combinations that cannot be read, each with its error.
using Problems = std::vector<std::pair<std::int64_t, std::exception_ptr>>;

bool are_alike(const Problems& problems) {
  return problems.empty() ||
         text_of_problem(problems.back().second) == text_of_problem(problems.front().second);
}

/// Finds the values of a plan with which no combination can be read (refuse_values_of_none()).
class ValueCheck {
 public:
  ValueCheck(const SweepPlan& plan, std::int64_t readable)
      : plan_(plan), readable_(plan.points_of(readable)) {
    for (const SweepAxis& axis : plan.axes()) {
      is_readable_.emplace_back(axis.points.size(), false);
      longest_ = std::max(longest_, axis.points.size());
    }
    mark_readable(readable_);
    constexpr std::size_t few = 50;
    sample_size_ = static_cast<std::int64_t>(std::max(few, longest_));
    reads_left_ = 2 * sample_size_;
  }

  void refuse() {
    for (std::size_t number = 0; number < longest_; ++number) read_values(number);
    for (std::size_t axis = 0; axis < is_readable_.size(); ++axis)
      for (std::size_t point = 0; point < is_readable_[axis].size(); ++point)
        if (!is_readable_[axis][point] && reads_left_ > 0) try_value(axis, point);
    refused_.throw_all(true);
  }

 private:
  using Points = std::vector<std::size_t>;

  void mark_readable(const Points& points) {
    for (std::size_t axis = 0; axis < points.size(); ++axis) is_readable_[axis][points[axis]] = true;
  }

  /// Reads the combination that has the `number`-th value on every axis with that many values.
  void read_values(std::size_t number) {
    Points points = readable_;
    for (std::size_t axis = 0; axis < points.size(); ++axis)
      if (number < is_readable_[axis].size()) points[axis] = number;
    const std::int64_t combination = plan_.combination_of(points);
    if (points != readable_ && !plan_.filtered(combination) && problem_of(plan_, combination) == nullptr)
      mark_readable(points);
  }

  /// Tries a value whose combination was refused, perhaps because of a value of another axis.
  void try_value(std::size_t axis, std::size_t point) {
    Points points = readable_;
    points[axis] = point;
    Problems problem;
    if (!is_refused(plan_.combination_of(points), problem)) return;
    const std::int64_t all = plan_.combinations() / std::ssize(is_readable_[axis]);
    if (all <= reads_left_)
      try_all(axis, point, all);
    else if (sample_size_ <= reads_left_)
      try_sample(axis, point);
  }

  void try_all(std::size_t axis, std::size_t point, std::int64_t all) {
    Problems problems;
    for (std::int64_t i = 0; i < all; ++i)
      if (!is_refused(plan_.combination_with(axis, point, i), problems)) return;
    add(problems);
  }

  void try_sample(std::size_t axis, std::size_t point) {
    Problems problems;
    for (std::uint64_t i = 0; std::ssize(problems) < sample_size_; ++i)
      if (--draws_left_ < 0 || !is_refused(combination_with(axis, point, i), problems) ||
          !are_alike(problems))
        return;
    add(problems);
  }

  /// The i-th combination of a sample in which `axis` has this point: each n successive i run through
  /// all n values of another axis, from an offset that is drawn anew for every such block and axis.
  std::int64_t combination_with(std::size_t axis, std::size_t point, std::uint64_t i) const {
    Points points;
    for (std::size_t other = 0; other < is_readable_.size(); ++other) {
      const std::uint64_t size = is_readable_[other].size();
      const std::uint64_t turn = i / size + 1;
      points.push_back(other == axis ? point : (i + mix(mix(turn) + other) % size) % size);
    }
    return plan_.combination_of(points);
  }

  /// Whether a combination is filtered out or cannot be read, in which case its error is added to `problems`.
  /// If it can be read, marks its values as readable.
  bool is_refused(std::int64_t combination, Problems& problems) {
    if (plan_.filtered(combination)) return true;
    --reads_left_;
    const std::exception_ptr problem = problem_of(plan_, combination);
    if (problem == nullptr) {
      mark_readable(plan_.points_of(combination));
      return false;
    }
    problems.emplace_back(combination, problem);
    return true;
  }

  void add(const Problems& problems) {
    for (const auto& [combination, problem] : problems)
      refused_.add(combination_text(plan_, combination), problem);
  }

  const SweepPlan& plan_;
  Points readable_;                             // of a combination that can be read
  std::vector<std::vector<bool>> is_readable_;  // by axis and point: whether it is in a readable combination
  std::size_t longest_ = 0;                     // points of the longest axis
  std::int64_t sample_size_ = 0;                // combinations that prove a value bad, if their errors agree
  std::int64_t reads_left_ = 0;                 // combinations that may still be read
  std::int64_t draws_left_ = 100'000;           // combinations that may still be drawn, with filtered ones
  RefusedCombinations refused_;
};

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

std::string RefusedCombinations::text(bool names_combinations) const {
  const bool is_one = kinds_.size() == 1 && kinds_.front().is_same_text;
  if (is_one && (!names_combinations || names_varied_value(kinds_.front().text))) return kinds_.front().text;
  std::vector<std::string> lines;
  for (const Kind& kind : std::span(kinds_).first(std::min(kinds_.size(), most_kinds)))
    lines.push_back(fmt::format("{} (with {})", kind.text, shown_values(kind.values)));
  if (kinds_.size() > most_kinds)
    lines.push_back(fmt::format("and {} other errors", kinds_.size() - most_kinds));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

void RefusedCombinations::throw_all(bool names_combinations) const {
  if (first_ == nullptr) return;
  try {
    std::rethrow_exception(first_);
  } catch (const ScenarioError& error) {
    throw ErrorOfCombinations(error, text(names_combinations));
  }
}

std::optional<std::int64_t> first_readable(const SweepPlan& plan, const CombinationSource& source) {
  constexpr int most_tried = 100;
  RefusedCombinations refused;
  for (int i = 0; i < most_tried; ++i) {
    const std::optional<std::int64_t> combination = source();
    if (!combination) break;
    const std::exception_ptr problem = problem_of(plan, *combination);
    if (problem == nullptr) return combination;
    refused.add(combination_text(plan, *combination), problem);
  }
  refused.throw_all();
  return std::nullopt;
}

void refuse_values_of_none(const SweepPlan& plan, std::int64_t readable) {
  ValueCheck(plan, readable).refuse();
}

}  // namespace starling

#include "analysis/studies/sweep_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

using nlohmann::json;

// So that the numbers of combinations and of runs fit into 64 bits.
constexpr std::int64_t most_combinations = 1'000'000'000'000;

std::uint64_t seed_of(const json& document) {
  const auto found = document.find("seed");
  if (found == document.end()) return 1;
  return found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// Reads an axis of SweepPlan::saved(). @throws json::exception if a key or a value is missing.
SweepAxis axis_in(const json& saved) {
  SweepAxis axis{.pointers = saved.at("pointers").get<std::vector<std::string>>(), .points = {}};
  for (const json& point : saved.at("points")) {
    axis.points.emplace_back();
    for (std::size_t i = 0; i < axis.pointers.size(); ++i) axis.points.back().push_back(point.at(i));
  }
  return axis;
}

}  // namespace

SweepPlan::SweepPlan(ScenarioDocument base, std::vector<SweepAxis> axes, std::vector<SweepFilter> filters,
                     int seeds)
    : base_(std::move(base)), axes_(std::move(axes)), filters_(std::move(filters)), seeds_(seeds) {
  for (const SweepAxis& axis : axes_) {
    add_pointers(axis);
    if (static_cast<std::int64_t>(axis.points.size()) > most_combinations / combinations_)
      throw ScenarioError({"sweep", "", "too many combinations", "", "at most 10^12"});
    combinations_ *= static_cast<std::int64_t>(axis.points.size());
  }
  for (const SweepFilter& filter : filters_) check_filter(filter);
}

void SweepPlan::add_pointers(const SweepAxis& axis) {
  const auto& [file, place] = axis.place;
  for (const std::string& pointer : axis.pointers) {
    if (std::ranges::find(pointers_, pointer) != pointers_.end())
      throw ScenarioError({file, place, "a value varies twice", pointer, "each pointer once"});
    const auto replaced = std::ranges::find_if(
        pointers_, [&](const std::string& earlier) { return is_at_or_below(earlier, pointer); });
    if (replaced != pointers_.end())
      throw ScenarioError({file, place, fmt::format("replaces {}, which varies before it", *replaced),
                           pointer, "the outer pointer before the inner one"});
    pointers_.push_back(pointer);
    given_by_.push_back(place.empty() ? "--vary" : fmt::format("{}: {}:", file, place));
  }
  if (axis.points.empty())
    throw ScenarioError({file, place, "nothing to vary", fmt::format("{}", fmt::join(axis.pointers, ", ")),
                         "at least one value"});
}

json SweepPlan::values_of(const std::string& pointer) const {
  json values = json::array();
  for (const SweepAxis& axis : axes_)
    for (std::size_t i = 0; i < axis.pointers.size(); ++i)
      if (axis.pointers[i] == pointer)
        for (const std::vector<json>& point : axis.points) values.push_back(point[i]);
  return values;
}

void SweepPlan::check_filter(const SweepFilter& filter) const {
  for (const auto& [pointer, values] : filter.when) {
    const std::string place = pointer_to(filter.place.pointer, pointer);
    if (std::ranges::find(pointers_, pointer) == pointers_.end())
      throw ScenarioError({filter.place.file, place, "this pointer does not vary", pointer,
                           pointers_.empty() ? "a pointer that varies; none does" : one_of(pointers_)});
    const json varied = values_of(pointer);
    for (const json& value : values)
      if (std::ranges::find(varied, value) == varied.end())
        throw ScenarioError({filter.place.file, place, "this is not one of the varied values", shown(value),
                             fmt::format("one of {}", shown(varied))});
  }
}

json SweepPlan::saved() const {
  json axes = json::array();
  for (const SweepAxis& axis : axes_) axes.push_back({{"pointers", axis.pointers}, {"points", axis.points}});
  json filters = json::array();
  for (const SweepFilter& filter : filters_)
    filters.push_back({{"when", filter.when}, {"reason", filter.reason}});
  json saved = {{"file", base_.file.string()},
                {"base", base_.json},
                {"axes", std::move(axes)},
                {"filters", std::move(filters)},
                {"seeds", seeds_}};
  if (!base_.folder.empty()) saved["folder"] = base_.folder.string();
  return saved;
}

SweepPlan SweepPlan::from_saved(const json& saved) {
  std::vector<SweepAxis> axes;
  for (const json& axis : saved.at("axes")) axes.push_back(axis_in(axis));
  std::vector<SweepFilter> filters;
  for (const json& filter : saved.at("filters"))
    filters.push_back({filter.at("when").get<std::vector<std::pair<std::string, std::vector<json>>>>(),
                       filter.at("reason").get<std::string>()});
  return SweepPlan({.file = saved.at("file").get<std::string>(),
                    .json = saved.at("base"),
                    .changes = {},
                    .folder = saved.value("folder", "")},
                   std::move(axes), std::move(filters), saved.at("seeds").get<int>());
}

std::int64_t SweepPlan::combination_with(std::size_t axis, std::size_t point, std::int64_t number) const {
  std::int64_t faster = 1;  // combinations of the axes after this one, which vary faster
  for (std::size_t i = axis + 1; i < axes_.size(); ++i) faster *= std::ssize(axes_[i].points);
  const std::int64_t slower = number / faster;
  return (slower * std::ssize(axes_[axis].points) + static_cast<std::int64_t>(point)) * faster +
         number % faster;
}

std::vector<std::size_t> SweepPlan::points_of(std::int64_t combination) const {
  std::vector<std::size_t> points(axes_.size());
  for (std::size_t axis = axes_.size(); axis-- > 0;) {
    const std::int64_t count = std::ssize(axes_[axis].points);
    points[axis] = static_cast<std::size_t>(combination % count);
    combination /= count;
  }
  return points;
}

std::int64_t SweepPlan::combination_of(const std::vector<std::size_t>& points) const {
  std::int64_t combination = 0;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis)
    combination = combination * std::ssize(axes_[axis].points) + static_cast<std::int64_t>(points[axis]);
  return combination;
}

std::vector<json> SweepPlan::values(std::int64_t combination) const {
  const std::vector<std::size_t> points = points_of(combination);
  std::vector<json> values;
  for (std::size_t axis = 0; axis < axes_.size(); ++axis) {
    const std::vector<json>& point = axes_[axis].points[points[axis]];
    values.insert(values.end(), point.begin(), point.end());
  }
  return values;
}

bool SweepPlan::contains(const SweepPlan& other) const {
  if (other.saved() == saved()) return true;
  if (other.seeds_ > seeds_) return false;
  const auto text_of = [](const SweepPlan& plan, std::int64_t i) { return plan.document(i, 0).json.dump(); };
  std::unordered_set<std::string> texts;
  for (std::int64_t i = 0; i < other.combinations_; ++i)
    if (!other.filtered(i)) texts.insert(text_of(other, i));
  for (std::int64_t i = 0; i < combinations_ && !texts.empty(); ++i)
    if (!filtered(i)) texts.erase(text_of(*this, i));
  return texts.empty();
}

std::optional<std::string> SweepPlan::filtered(std::int64_t combination) const {
  if (filters_.empty()) return std::nullopt;
  const std::vector<json> values = this->values(combination);
  const auto value_of = [&](const std::string& pointer) -> const json& {
    return values[static_cast<std::size_t>(std::ranges::find(pointers_, pointer) - pointers_.begin())];
  };
  for (const SweepFilter& filter : filters_)
    if (std::ranges::all_of(filter.when, [&](const auto& condition) {
          return std::ranges::find(condition.second, value_of(condition.first)) != condition.second.end();
        }))
      return filter.reason;
  return std::nullopt;
}

ScenarioDocument SweepPlan::document(std::int64_t combination, int replication) const {
  ScenarioDocument document = base_;
  const std::vector<json> values = this->values(combination);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].is_null())
      change(document, fmt::format("{}={}", pointers_[i], values[i].dump()), given_by_[i]);
  if (replication > 0)
    change(document, fmt::format("/seed={}", offset_seed(seed_of(document.json),
                                                         static_cast<std::uint64_t>(replication))));
  return document;
}

}  // namespace starling

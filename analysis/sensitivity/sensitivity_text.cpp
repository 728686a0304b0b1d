#include "analysis/sensitivity/sensitivity_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/statistics/interval_json.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

/// Smaller elasticities count as no effect: a thousandth of a percent of the time for one percent more of the
/// number.
constexpr double least_effect = 1e-3;

/// Whether the error is visible in three digits.
bool shows_error(const SampleEstimate& elasticity) { return elasticity.standard_error >= least_effect / 2; }

std::string cell(const SampleEstimate& elasticity) {
  std::string text = fmt::format("{:+.3f}", elasticity.value);
  if (shows_error(elasticity)) text += fmt::format(" ± {:.3f}", elasticity.standard_error);
  return text;
}

/// Whether a number has an effect on any algorithm, or one that its error hides.
bool may_matter(const NumberSensitivity& number) {
  return std::ranges::any_of(number.elasticities, [](const SampleEstimate& elasticity) {
    return std::max(std::abs(elasticity.value), elasticity.standard_error) >= least_effect;
  });
}

/// Adds a text for each algorithm for which a decrease of the number has another effect than an increase.
void add_kinks(const NumberSensitivity& number, const std::vector<std::string>& labels,
               std::vector<std::string>& told) {
  for (std::size_t i = 0; i < number.kinks.size(); ++i)
    if (const auto& sides = number.kinks[i])
      told.push_back(
          fmt::format("{} for {} {:+.3f} and {:+.3f}", number.name, labels[i], sides->less, sides->more));
}

/// Whether the number is a compute time of the workload that a distribution or a trace replaces: it can only
/// decide how those times are split.
bool is_replaced(const NumberSensitivity& number, const Sensitivity& sensitivity) {
  return sensitivity.times_in_place && number.pointer.starts_with("/workload/compute/");
}

Json kink_json(const std::optional<SidesOfKink>& sides) {
  return sides ? Json::array({sides->less, sides->more}) : Json(nullptr);
}

}  // namespace

std::string sensitivity_table(const Sensitivity& sensitivity) {
  std::vector<TableRow> rows{{"1 % more of"}};
  rows.front().insert(rows.front().end(), sensitivity.labels.begin(), sensitivity.labels.end());
  std::vector<std::string> without_effect;
  std::vector<std::string> replaced;
  std::vector<std::string> kinks;
  bool is_some_one_sided = false;
  bool has_errors = false;
  for (const NumberSensitivity& number : sensitivity.numbers) {
    if (!may_matter(number)) {
      (is_replaced(number, sensitivity) ? replaced : without_effect).push_back(number.name);
      continue;
    }
    rows.push_back({number.name + (number.is_one_sided ? " *" : "")});
    is_some_one_sided = is_some_one_sided || number.is_one_sided;
    has_errors = has_errors || std::ranges::any_of(number.elasticities, shows_error);
    add_kinks(number, sensitivity.labels, kinks);
    for (const SampleEstimate& elasticity : number.elasticities) rows.back().push_back(cell(elasticity));
  }
  std::string text = aligned(rows);
  text += fmt::format(
      "change of the iteration time in % for 1 % more of a number, from runs with that number multiplied by "
      "{0:g} and by 1/{0:g}, with the same seed\n",
      1 + sensitivity.step);
  if (has_errors) text += "±: standard error, by equal-weighted cosines\n";
  if (is_some_one_sided)
    text += "*: from runs with only a smaller or only a larger value, as the other one is out of range\n";
  if (!kinks.empty())
    text += fmt::format("different effects of a decrease and of an increase, in this order: {}\n",
                        fmt::join(kinks, "; "));
  if (!without_effect.empty())
    text += fmt::format("no effect (below {:g}): {}\n", least_effect, fmt::join(without_effect, ", "));
  if (!replaced.empty())
    text += fmt::format("only split the times of {}, which are listed instead, over passes and layers: {}\n",
                        *sensitivity.times_in_place, fmt::join(replaced, ", "));
  return text;
}

Json sensitivity_json(const Sensitivity& sensitivity, const std::string& scenario_hash) {
  Json document{{"starling", version()},
                {"scenario_hash", scenario_hash},
                {"step", sensitivity.step},
                {"numbers", Json::array()}};
  for (const NumberSensitivity& number : sensitivity.numbers) {
    Json runs = Json::array();
    for (std::size_t i = 0; i < number.elasticities.size(); ++i)
      runs.push_back({{"label", sensitivity.labels[i]},
                      {"elasticity", number.elasticities[i].value},
                      {"elasticity_interval_95", or_null(interval_95(number.elasticities[i]))},
                      {"elasticity_of_less_and_more", kink_json(number.kinks[i])}});
    document["numbers"].push_back({{"pointer", number.pointer},
                                   {"name", number.name},
                                   {"value", number.value},
                                   {"is_one_sided", number.is_one_sided},
                                   {"runs", std::move(runs)}});
  }
  return document;
}

}  // namespace starling

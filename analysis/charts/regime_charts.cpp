#include "analysis/charts/regime_charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/charts/saved_document.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using nlohmann::json;

json yes_or_no(const json& value) { return value.get<bool>() ? "yes" : "no"; }

ReportTable empty_point_table(const json& map) {
  ReportTable table{.columns = {{"workers", "workers"},
                                {"communication_to_compute", "communication to compute"},
                                {"coefficient_of_variation", "coefficient of variation"},
                                {"fastest", "fastest"},
                                {"second", "second"},
                                {"gain_percent", "gain: the second takes longer by", "%"},
                                {"is_gain_sure", "gain is certain"},
                                {"is_decided", "certainly the fastest"},
                                {"is_simulated", "simulated"},
                                {"fastest_by_model", "fastest by the model"},
                                {"compute_s", "compute without imbalance", "s"}}};
  for (const json& label : map.at("algorithms")) {
    const auto text = label.get<std::string>();
    table.columns.push_back({text + "_model_s", text + " by the model", "s"});
    table.columns.push_back({text + "_simulated_s", text + " simulated", "s"});
  }
  return table;
}

ReportTable point_table(const json& map) {
  ReportTable table = empty_point_table(map);
  for (const json& point : map.at("points")) {
    std::vector<json> row{point.at("workers"),
                          point.at("communication_to_compute"),
                          point.at("coefficient_of_variation"),
                          point.at("fastest"),
                          point.at("second"),
                          100 * point.at("gain").get<double>(),
                          yes_or_no(point.at("is_gain_sure")),
                          yes_or_no(point.at("is_decided")),
                          yes_or_no(point.at("is_simulated")),
                          point.at("fastest_by_model"),
                          point.at("compute_s")};
    for (std::size_t i = 0; i < map.at("algorithms").size(); ++i) {
      const json& algorithm = point.at("algorithms").at(i);
      row.push_back(algorithm.at("model_s"));
      row.push_back(algorithm.at("simulated_s"));
    }
    table.add_row(std::move(row));
  }
  return table;
}

std::size_t count_of(const json& map, const std::function<bool(const json&)>& is_counted) {
  return static_cast<std::size_t>(std::ranges::count_if(map.at("points"), is_counted));
}

bool is_decided(const json& point) { return point.at("is_decided").get<bool>(); }
bool is_gain_sure(const json& point) { return point.at("is_gain_sure").get<bool>(); }

/// An algorithm, and at how many points it is the fastest.
struct Wins {
  std::string algorithm;
  std::size_t points = 0;

  std::string text() const { return fmt::format("{} at {}", algorithm, points); }
};

/// The wins of each algorithm among the points that `counts` selects, the most first; algorithms without any
/// are left out.
std::vector<Wins> wins_of(const json& map, const std::function<bool(const json&)>& counts) {
  std::vector<Wins> all;
  for (const json& label : map.at("algorithms"))
    all.push_back({label, count_of(map, [&](const json& point) {
                     return counts(point) && point.at("fastest") == label;
                   })});
  std::erase_if(all, [](const Wins& wins) { return wins.points == 0; });
  std::ranges::stable_sort(all, std::greater{}, &Wins::points);
  return all;
}

std::string texts_of(std::span<const Wins> all) {
  std::vector<std::string> texts;
  for (const Wins& wins : all) texts.push_back(wins.text());
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string winners_sentence(const json& map) {
  const std::vector<Wins> sure = wins_of(map, is_decided);
  const std::size_t points = map.at("points").size();
  if (sure.empty())
    return fmt::format("None of the algorithms is certainly the fastest at {}.",
                       points == 1 ? "the only point" : fmt::format("any of {} points", points));
  const Wins& most = sure.front();
  if (most.points == points)
    return fmt::format("{} is the fastest at {}.", most.algorithm,
                       points == 1 ? "the only point" : fmt::format("all {} points", points));
  const bool are_all = count_of(map, is_decided) == points;
  const std::string others = texts_of(std::span(sure).subspan(1));
  return fmt::format("{} is {}the fastest at {} of {} points{}{}.", most.algorithm,
                     are_all ? "" : "certainly ", most.points, points, others.empty() ? "" : ", ", others);
}

std::string gain_sentence(const json& map) {
  // The greatest sure gain, or, if none is sure, the greatest gain.
  const auto best = std::ranges::max_element(map.at("points"), {}, [](const json& point) {
    return std::pair(is_gain_sure(point), point.at("gain").get<double>());
  });
  const bool are_all_sure = std::ranges::all_of(map.at("points"), is_gain_sure);
  return fmt::format(
      "{} greatest gain is that of {} with {}, communication to compute {:.3g} and variation {:.3g}: the "
      "second, {}, takes {:.1f} % longer.",
      are_all_sure          ? "The"
      : is_gain_sure(*best) ? "Where gains are certain, the"
                            : "By the model, the",
      best->at("fastest").get<std::string>(), counted(best->at("workers").get<int>(), "worker"),
      best->at("communication_to_compute").get<double>(), best->at("coefficient_of_variation").get<double>(),
      best->at("second").get<std::string>(), 100 * best->at("gain").get<double>());
}

std::string doubt_sentence(const json& map) {
  const std::vector<Wins> unsure = wins_of(map, std::not_fn(is_decided));
  const std::size_t open = count_of(map, std::not_fn(is_decided));
  const std::size_t simulated =
      count_of(map, [](const json& point) { return point.at("is_simulated").get<bool>(); });
  const std::size_t other =
      count_of(map, [](const json& point) { return point.at("fastest") != point.at("fastest_by_model"); });
  return fmt::format(
      "At {} the fastest is not certainly faster than the second{}{}. Simulated: {}; at {} of them the "
      "fastest "
      "algorithm is not that of the model.",
      counted(open, "point"), unsure.empty() ? "" : ": ", texts_of(unsure), counted(simulated, "point"),
      other);
}

std::vector<std::string> answer_of(const json& map) {
  std::vector<std::string> never = map.at("algorithms");
  for (const Wins& wins : wins_of(map, [](const json&) { return true; })) std::erase(never, wins.algorithm);
  std::vector<std::string> sentences{winners_sentence(map), gain_sentence(map)};
  if (!never.empty()) sentences.push_back(fmt::format("Nowhere the fastest: {}.", fmt::join(never, ", ")));
  sentences.push_back(doubt_sentence(map));
  return sentences;
}

/// The axes of the maps, and the dimensions and figures of the explorer.
json regime_axes(const json& map, const ReportTable& table) {
  json axes{{"x", "communication_to_compute"},    {"y", "gain_percent"},         {"color", "fastest"},
            {"algorithms", map.at("algorithms")}, {"dimensions", json::array()}, {"figures", json::array()}};
  for (const char* dimension : {"workers", "fastest", "second", "is_decided", "is_simulated"})
    axes["dimensions"].push_back(dimension_of_texts(table, dimension));
  axes["dimensions"][0]["numbers"] = axes["dimensions"][0]["values"];
  axes["dimensions"][1]["values"] = map.at("algorithms");  // the same colors as on the map
  const auto is_number = [](const json& value) { return value.is_number(); };
  for (std::size_t i = 1; i < table.columns.size(); ++i)
    if (std::ranges::any_of(table.values[i], is_number)) axes["figures"].push_back(table.columns[i].name);
  return axes;
}

Report report_of_regimes(const json& map) {
  const auto workers = map.at("workers").get<std::vector<int>>();
  Report report{.title = map.at("name"),
                .question = fmt::format(
                    "Which of {} algorithms is the fastest, depending on the ratio of communication to "
                    "compute, the variation of compute times, and the number of workers ({})?",
                    map.at("algorithms").size(), fmt::join(workers, ", ")),
                .answer = {},
                .facts = {{"points", fmt::format("{}", map.at("points").size())},
                          {"network model", map.at("engine")},
                          {"distribution of compute times", map.at("law")},
                          {"written by", "starling " + map.at("starling").get<std::string>()}}};
  ReportChart chart{.id = "regimes",
                    .kind = "regimes",
                    .title = "The fastest algorithm at each point",
                    .note =
                        "Communication to compute: time of one ring all-reduce of all gradients, alone on "
                        "the network, over the time of a forward and backward pass without imbalance.",
                    .table = point_table(map)};
  report.charts.push_back(std::move(chart));
  if (report.charts.front().table.rows() == 0) {
    report.charts.front().blank = "The map has no points.";
    return report;
  }
  report.answer = answer_of(map);
  report.charts.front().options = regime_axes(map, report.charts.front().table);
  report.charts.push_back(explorer_of(report.charts.front(), "All points: filter, sort, choose axes"));
  return report;
}

}  // namespace

Report regimes_report(const std::filesystem::path& file) {
  return read_saved(file, "what starling regimes writes", "/algorithms", report_of_regimes);
}

}  // namespace starling

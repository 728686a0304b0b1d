#include "analysis/regimes/regime_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "io/json/json_text.hpp"
#include "io/texts/csv_field.hpp"
#include "io/texts/text_table.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t letters = 26;

std::optional<double> mean_of(const std::optional<Sampling>& time) {
  if (!time) return std::nullopt;
  return time->mean_s.value;
}

Json time_json(const RegimeTime& time) {
  Json json = {{"label", time.label}, {"model_s", or_null(mean_of(time.model))}};
  if (time.model) json["validity"] = name_of(time.validity);
  json["simulated_s"] = or_null(mean_of(time.simulated));
  return json;
}

Json point_json(const RegimePoint& point, const RegimeMap& map) {
  Json json = {{"workers", point.workers},
               {"communication_to_compute", point.ratio},
               {"coefficient_of_variation", point.variation},
               {"compute_s", point.compute_s},
               {"fastest", map.algorithms[point.fastest]},
               {"second", map.algorithms[point.second]},
               {"gain", point.gain()},
               {"is_decided", point.is_decided()},
               {"is_simulated", point.is_simulated},
               {"fastest_by_model", map.algorithms[point.fastest_by_model]},
               {"is_gain_sure", point.is_gain_sure()},
               {"algorithms", Json::array()}};
  for (const RegimeTime& time : point.algorithms) json["algorithms"].push_back(time_json(time));
  return json;
}

std::string csv_line(const RegimePoint& point, const RegimeMap& map) {
  std::string line = fmt::format("{},{},{},{},{},{},{},{},{},{},{}", point.workers, point.ratio,
                                 point.variation, point.compute_s, csv_field(map.algorithms[point.fastest]),
                                 csv_field(map.algorithms[point.second]), point.gain(), point.is_decided(),
                                 point.is_simulated, csv_field(map.algorithms[point.fastest_by_model]),
                                 point.is_gain_sure());
  for (const RegimeTime& time : point.algorithms)
    line += fmt::format(",{},{}", csv_field(mean_of(time.model)), csv_field(mean_of(time.simulated)));
  return line + "\n";
}

/// The letter of an algorithm, capital or small: A to Z, then AA, AB, ..., as columns of spreadsheets.
std::string letter(std::size_t algorithm, bool is_capital) {
  const char last = static_cast<char>((is_capital ? 'A' : 'a') + static_cast<int>(algorithm % letters));
  return (algorithm >= letters ? letter(algorithm / letters - 1, is_capital) : "") + last;
}

/// The greatest gain of an algorithm among the points where it is the fastest: the greatest sure gain, or, if
/// none is sure, the greatest one by the model.
std::string greatest_gain(const RegimeMap& map, std::size_t algorithm) {
  std::pair<bool, double> greatest{false, 0};
  for (const RegimePoint& point : map.points)
    if (point.fastest == algorithm)
      greatest = std::max(greatest, std::pair(point.is_gain_sure(), point.gain()));
  return fmt::format("{:.1f} %{}", 100 * greatest.second, greatest.first ? "" : " by the model");
}

std::string summary(const RegimeMap& map) {
  std::vector<TableRow> rows{{"algorithm", "fastest at", "decided at", "greatest gain"}};
  for (std::size_t i = 0; i < map.algorithms.size(); ++i) {
    std::size_t fastest = 0;
    std::size_t decided = 0;
    for (const RegimePoint& point : map.points) {
      if (point.fastest != i) continue;
      ++fastest;
      decided += point.is_decided() ? 1 : 0;
    }
    rows.push_back({fmt::format("{} {}", letter(i, true), map.algorithms[i]), fmt::format("{}", fastest),
                    fmt::format("{}", decided), fastest > 0 ? greatest_gain(map, i) : "–"});
  }
  return aligned(rows);
}

/// A map of letters for one number of workers, with the greatest variation on top, as in a picture.
std::string letter_map(const RegimeStudy& study, const RegimePoint* points) {
  const std::size_t ratios = study.ratios.size();
  std::vector<TableRow> rows;
  for (std::size_t v = study.variations.size(); v-- > 0;) {
    TableRow& row = rows.emplace_back(TableRow{fmt::format("{:.3g}", study.variations[v])});
    for (std::size_t r = 0; r < ratios; ++r) {
      const RegimePoint& point = points[v * ratios + r];
      row.push_back(letter(point.fastest, point.is_decided()));
    }
  }
  TableRow& foot = rows.emplace_back(TableRow{"variation / ratio"});
  for (const double ratio : study.ratios) foot.push_back(fmt::format("{:.2g}", ratio));
  return aligned(rows);
}

/// A note of algorithms whose iteration times still drift, and at how many points; empty if there are none.
std::string unsettled_note(const RegimeMap& map) {
  std::string text;
  for (std::size_t i = 0; i < map.algorithms.size(); ++i) {
    const auto drifting = std::ranges::count_if(map.points, [i](const RegimePoint& point) {
      return (point.is_simulated || point.algorithms[i].model) && point.time(i).drift_s;
    });
    if (drifting > 0)
      text += fmt::format("{} {} at {} of {} points", text.empty() ? "" : ",", map.algorithms[i], drifting,
                          map.points.size());
  }
  if (text.empty()) return text;
  return fmt::format(
      "iteration times still drift while counted (count more iterations, after more warm-up):{}\n", text);
}

}  // namespace

Json regimes_json(const RegimeStudy& study, const RegimeMap& map) {
  Json json = {{"starling", version()},
               {"name", study.name},
               {"engine", map.engine},
               {"law", study.law},
               {"workers", study.workers},
               {"communication_to_compute", study.ratios},
               {"coefficient_of_variation", study.variations},
               {"algorithms", map.algorithms},
               {"points", Json::array()}};
  for (const RegimePoint& point : map.points) json["points"].push_back(point_json(point, map));
  return json;
}

std::string regimes_csv(const RegimeMap& map) {
  std::string text =
      "workers,communication_to_compute,coefficient_of_variation,compute_s,fastest,second,gain,is_decided,"
      "is_simulated,fastest_by_model,is_gain_sure";
  for (const std::string& label : map.algorithms)
    text += fmt::format(",{},{}", csv_field(label + "_model_s"), csv_field(label + "_simulated_s"));
  text += "\n";
  for (const RegimePoint& point : map.points) text += csv_line(point, map);
  return text;
}

std::string regimes_table(const RegimeStudy& study, const RegimeMap& map) {
  const auto simulated = std::ranges::count_if(map.points, &RegimePoint::is_simulated);
  const auto differs = [](const RegimePoint& point) { return point.fastest != point.fastest_by_model; };
  std::string text = fmt::format("{}: {}, {} of them simulated, engine {}", study.name,
                                 counted(map.points.size(), "point"), simulated, map.engine);
  text += fmt::format("; at {} the fastest of the simulation is not that of the model\n\n",
                      std::ranges::count_if(map.points, differs));
  text += summary(map);
  const std::size_t plane = study.ratios.size() * study.variations.size();
  for (std::size_t w = 0; w < study.workers.size(); ++w)
    text += fmt::format("\n{}\n{}", counted(study.workers[w], "worker"),
                        letter_map(study, &map.points[w * plane]));
  return text +
         "\nratio: time of an all-reduce of all gradients over that of forward and backward pass; variation: "
         "coefficient of\nvariation of compute times; decided: certainly faster than the second; gain: by "
         "how much "
         "the second takes\nlonger; small letters: not decided\n" +
         unsettled_note(map);
}

}  // namespace starling

#include "analysis/charts/model_charts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <functional>
#include <utility>

#include "analysis/charts/saved_document.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using nlohmann::json;

constexpr const char* expected = "what starling model --out writes";

ReportChart gain_chart(const json& document) {
  ReportChart chart{
      .id = "gains",
      .kind = "factors",
      .title = "Where gains over all-reduce come from",
      .note =
          "Overlap of communication and computing, cheaper communication, and less waiting for "
          "slow workers: each switched off in turn in the simulation, averaged over all orders, "
          "so that the parts sum to the gain. A whisker is the gain plus and minus its standard error.",
      .table = {.columns = {{"algorithm", "algorithm"},
                            {"gain_s", "gain", "s"},
                            {"overlap_s", "overlap", "s"},
                            {"cheaper_communication_s", "cheaper communication", "s"},
                            {"insensitivity_s", "insensitivity to slow workers", "s"},
                            {"iteration_time_s", "mean iteration", "s"},
                            {"gain_error_s", "standard error of the gain", "s"},
                            {"overlap_error_s", "of overlap", "s"},
                            {"cheaper_communication_error_s", "of cheaper communication", "s"},
                            {"insensitivity_error_s", "of insensitivity", "s"},
                            {"reason", "why the gain is not divided"}}}};
  if (!document.contains("gains")) {
    chart.blank = "Gains were not divided into parts; use starling model --explain.";
    return chart;
  }
  for (const json& gain : document.at("gains"))
    chart.table.add_row({gain.at("label"), value_at(gain, "/gain_s"), value_at(gain, "/parts_s/overlap"),
                         value_at(gain, "/parts_s/cheaper_communication"),
                         value_at(gain, "/parts_s/insensitivity"), gain.at("iteration_time_s"),
                         value_at(gain, "/standard_errors_s/gain"),
                         value_at(gain, "/standard_errors_s/overlap"),
                         value_at(gain, "/standard_errors_s/cheaper_communication"),
                         value_at(gain, "/standard_errors_s/insensitivity"), gain.value("reason", "")});
  if (chart.table.rows() == 0) chart.blank = "There is no algorithm besides all-reduce.";
  return chart;
}

std::string reasons_of(const json& algorithm) {
  const json reasons = value_at(algorithm, "/model/reasons");
  if (!reasons.is_array()) return "";
  return fmt::format("{}", fmt::join(reasons.get<std::vector<std::string>>(), "; "));
}

ReportChart model_chart(const json& document) {
  ReportChart chart{.id = "model",
                    .kind = "table",
                    .title = "The model without messages, compared with the simulation",
                    .table = {.columns = {{"algorithm", "algorithm"},
                                          {"model_s", "by the model", "s"},
                                          {"simulation_s", "simulated", "s"},
                                          {"difference_percent", "difference", "%"},
                                          {"validity", "validity of the model"},
                                          {"model_95_least_s", "model 95 % from", "s"},
                                          {"model_95_greatest_s", "to", "s"},
                                          {"simulation_95_least_s", "simulated 95 % from", "s"},
                                          {"simulation_95_greatest_s", "to", "s"},
                                          {"reasons", "what the model leaves out or assumes"}}}};
  for (const json& algorithm : document.at("algorithms")) {
    const json difference = value_at(algorithm, "/relative_difference");
    chart.table.add_row(
        {algorithm.at("label"), value_at(algorithm, "/model/iteration_time_s"),
         value_at(algorithm, "/simulation/iteration_time_s"),
         difference.is_null() ? json() : json(100 * difference.get<double>()),
         value_at(algorithm, "/model/validity"), value_at(algorithm, "/model/interval_95_s/0"),
         value_at(algorithm, "/model/interval_95_s/1"), value_at(algorithm, "/simulation/interval_95_s/0"),
         value_at(algorithm, "/simulation/interval_95_s/1"), reasons_of(algorithm)});
  }
  return chart;
}

/// The element whose number at `pointer` has the greatest measure; null if none has a number there.
template <typename Measure>
const json* greatest_by(const json& list, const char* pointer, const Measure& measure) {
  const json* greatest = nullptr;
  double most = 0;
  for (const json& element : list) {
    const json number = value_at(element, pointer);
    if (!number.is_number()) continue;
    const double own = measure(number.get<double>());
    if (greatest != nullptr && own <= most) continue;
    greatest = &element;
    most = own;
  }
  return greatest;
}

/// A gain and its causes as text: "250.0 ms an iteration, by overlap 120.0 ms, …".
std::string gain_text(const json& gain) {
  const auto signed_time = [&](const char* pointer) {
    const double seconds = value_at(gain, pointer).get<double>();
    return (seconds < 0 ? "−" : "") + time_text(std::abs(seconds));
  };
  const std::string text = signed_time("/gain_s") + " an iteration";
  if (!value_at(gain, "/parts_s").is_object()) return text + ", which is not divided";
  return fmt::format("{}, by overlap {}, by cheaper communication {}, by less waiting for slow workers {}",
                     text, signed_time("/parts_s/overlap"), signed_time("/parts_s/cheaper_communication"),
                     signed_time("/parts_s/insensitivity"));
}

std::vector<std::string> sentences_of(const json& document) {
  std::vector<std::string> sentences;
  const auto add = [&](const char* what, const json& element, const std::string& number) {
    sentences.push_back(fmt::format("{}: {}, {}.", what, element.at("label").get<std::string>(), number));
  };
  const auto time_at = [](const json& element, const char* pointer) {
    return time_text(value_at(element, pointer).get<double>());
  };
  const json& algorithms = document.at("algorithms");
  // Not by the model, whose time may be a lower bound: that does not show that an algorithm is fast.
  constexpr const char* simulated = "/simulation/iteration_time_s";
  if (const json* fastest = greatest_by(algorithms, simulated, std::negate<double>()))
    add("Fastest, as simulated", *fastest, time_at(*fastest, simulated) + " an iteration");
  constexpr const char* difference = "/relative_difference";
  if (const json* worst = greatest_by(algorithms, difference, [](double value) { return std::abs(value); })) {
    const double percent = 100 * value_at(*worst, difference).get<double>();
    const bool is_rounding = std::abs(percent) < 1e-6;
    add("Largest difference between model and simulation", *worst,
        is_rounding ? "0 %" : fmt::format("{:+.2g} %", percent));
  }
  const json gains = document.value("gains", json::array());
  if (const json* most = greatest_by(gains, "/gain_s", std::identity()))
    add("Greatest gain over all-reduce", *most, gain_text(*most));
  return sentences;
}

std::vector<ReportChart> charts_of(const json& document) {
  return {gain_chart(document), model_chart(document)};
}

}  // namespace

std::vector<ReportChart> model_charts(const std::filesystem::path& file, const SavedResult& beside) {
  return read_saved(file, expected, "/algorithms", [&](const json& document) {
    std::vector<ReportChart> charts = charts_of(document);
    for (ReportChart& chart : charts)
      chart = replaced_by_reason(std::move(chart), why_left_out(document, file, beside));
    return charts;
  });
}

Report model_report_page(const std::filesystem::path& file) {
  return read_saved(file, expected, "/algorithms", [](const json& document) {
    return Report{.title = document.at("scenario"),
                  .question = "What does the model predict, and where do gains over all-reduce come from?",
                  .answer = sentences_of(document),
                  .facts = {{"written by", "starling " + document.at("starling").get<std::string>()}},
                  .charts = charts_of(document)};
  });
}

}  // namespace starling

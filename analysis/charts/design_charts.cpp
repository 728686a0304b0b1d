#include "analysis/charts/design_charts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/charts/saved_document.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The column of a study's objective.
ReportColumn objective_column(const json& design) {
  const std::string objective = design.at("objective");
  if (objective == "throughput") return {"throughput_samples_per_s", "throughput", "samples/s"};
  std::string label = objective;
  std::ranges::replace(label, '_', ' ');
  return {objective + "_s", label, "s"};
}

/// The label of lower bounds, which for a throughput are of the time per sample.
std::string bound_label(const json& design) {
  const std::string objective = design.at("objective");
  if (objective == "throughput") return "lower bound per sample";
  return objective == "iteration_time" ? "lower bound of the iteration time"
                                       : "lower bound of the time to loss";
}

ReportTable empty_candidate_table(const json& design) {
  const std::string currency = design.at("prices").at("currency");
  const ReportColumn objective = objective_column(design);
  return {.columns = {{"network", "network"},
                      {"family", "family"},
                      {"algorithm", "algorithm"},
                      {"price", "price", currency},
                      {objective.name, objective.label, objective.unit},
                      {"interval_95_least", "95 % from", objective.unit},
                      {"interval_95_greatest", "to", objective.unit},
                      {"mean_iteration_s", "mean iteration", "s"},
                      {"bound_s", bound_label(design), "s"},
                      {"is_on_front", "on the Pareto front"},
                      {"state", "state"},
                      {"reason", "reason"},
                      {"workers", "workers"},
                      {"switches", "switches"},
                      {"power_W", "power", "W"}}};
}

ReportTable candidate_table(const json& design) {
  ReportTable table = empty_candidate_table(design);
  const json& front = design.at("front");
  const json& candidates = design.at("candidates");
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const json& candidate = candidates[i];
    const json& network = design.at("networks").at(candidate.at("network").get<std::size_t>());
    const json& interval = candidate.at("objective_interval_95");
    const bool is_on_front = std::ranges::find(front, json(i)) != front.end();
    table.add_row({network.at("name"), network.at("family"), candidate.at("algorithm"), network.at("price"),
                   candidate.at("objective"), interval.is_null() ? json() : interval.at(0),
                   interval.is_null() ? json() : interval.at(1), candidate.at("iteration_time_s"),
                   candidate.at("bound_s"), is_on_front ? "yes" : "no", candidate.at("state"),
                   candidate.at("reason").is_null() ? json("") : candidate.at("reason"),
                   network.at("workers"), network.at("switches"), network.at("power_W")});
  }
  return table;
}

ReportChart pareto_chart(const json& design) {
  ReportChart chart{.id = "pareto",
                    .kind = "pareto",
                    .title = "Price and performance",
                    .note =
                        "Candidates that were run, with 95 % intervals. The Pareto front has those that are "
                        "better than all that cost as much, and by the study's least_gain better than the "
                        "last one on it that costs less. Prices are those of the price list.",
                    .table = candidate_table(design)};
  const std::string objective = objective_column(design).name;
  chart.options = {
      {"x", "price"},
      {"y", objective},
      {"color", "algorithm"},
      {"target", design.at("target")},
      {"budget", design.at("budget")},
      {"dimensions", json::array()},
      {"figures", {"price", objective, "mean_iteration_s", "bound_s", "power_W", "workers", "switches"}}};
  for (const char* dimension : {"network", "family", "algorithm", "state", "is_on_front"})
    chart.options["dimensions"].push_back(dimension_of_texts(chart.table, dimension));
  if (design.at("front").empty()) {
    const auto answer = design.value("answer", std::vector<std::string>{});
    chart.blank = answer.empty() ? "No candidate could be run; design.csv says why." : answer.front();
  }
  return chart;
}

/// The version that wrote the file; earlier versions wrote it under the key starling_version.
std::string version_of(const json& design) {
  return design.at(design.contains("starling") ? "starling" : "starling_version");
}

Report report_of_design(const json& design) {
  const json& prices = design.at("prices");
  Report report{
      .title = design.at("study"),
      .question = fmt::format("Which network has the best {} for its price?", objective_column(design).label),
      .answer = design.value("answer", std::vector<std::string>{}),
      .facts = {{"candidates", fmt::format("{}", design.at("candidates").size())},
                {"networks", fmt::format("{}", design.at("networks").size())},
                {"seeds", design.at("seeds").dump()},
                {"prices", fmt::format("{} ({})", prices.at("name").get<std::string>(),
                                       prices.at("currency").get<std::string>())},
                {"written by", "starling " + version_of(design)}}};
  report.charts.push_back(pareto_chart(design));
  if (report.charts.front().is_blank()) return report;
  report.charts.push_back(explorer_of(report.charts.front(), "All candidates: filter, sort, choose axes"));
  return report;
}

}  // namespace

Report design_report(const std::filesystem::path& file) {
  return read_saved(file, "what starling design writes", "/candidates", report_of_design);
}

}  // namespace starling

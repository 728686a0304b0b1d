#include "analysis/charts/critical_path_charts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/critical_path/critical_path.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The most parts that are shown of each algorithm: a thousand ranks have several parts each.
constexpr std::size_t most_parts = 100;

bool has_path(const json& block) {
  const auto path = block.find("critical_path");
  return path != block.end() && !path->is_null();
}

bool is_path_too_long(const json& block) { return block.contains("critical_path") && !has_path(block); }

std::string why_there_is_none(const SavedResult& result) {
  if (std::ranges::any_of(blocks_of(result.document), is_path_too_long))
    return "An iteration has more steps than the critical path analysis keeps; use fewer workers.";
  if (result.is_measured()) return "Measurements do not record what a worker waited for.";
  return "The run recorded no critical paths; use starling run --critical-path.";
}

/// "rank 3", or, for jobs, whose ranks differ from the cluster's workers, "worker 6", as in timelines.
std::string name_of_rank(const json& part, const json& block, const json& blocks) {
  const auto rank = part.at("rank").get<std::size_t>();
  const std::string job = part.value("job", "");
  const auto other =
      std::ranges::find_if(blocks, [&](const json& each) { return !job.empty() && label_of(each) == job; });
  const json& owner = other == blocks.end() ? block : *other;
  if (!owner.contains("ranks")) return fmt::format("rank {}", rank);
  return fmt::format("worker {}", owner.at("ranks").at(rank).get<int>());
}

/// The name of a part: "compute of rank 3", "compute of worker 6 of another job", "link host4 -> leaf0",
/// "latency".
std::string name_of_part(const json& part, const json& block, const json& blocks) {
  if (part.contains("link")) return fmt::format("link {}", part.at("link").get<std::string>());
  const std::string on = part.at("spent_on");
  if (!part.contains("rank")) return on;
  const std::string job = part.contains("job") ? " of " + part.at("job").get<std::string>() : "";
  return fmt::format("{} of {}{}", on, name_of_rank(part, block, blocks), job);
}

double percent_of_iteration(double s, const json& path) {
  const double iteration_s = path.at("iteration_s");
  return iteration_s > 0 ? 100 * s / iteration_s : 0;
}

ReportChart spent_chart(const SavedResult& result) {
  ReportChart chart{
      .id = "critical_path",
      .kind = "breakdown",
      .title = "What an iteration had to wait for, step by step",
      .note = fmt::format(
          "The critical path: for each moment of an iteration, from its end back to its beginning, what the "
          "worker was waiting for. If a part took 1 % less time, the iteration would become shorter by 1 % "
          "of that part's time, unless messages then contended with others{}; if it took much less, the gain "
          "might be smaller, as other chains of activities may be nearly as long. Means over workers and "
          "counted iterations; link is transmission, and waiting behind other messages on it.",
          result.has_jobs() ? "" : " (--sensitivity shows it by further runs)"),
      .table = {.columns = {{result.owner(), result.owner()}, {"iteration_time_s", "mean iteration", "s"}}}};
  for (const char* name : spent_on_names) {
    chart.table.columns.push_back({fmt::format("{}_s", name), name, "s"});
    chart.options["parts"].push_back(fmt::format("{}_s", name));
  }
  for (const json& block : blocks_of(result.document)) {
    if (!has_path(block)) continue;
    const json& path = block.at("critical_path");
    std::vector<json> row{label_of(block), path.at("iteration_s")};
    for (const char* name : spent_on_names) row.push_back(path.at("spent_s").at(name));
    chart.table.add_row(std::move(row));
  }
  return chart;
}

ReportChart parts_chart(const SavedResult& result) {
  ReportChart chart{.id = "critical_parts",
                    .kind = "ranking",
                    .title = result.has_jobs() ? "Which workers and links it had to wait for the longest"
                                               : "Which ranks and links it had to wait for the longest",
                    .table = {.columns = {{result.owner(), result.owner()},
                                          {"part", "part"},
                                          {"spent_on", "spent on"},
                                          {"time_s", "time of an iteration", "s"},
                                          {"share_percent", "share", "%"}}}};
  std::size_t all = 0;
  for (const json& block : blocks_of(result.document)) {
    if (!has_path(block)) continue;
    const json& path = block.at("critical_path");
    const json& parts = path.at("parts");
    all = std::max(all, parts.size());
    for (std::size_t i = 0; i < std::min(most_parts, parts.size()); ++i)
      chart.table.add_row({label_of(block), name_of_part(parts[i], block, blocks_of(result.document)),
                           parts[i].at("spent_on"), parts[i].at("s"),
                           percent_of_iteration(parts[i].at("s"), path)});
  }
  if (all > most_parts)
    chart.note = fmt::format("The {} greatest of up to {}; all are in result.json.", most_parts, all);
  if (result.has_jobs())
    chart.note += fmt::format(
        "{}Workers are numbered as in the cluster, like in the timeline; result.json has each job's own "
        "ranks.",
        chart.note.empty() ? "" : " ");
  chart.options = {{"value", "time_s"}, {"share", "share_percent"}, {"name", "part"}, {"color", "spent_on"}};
  return chart;
}

}  // namespace

std::vector<ReportChart> critical_path_charts(const SavedResult& result) {
  std::vector<ReportChart> charts{spent_chart(result), parts_chart(result)};
  if (charts.front().table.rows() == 0) {
    charts.pop_back();  // empty for the same reason
    charts.front().blank = why_there_is_none(result);
  } else if (charts.back().table.rows() == 0) {
    charts.back().blank = "Iterations took no time.";
  }
  return charts;
}

std::string critical_path_sentence(const json& block) {
  if (!has_path(block)) return "";
  const json& path = block.at("critical_path");
  const json& spent_s = path.at("spent_s");
  const std::string greatest = *std::ranges::max_element(
      spent_on_names, {}, [&](const char* name) { return spent_s.at(name).get<double>(); });
  if (path.at("parts").empty()) return "";
  const json& part = path.at("parts").front();
  const std::string part_name = name_of_part(part, block, json::array());
  std::string sentence = fmt::format("On its critical path, {:.1f} % is {}",
                                     percent_of_iteration(spent_s.at(greatest), path), greatest);
  if (part_name != greatest)
    sentence += fmt::format("; the greatest part is {}, {:.1f} %", part_name,
                            percent_of_iteration(part.at("s"), path));
  return sentence + ".";
}

}  // namespace starling

#include "analysis/charts/result_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "analysis/charts/result_facts.hpp"
#include "analysis/results/metrics.hpp"
#include "io/json/json_text.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// A column of what --uncertainty adds: intervals of the prediction, and the range that ties decide.
struct PredictionColumn {
  const char* pointer;
  ReportColumn column;
};
const std::array prediction_columns{
    PredictionColumn{"/interval_90_s/0", {"prediction_90_least_s", "prediction: 90 % from", "s"}},
    PredictionColumn{"/interval_90_s/1", {"prediction_90_greatest_s", "to", "s"}},
    PredictionColumn{"/decided_by_ties/0", {"ties_least_s", "depending on ties: from", "s"}},
    PredictionColumn{"/decided_by_ties/1", {"ties_greatest_s", "to", "s"}}};

/// Adds those of these columns that any block has; values that a block lacks are null.
void add_predictions(ReportTable& table, const json& blocks) {
  for (const PredictionColumn& prediction : prediction_columns) {
    std::vector<json> values;
    for (const json& block : blocks) values.push_back(value_at(block, prediction.pointer));
    if (std::ranges::all_of(values, [](const json& value) { return value.is_null(); })) continue;
    table.columns.push_back(prediction.column);
    table.values.push_back(std::move(values));
  }
}

ReportTable empty_time_table(const std::string& owner, bool has_jobs) {
  ReportTable table{.columns = {{owner, owner},
                                {"iteration_time_s", "mean iteration", "s"},
                                {"interval_95_least_s", "95 % from", "s"},
                                {"interval_95_greatest_s", "to", "s"}}};
  if (has_jobs) table.columns.push_back({"alone_s", "mean iteration, job alone", "s"});
  for (const BreakdownPart& part : breakdown_parts)
    table.columns.push_back({fmt::format("{}_s", part.key), part.chart_label, "s"});
  table.columns.push_back({"standard_deviation_s", "std of iterations", "s"});
  table.columns.push_back({"iteration_time_p5_s", "5th percentile", "s"});
  table.columns.push_back({"iteration_time_p95_s", "95th percentile", "s"});
  table.columns.push_back({"throughput_samples_per_s", "throughput", "samples/s"});
  table.columns.push_back({"bytes_per_worker_per_iteration_B", "sent per worker and iteration", "B"});
  table.columns.push_back({has_jobs ? "slowdown" : "speedup", has_jobs ? "slow-down" : "speed-up", "×"});
  if (has_jobs) return table;
  table.columns.push_back({"speedup_95_least", "95 % from", "×"});
  table.columns.push_back({"speedup_95_greatest", "to", "×"});
  return table;
}

std::vector<json> time_row(const json& block, bool has_jobs) {
  const json& time = block.at("iteration_time_s");
  std::vector<json> row{label_of(block), time.at("mean"), value_at(block, "/interval_95_s/0"),
                        value_at(block, "/interval_95_s/1")};
  if (has_jobs) row.push_back(value_at(block, "/alone/iteration_time_s/mean"));
  for (const BreakdownPart& part : breakdown_parts) row.push_back(block.at("breakdown_s").at(part.key));
  for (const char* key : {"std", "p5", "p95"}) row.push_back(time.at(key));
  row.push_back(block.at("throughput_samples_per_s"));
  row.push_back(block.at("traffic").at("bytes_per_worker_per_iteration"));
  row.push_back(value_at(block, has_jobs ? "/slowdown" : "/speedup"));
  if (has_jobs) return row;
  row.push_back(value_at(block, "/speedup_interval_95/0"));
  row.push_back(value_at(block, "/speedup_interval_95/1"));
  return row;
}

ReportChart time_chart(const SavedResult& result) {
  const bool is_of_jobs = result.has_jobs();
  ReportChart chart{.id = "iteration_time",
                    .kind = "breakdown",
                    .title = "Time of an iteration, and what it consists of",
                    .note =
                        "Means over workers and counted iterations; the whisker is the 95 % interval of the "
                        "mean (sampling error only).",
                    .table = empty_time_table(result.owner(), is_of_jobs)};
  if (is_of_jobs) chart.note += " The diamond is the iteration time of the job alone on the network.";
  const json& blocks = blocks_of(result.document);
  for (const json& block : blocks) chart.table.add_row(time_row(block, is_of_jobs));
  if (chart.table.rows() == 0) chart.blank = "No algorithm was run.";
  add_predictions(chart.table, blocks);
  if (std::ranges::any_of(blocks, [](const json& block) { return block.contains("interval_90_s"); }))
    chart.note +=
        " The dashed line below is the 90 % interval of the prediction, over other seeds and other draws of "
        "the quantities with a relative_error.";
  for (const BreakdownPart& part : breakdown_parts)
    chart.options["parts"].push_back(fmt::format("{}_s", part.key));
  return chart;
}

/// A histogram in the `participation` of blocks, a list of pairs of value and count.
struct PairHistogram {
  const char* id;
  const char* key;
  const char* title;
  const char* value_label;
  const char* count_label;
};
constexpr std::array participation_histograms{
    PairHistogram{.id = "active_workers",
                  .key = "active_workers",
                  .title = "How many workers contributed work of the operation's own iteration",
                  .value_label = "active workers",
                  .count_label = "operations"},
    PairHistogram{.id = "staleness",
                  .key = "staleness_iterations",
                  .title = "How old contributed work was",
                  .value_label = "age (iterations)",
                  .count_label = "contributions"}};

void add_pairs(ReportTable& table, const std::string& label, const json& pairs) {
  double all = 0;
  for (const json& pair : pairs) all += pair.at(1).get<double>();
  for (const json& pair : pairs)
    table.add_row({label, pair.at(0), pair.at(1), all > 0 ? 100 * pair.at(1).get<double>() / all : 0.0});
}

ReportChart histogram_chart(const SavedResult& result, const PairHistogram& histogram) {
  ReportChart chart{
      .id = histogram.id, .kind = "histogram", .title = histogram.title + of_first_seed(result)};
  const std::string owner = result.owner();
  chart.table.columns = {{owner, owner},
                         {histogram.key, histogram.value_label},
                         {"count", histogram.count_label},
                         {"share_percent", "share", "%"}};
  for (const json& block : blocks_of(result.document))
    if (const json& participation = block.at("participation"); participation.contains(histogram.key))
      add_pairs(chart.table, label_of(block), participation.at(histogram.key));
  if (chart.table.rows() == 0)
    chart.blank =
        fmt::format("In each {} of this result, all workers wait for all others in every iteration.", owner);
  return chart;
}

/// A figure of learning that is drawn over simulated time.
struct LearningCourse {
  const char* key;
  const char* label;
  const char* title;
};
constexpr LearningCourse loss_course{"loss", "loss", "Loss against simulated time"};
constexpr LearningCourse distance_course{"consensus_distance", "squared distance from the mean model",
                                         "How far the workers' models are apart"};

ReportChart course_chart(const SavedResult& result, const LearningCourse& course) {
  ReportChart chart{.id = course.key, .kind = "lines", .title = course.title + of_first_seed(result)};
  const std::string owner = result.owner();
  chart.table.columns = {{owner, owner},
                         {"time_s", "simulated time", "s"},
                         {"iteration", "iteration"},
                         {course.key, course.label}};
  for (const json& block : blocks_of(result.document)) {
    const json learning = value_at(block, "/learning");
    if (learning.is_null()) continue;
    for (const json& row : learning.at(course.key))
      chart.table.add_row({label_of(block), row.at(0), row.at(1), row.at(2)});
    if (course.key == loss_course.key) chart.options["target"] = learning.at("target_loss");
  }
  chart.options.update({{"x", "time_s"}, {"y", course.key}, {"color", owner}});
  return chart;
}

}  // namespace

Report result_report(const SavedResult& result) {
  Report report{.title = name_of(result),
                .question = question_of(result),
                .answer = answer_of(result),
                .facts = facts_of(result)};
  report.charts.push_back(time_chart(result));
  for (const PairHistogram& histogram : participation_histograms)
    report.charts.push_back(histogram_chart(result, histogram));
  report.charts.push_back(course_chart(result, loss_course));
  if (report.charts.back().table.rows() == 0)
    report.charts.back().blank = "The scenario has no `learning`, so that workers computed no gradients.";
  else
    report.charts.push_back(course_chart(result, distance_course));
  return report;
}

}  // namespace starling

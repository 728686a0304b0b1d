#include "analysis/report/timeline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>

#include "analysis/report/saved_trace.hpp"
#include "analysis/studies/sweep_figures.hpp"

namespace starling {
namespace {

/// Of all workers and runs together; a browser draws about as many at once.
constexpr std::size_t most_spans = 24'000;

struct WorkerOfRun {
  std::string label;
  int worker = 0;
};

/// "ddp · worker 3 (host 1)", or "worker 3 (host 1)" if there is one run only.
WorkerOfRun worker_of(const std::string& process, const std::string& only_label) {
  const std::string mark = "worker ";
  const std::size_t place = process.rfind(mark);
  if (place == std::string::npos) return {.label = process};
  WorkerOfRun result{.label = only_label};
  const char* const number = process.data() + place + mark.size();
  std::from_chars(number, process.data() + process.size(), result.worker);
  const std::string_view between = " · ";
  if (place >= between.size()) result.label = process.substr(0, place - between.size());
  return result;
}

std::size_t most_spans_of_process(const SavedResult& result) {
  std::size_t processes = 0;
  for (const nlohmann::json& block : blocks_of(result.document))
    processes += block.at("workers").get<std::size_t>();
  return std::max<std::size_t>(20, most_spans / std::max<std::size_t>(1, processes));
}

std::string note_of(const SavedTrace& trace) {
  std::string note = fmt::format("Iteration {}, counted from 0; time from where its first worker begins it.",
                                 trace.iteration);
  if (trace.left_out > 0)
    note += fmt::format(
        " {} things are left out, the shortest messages first; all are in trace.json, which ui.perfetto.dev "
        "opens.",
        trace.left_out);
  return note;
}

/// When the iteration began in each run.
std::map<std::string, double> beginnings_s(const SavedTrace& trace, const std::string& only_label) {
  std::map<std::string, double> begin_s;
  for (const SavedSpan& span : trace.spans) {
    double& begin =
        begin_s.try_emplace(worker_of(span.process, only_label).label, span.start_s).first->second;
    begin = std::min(begin, span.start_s);
  }
  return begin_s;
}

ReportTable span_table(const SavedTrace& trace, const std::string& only_label) {
  ReportTable table{.columns = {{"algorithm", "algorithm"},
                                {"worker", "worker"},
                                {"track", "track"},
                                {"name", "what"},
                                {"start_s", "start", "s"},
                                {"duration_s", "duration", "s"}}};
  const std::map<std::string, double> begin_s = beginnings_s(trace, only_label);
  for (const SavedSpan& span : trace.spans) {
    const WorkerOfRun worker = worker_of(span.process, only_label);
    table.add_row({worker.label, worker.worker, span.track, span.name,
                   span.start_s - begin_s.at(worker.label), span.end_s - span.start_s});
  }
  return table;
}

}  // namespace

ReportChart timeline_chart(const SavedResult& result) {
  ReportChart chart{.id = "timeline", .kind = "timeline", .title = "What workers do in one iteration"};
  const std::filesystem::path file = result.file.parent_path() / "trace.json";
  if (!std::filesystem::exists(file)) {
    chart.blank = "The run kept no timeline; starling run --trace does.";
    return chart;
  }
  const nlohmann::json& blocks = blocks_of(result.document);
  const std::string only_label = blocks.size() == 1 ? label_of(blocks.front()) : "all jobs";
  const std::int64_t warmup = result.scenario.value("warmup_iterations", std::int64_t{0});
  const SavedTrace trace = read_trace(file, warmup, most_spans_of_process(result));
  chart.note = note_of(trace);
  chart.table = span_table(trace, only_label);
  return chart;
}

}  // namespace starling

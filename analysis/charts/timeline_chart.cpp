#include "analysis/charts/timeline_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "analysis/charts/saved_document.hpp"
#include "analysis/charts/saved_trace.hpp"
#include "analysis/results/files/trace_json.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// The most spans of all workers and runs together: each takes about 25 bytes of the page. The browser draws
/// those of eight workers.
constexpr std::size_t most_spans = 96'000;

/// The job of each of the cluster's workers.
std::map<int, std::string> jobs_of_workers(const json& document) {
  std::map<int, std::string> jobs;
  for (const json& job : document.at("jobs"))
    for (const json& worker : job.at("ranks")) jobs[worker] = label_of(job);
  return jobs;
}

/// The owner of a process "ddp · worker 3 (host 1)", or "worker 3 (host 1)" if there is only one run.
TraceProcess process_of_run(const std::string& name, int worker, const json& document) {
  const std::string_view between = " · worker ";
  if (const std::size_t place = name.rfind(between); place != std::string::npos)
    return {.label = name.substr(0, place), .worker = worker};
  return {.label = label_of(blocks_of(document).at(0)), .worker = worker};
}

std::optional<TraceProcess> process_of(const std::string& name, const json& document,
                                       const std::map<int, std::string>& jobs) {
  // Processes of critical paths and links end otherwise, even if the label in front names a worker.
  if (!name.ends_with(')')) return std::nullopt;
  const std::optional<int> worker = number_after<int>(name, "worker ");
  if (!worker) return std::nullopt;
  if (jobs.empty()) return process_of_run(name, *worker, document);
  const auto job = jobs.find(*worker);
  if (job == jobs.end()) return std::nullopt;
  return TraceProcess{.label = job->second, .worker = *worker};
}

/// The counted iterations of a run or a job.
CountedIterations counted_of(const SavedResult& result, const std::string& label) {
  const json& blocks = blocks_of(result.document);
  const auto block = std::ranges::find(blocks, label, label_of);
  if (block == blocks.end()) return {};
  const json& of_job = result.scenario.contains("jobs")
                           ? result.scenario.at("jobs").at(static_cast<std::size_t>(block - blocks.begin()))
                           : result.scenario;
  const std::int64_t warmup = of_job.value("warmup_iterations", std::int64_t{0});
  return {.first = warmup, .end = warmup + block->at("iterations").get<std::int64_t>()};
}

std::size_t most_spans_of_process(const json& blocks) {
  std::size_t processes = 0;
  for (const json& block : blocks) processes += block.at("workers").get<std::size_t>();
  return std::max<std::size_t>(20, most_spans / std::max<std::size_t>(1, processes));
}

/// A sentence on the messages of the iteration that the timeline lacks; empty if it has all.
std::string missing_messages_text(const SavedIteration& iteration) {
  if (!iteration.messages_until_s || *iteration.messages_until_s >= iteration.end_s) return "";
  const double until_s = *iteration.messages_until_s - iteration.begin_s;
  return fmt::format(
      " Its messages{} are not in trace.json, which has too many: a trace of fewer iterations or workers "
      "(--trace-iterations, --trace-workers) has them.",
      until_s > 0 ? fmt::format(" after {}", time_text(until_s)) : "");
}

std::string note_of(const SavedIteration& iteration) {
  std::string note = fmt::format("Iteration {}, counted from 0.", iteration.iteration);
  note += missing_messages_text(iteration);
  if (iteration.left_out > 0)
    note += fmt::format(
        " {} spans are left out, the shortest messages first; all are in trace.json, which ui.perfetto.dev "
        "opens.",
        iteration.left_out);
  return note;
}

/// The notes of every run or job, including those of which nothing can be shown.
json notes_of(const SavedTrace& trace, const json& blocks) {
  json notes = json::object();
  for (const json& block : blocks) {
    const auto found = trace.iterations.find(label_of(block));
    notes[label_of(block)] = found == trace.iterations.end()
                                 ? "Nothing to draw: trace.json has no whole iteration of it."
                                 : note_of(found->second);
  }
  return notes;
}

/// The name of a track without the job that it contains: "communication (2)" for "communication of vision
/// (2)".
std::string track_text(const SavedSpan& span) {
  const std::string of_job = " of " + span.process.label;
  const std::size_t place = span.track.rfind(of_job);
  if (place == std::string::npos) return span.track;
  const std::string number = span.track.substr(place + of_job.size());
  return number.empty() || number.starts_with(" (") ? span.track.substr(0, place) + number : span.track;
}

ReportTable span_table(const SavedTrace& trace, const std::string& owner) {
  ReportTable table{.columns = {{owner, owner},
                                {"worker", "worker"},
                                {"track", "track"},
                                {"name", "what"},
                                {"start_s", "start", "s"},
                                {"duration_s", "duration", "s"}}};
  for (const SavedSpan& span : trace.spans) {
    const std::string& label = span.process.label;
    table.add_row({label, span.process.worker, track_text(span), span.name,
                   span.start_s - trace.iterations.at(label).begin_s, span.end_s - span.start_s});
  }
  return table;
}

SavedTrace read_trace_of(const SavedResult& result, const std::filesystem::path& file) {
  const json& document = result.document;
  const std::map<int, std::string> jobs =
      result.has_jobs() ? jobs_of_workers(document) : std::map<int, std::string>{};
  return read_trace(file,
                    {.process_of = [&](const std::string& name) { return process_of(name, document, jobs); },
                     .counted_of = [&](const std::string& label) { return counted_of(result, label); },
                     .most_spans = most_spans_of_process(blocks_of(document))});
}

}  // namespace

ReportChart timeline_chart(const SavedResult& result) {
  ReportChart chart{.id = "timeline",
                    .kind = "timeline",
                    .title = "What workers do in one iteration",
                    .note = "Time from where the first worker begins the iteration."};
  const std::filesystem::path file = result.file.parent_path() / "trace.json";
  if (!std::filesystem::exists(file)) {
    chart.blank = "The run recorded no timeline; use starling run --trace.";
    return chart;
  }
  if (const std::string reason = why_left_out(other_data_of_trace(file), file, result); !reason.empty())
    return replaced_by_reason(std::move(chart), reason);
  if (result.has_jobs()) chart.note += " Each job's own iteration; workers are numbered as in the cluster.";
  const SavedTrace trace = read_trace_of(result, file);
  chart.table = span_table(trace, result.owner());
  chart.options["notes"] = notes_of(trace, blocks_of(result.document));
  return chart;
}

}  // namespace starling

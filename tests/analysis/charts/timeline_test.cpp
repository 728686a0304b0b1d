#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/charts/saved_trace.hpp"
#include "analysis/report/report.hpp"
#include "tests/analysis/charts/forward_times.hpp"
#include "tests/analysis/charts/report_tables.hpp"
#include "tests/analysis/running/program.hpp"
#include "tests/analysis/running/scenario_text.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using nlohmann::json;

/// Builds the text of a Chrome trace event by event. Processes are named after their runs; tid 1 holds spans,
/// tid 2 messages.
class HandMadeTrace {
 public:
  HandMadeTrace& process(int number, const std::string& run) {
    return add(fmt::format(R"({{"ph":"M","pid":{},"tid":0,"name":"process_name","args":{{"name":"{}"}}}})",
                           number, run));
  }
  HandMadeTrace& track(int number, int track, const std::string& name) {
    return add(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
                           number, track, name));
  }
  HandMadeTrace& span(int number, int iteration, int start_us, int duration_us, const std::string& name) {
    return add(fmt::format(
        R"({{"ph":"X","pid":{},"tid":1,"ts":{}.000,"dur":{}.000,"name":"{}","args":{{"iteration":{}}}}})",
        number, start_us, duration_us, name, iteration));
  }
  HandMadeTrace& message(int number, int iteration, int start_us, int duration_us) {
    return add(
        fmt::format(R"({{"ph":"X","pid":{},"tid":2,"cat":"message","ts":{}.000,"dur":{}.000,"name":"to 1",)"
                    R"("args":{{"bytes":8,"iteration":{}}}}})",
                    number, start_us, duration_us, iteration));
  }
  HandMadeTrace& add(const std::string& line) {
    text_ += (text_.ends_with("[") ? "\n" : ",\n") + line;
    return *this;
  }
  std::string text() const { return text_ + "\n]}\n"; }

 private:
  std::string text_ = R"({"displayTimeUnit":"ms","traceEvents":[)";
};

/// Reads `text` as a trace in which iterations 2 to 8 are counted, and of which each process keeps at most
/// `most_spans` spans.
SavedTrace read_text(const ScratchFolder& folder, const std::string& text, std::size_t most_spans = 100) {
  folder.write("trace.json", text);
  return read_trace(folder.path() / "trace.json", {.process_of =
                                                       [](const std::string& name) {
                                                         return TraceProcess{name, 0};
                                                       },
                                                   .counted_of =
                                                       [](const std::string&) {
                                                         return CountedIterations{2, 9};
                                                       },
                                                   .most_spans = most_spans});
}

SavedTrace read_text(const std::string& text, std::size_t most_spans = 100) {
  const ScratchFolder folder;
  return read_text(folder, text, most_spans);
}

std::string names_of(const SavedTrace& trace) {
  std::string names;
  for (const SavedSpan& span : trace.spans) names += span.name;
  return names;
}

TEST_CASE(
    "a timeline that is malformed, is cut off or has no iteration is refused with the line of the error") {
  const ScratchFolder folder;
  const auto error = [&](const std::string& text) {
    return error_of(folder.path(), [&] { read_text(folder, text); });
  };
  CHECK(error("").starts_with("trace.json: the file has no timeline"));
  CHECK(error("[1]\n").starts_with("trace.json: line 1: not a line of a timeline"));
  CHECK(error(std::string(79, 'x') + "éé\n").find(std::string(79, 'x') + "…") != std::string::npos);
  HandMadeTrace trace;
  CHECK(error(trace.text()).starts_with("trace.json: no iteration is in the timelines"));
  trace.process(1, "ddp").span(1, 3, 0, 5, "forward");
  CHECK(error(trace.text()) == "no error");
  const std::string text = trace.text();
  CHECK(error(text.substr(0, text.size() - 3)).starts_with("trace.json: the timeline is incomplete"));
  CHECK(error(trace.add(R"({"ph":"X","pid":1,"ts":x,"iteration":3})").text())
            .starts_with("trace.json: line 4: not a line of a timeline"));
  CHECK(error(HandMadeTrace().add(R"({"ph":"M","pid":1,"name":"process_name"})").text())
            .starts_with("trace.json: line 2: not a line of a timeline"));
}

TEST_CASE("a timeline of a measurement, whose spans have no iteration number, shows no iteration") {
  HandMadeTrace trace;
  trace.process(1, "ddp").track(1, 1, "main");
  trace.add(R"({"ph":"X","pid":1,"tid":1,"ts":0.000,"dur":5.000,"name":"forward"})");
  CHECK(read_text(trace.text()).iterations.empty());
}

TEST_CASE("of a timeline the longest spans of each process are kept") {
  HandMadeTrace text;
  text.process(1, "ddp");
  for (int i = 1; i <= 6; ++i) text.span(1, 3, 10 * i, i % 4, fmt::format("s{}", i));
  const SavedTrace trace = read_text(text.text(), 3);
  CHECK(names_of(trace) == "s2s3s6");  // 2, 3, 2 µs; s4 has no length and is not counted as left out
  CHECK(trace.iterations.at("ddp").left_out == 2);
  CHECK(trace.iterations.at("ddp").begin_s == about(10e-6));
}

TEST_CASE("spans of computing are kept before messages, and of equally long spans the first are kept") {
  HandMadeTrace text;
  text.process(1, "ddp").track(1, 2, "sends").message(1, 3, 1, 90);
  for (const char* name : {"a", "b", "c"}) text.span(1, 3, 1, 5, name);
  text.span(1, 3, 1, 50, "w");
  CHECK(names_of(read_text(text.text(), 3)) == "abw");
}

TEST_CASE("every run shows the middle one of its iterations that are complete and counted") {
  HandMadeTrace text;
  text.process(1, "ddp").process(2, "ddp").process(3, "sgp").process(4, "nobody's, which has no spans");
  for (int i = 0; i <= 10; ++i) text.span(1, i, 10 * i, 5, fmt::format("d{} ", i));
  for (int i = 0; i <= 6; ++i) text.span(2, i, 10 * i + 2, 5, fmt::format("e{} ", i));
  for (int i = 0; i <= 10; ++i) text.span(3, i, 7 * i, 5, fmt::format("s{} ", i));
  const SavedTrace trace = read_text(text.text());
  CHECK(trace.iterations.at("ddp").iteration == 4);  // of 2 … 6
  CHECK(trace.iterations.at("sgp").iteration == 5);  // of 2 … 8
  CHECK(names_of(trace) == "d4 e4 s5 ");
  CHECK(trace.iterations.at("ddp").begin_s == about(40e-6));
  CHECK(trace.iterations.at("sgp").begin_s == about(35e-6));
  CHECK(trace.iterations.size() == 2);
}

TEST_CASE("a process that is named again keeps its name") {
  HandMadeTrace text;
  text.process(1, "ddp").span(1, 3, 0, 5, "d").process(1, "sgp").span(1, 3, 5, 5, "e");
  const SavedTrace trace = read_text(text.text());
  CHECK(trace.iterations.size() == 1);
  CHECK(trace.iterations.at("ddp").end_s == about(10e-6));
  CHECK(names_of(trace) == "de");
}

TEST_CASE("where recording of messages stops, an iteration with all its messages is preferred") {
  const auto iteration_with_messages_to = [](int last, bool is_cut_off) {
    HandMadeTrace text;
    text.process(1, "ddp").track(1, 2, "sends");
    for (int i = 0; i <= 8; ++i) text.span(1, i, 10 * i, 5, "forward");
    for (int i = 0; i <= last; ++i) text.message(1, i, 10 * i, 5);
    if (is_cut_off)
      text.add(R"({"ph":"M","pid":1,"tid":0,"name":"process_labels","args":{"messages_until_s":3.2e-5}})");
    return read_text(text.text()).iterations.at("ddp");
  };
  CHECK(iteration_with_messages_to(8, false).iteration == 5);
  CHECK(iteration_with_messages_to(5, false).iteration ==
        3);  // the middle of 2, 3, 4, 5: later iterations have no message although recording goes on
  CHECK(iteration_with_messages_to(4, true).iteration == 2);  // the middle of 2, 3: iteration 4 may lack some
  CHECK(iteration_with_messages_to(1, true).iteration == 5);  // no counted iteration has all messages
  CHECK(iteration_with_messages_to(-1, false).iteration == 5);
  CHECK_FALSE(iteration_with_messages_to(8, false).messages_until_s);
  CHECK(iteration_with_messages_to(4, true).messages_until_s == 3.2e-5);
  CHECK(iteration_with_messages_to(4, true).end_s == about(25e-6));
}

TEST_CASE("a run whose label mentions a worker is not taken for a critical path") {
  const ScratchFolder folder;
  folder.write("base.json", scenario_text("base", 4, 1, "ddp"));
  REQUIRE(run_program(folder.path(),
                      "run base.json --trace --critical-path --out run --quiet --set "
                      "'/algorithms/1/label=\"but for worker 9\"'")
              .exit_code == 0);
  const Report report = report_of(folder.path() / "run");
  const ReportChart& chart = chart_named(report, "timeline");
  std::map<std::string, std::set<int>> workers;
  for (std::size_t row = 0; row < chart.table.rows(); ++row)
    workers[column_of(chart, "algorithm")[row]].insert(column_of(chart, "worker")[row].get<int>());
  const std::set<int> all{0, 1, 2, 3};
  CHECK(workers == std::map<std::string, std::set<int>>{{"allreduce", all}, {"but for worker 9", all}});
}

TEST_CASE("a run without a complete iteration has no timeline") {
  HandMadeTrace text;
  text.process(1, "ddp").process(2, "sgp").process(3, "sgp");
  text.span(1, 3, 0, 5, "d").span(2, 3, 0, 5, "s").span(3, 4, 0, 5, "s");
  const SavedTrace trace = read_text(text.text());
  CHECK(trace.iterations.size() == 1);
  CHECK(names_of(trace) == "d");
}

constexpr const char* jobs_text = R"json({
  "name": "two-jobs", "iterations": 9, "warmup_iterations": 2,
  "cluster": {"workers": 5, "transport": "ideal",
              "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "jobs": [
    {"name": "quick", "ranks": [4, 1], "repeat": true, "algorithm": {"kind": "allreduce"},
     "workload": {"model": "resnet50", "batch_size": 8, "compute": {"forward": "4ms", "backward": "8ms"},
                  "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.2}}},
    {"name": "slow", "ranks": [0, 3], "iterations": 5, "warmup_iterations": 1,
     "algorithm": {"kind": "dpsgd", "graph": "ring"}, "start": "50ms",
     "workload": {"model": "resnet50", "batch_size": 8, "compute": {"forward": "40ms", "backward": "80ms"},
                  "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.2}}}]})json";

/// Timelines hold whole nanoseconds: 1 ns of 1 ms, less than the shortest forward pass here.
constexpr double rounding_to_ns = 1e-6;

/// The forward time in seconds of a job's rank in an iteration, from iterations.csv; −1 if there is none.
double forward_s(const std::filesystem::path& folder, const std::string& job, int wanted_rank,
                 int wanted_iteration) {
  for (const ForwardTime& time : forward_times(folder))
    if (time.label == job && time.worker == wanted_rank && time.iteration == wanted_iteration)
      return time.forward_s;
  return -1;
}

TEST_CASE("each of several jobs has a timeline of its own, of its own iteration and workers") {
  const ScratchFolder folder;
  folder.write("jobs.json", jobs_text);
  REQUIRE(run_program(folder.path(), "run jobs.json --out run --trace --links --quiet").exit_code == 0);
  const Report report = report_of(folder.path() / "run");
  const ReportChart& chart = chart_named(report, "timeline");
  CHECK(chart.options.at("notes").at("quick").get<std::string>().starts_with("Iteration 5, "));  // of 2 … 8
  CHECK(chart.options.at("notes").at("slow").get<std::string>().starts_with("Iteration 2, "));   // of 1 … 4
  std::map<std::string, std::set<int>> workers;
  std::map<std::string, double> begin_s;
  for (std::size_t row = 0; row < chart.table.rows(); ++row) {
    const std::string job = column_of(chart, "job")[row];
    const int worker = column_of(chart, "worker")[row];
    workers[job].insert(worker);
    const double start_s = column_of(chart, "start_s")[row];
    begin_s[job] = std::min(begin_s.try_emplace(job, start_s).first->second, start_s);
    if (column_of(chart, "name")[row] != "forward") continue;
    CHECK(column_of(chart, "track")[row] == "main");
    const int rank = worker == 4 || worker == 0 ? 0 : 1;
    CHECK(column_of(chart, "duration_s")[row].get<double>() ==
          about(forward_s(folder.path() / "run", job, rank, job == "quick" ? 5 : 2), rounding_to_ns));
  }
  CHECK(workers == std::map<std::string, std::set<int>>{{"quick", {1, 4}}, {"slow", {0, 3}}});
  CHECK(begin_s == std::map<std::string, double>{{"quick", 0.0}, {"slow", 0.0}});
  const ReportTable& of_links = chart_named(report, "links").table;
  CHECK(of_links.columns[0].label == "of");
  // Jobs have no common iterations, so links have no bytes or bounds per iteration.
  for (const char* of_iterations : {"bytes_per_iteration", "bound_s"})
    CHECK(std::ranges::find(of_links.columns, of_iterations, &ReportColumn::name) == of_links.columns.end());
  for (const char* id : {"iteration_time", "active_workers", "staleness"})
    CHECK(chart_named(report, id).table.columns[0].name == "job");
}

}  // namespace
}  // namespace starling

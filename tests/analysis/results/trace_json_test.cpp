#include "analysis/results/trace_json.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "trace_checks.hpp"

namespace starling {
namespace {

constexpr std::array<int, 3> hosts{0, 0, 1};

constexpr const char* one_span_text = R"json({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"worker 0 (host 0)"}},
{"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"main"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":1,"tid":1,"ts":500000.000,"dur":1.500,"name":"forward"}
]}
)json";

TEST_CASE("A timeline is Chrome's trace format, in microseconds") {
  const TemporaryFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", std::array{0});
  trace.span(0, "main", "forward", 0.5, 0.5000015, {});
  trace.close();
  CHECK(contents_of(folder.path() / "trace.json") == one_span_text);
}

TEST_CASE("Every worker of every run is a process of its own, named after both") {
  const TemporaryFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2);
  trace.begin_run("ddp", hosts);
  trace.begin_run("dear", hosts);
  trace.span(2, "main", "forward", 0, 1, {});
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.processes.size() == 6);
  CHECK(read.processes.at(3) == "ddp · worker 2 (host 1)");
  CHECK(read.processes.at(4) == "dear · worker 0 (host 0)");
  CHECK(read.spans.at({6, 1}).front().name == "forward");
}

TEST_CASE("Every strand of a worker is a track of its own") {
  const TemporaryFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", hosts);
  trace.span(0, "main", "forward", 0, 1, {});
  trace.span(0, "communication", "bucket 0", 0, 1, {});
  trace.span(0, "main", "backward", 1, 2, {});
  trace.span(1, "communication", "bucket 0", 0, 1, {});
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.tracks.at({1, 1}) == "main");
  CHECK(read.tracks.at({1, 2}) == "communication");
  CHECK(read.tracks.at({2, 1}) == "communication");
  CHECK(read.tracks.size() == 3);
  CHECK(read.spans.at({1, 1}).size() == 2);
}

TEST_CASE("Spans that nest still do after rounding") {
  const TemporaryFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", hosts);
  const double third = 1.0 / 3;
  for (int i = 0; i < 100; ++i) {
    const double start_s = i * third * 1e-8;
    trace.span(0, "main", "inner", start_s, start_s + third * 0.5e-8, {});
    trace.span(0, "main", "inner", start_s + third * 0.5e-8, start_s + third * 1e-8, {});
    trace.span(0, "main", "outer", start_s, start_s + third * 1e-8, {});
  }
  trace.close();
  CHECK(is_nested(read_trace(folder.path() / "trace.json").spans.at({1, 1})));
}

TEST_CASE("Names may hold any character") {
  const TemporaryFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2);
  trace.begin_run("a \"quoted\" \\ läbel\n", hosts);
  trace.span(0, "ma\tin", "\"forward\"", 0, 1, {});
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.processes.at(1) == "a \"quoted\" \\ läbel\n · worker 0 (host 0)");
  CHECK(read.tracks.at({1, 1}) == "ma\tin");
  CHECK(read.spans.at({1, 1}).front().name == "\"forward\"");
}

TEST_CASE("A timeline is cut off where it gets too long, each run alike") {
  const TemporaryFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2, 6);
  for (const char* label : {"ddp", "dear"}) {
    trace.begin_run(label, hosts);
    CHECK_FALSE(trace.cut_off_s());
    for (int i = 0; i < 5; ++i) trace.span(0, "main", "forward", i, i + 1, {});
    CHECK(trace.cut_off_s() == 4);
  }
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.spans.at({1, 1}).size() == 3);
  CHECK(read.spans.at({4, 1}).size() == 3);
}

}  // namespace
}  // namespace starling

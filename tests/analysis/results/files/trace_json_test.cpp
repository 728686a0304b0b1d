#include "analysis/results/files/trace_json.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "trace_checks.hpp"

namespace starling {
namespace {

constexpr std::array<int, 3> traced_hosts{0, 0, 1};

constexpr const char* one_span_text = R"json({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"worker 0 (host 0)"}},
{"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"main"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}},
{"ph":"X","pid":1,"tid":1,"cat":"kernel","ts":500000.000,"dur":1.500,"name":"forward"}
]}
)json";

TEST_CASE("A timeline is Chrome's trace format, in microseconds") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", std::array{0});
  trace.span(0, "main", "forward", 0.5, 0.5000015, {});
  trace.close();
  CHECK(contents_of(folder.path() / "trace.json") == one_span_text);
}

TEST_CASE("Every worker of every run is a process of its own, named after both") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2);
  trace.begin_run("ddp", traced_hosts);
  trace.begin_run("dear", traced_hosts);
  trace.span(2, "main", "forward", 0, 1, {});
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.processes.size() == 6);
  CHECK(read.processes.at(3) == "ddp · worker 2 (host 1)");
  CHECK(read.processes.at(4) == "dear · worker 0 (host 0)");
  CHECK(read.spans.at({6, 1}).front().name == "forward");
}

TEST_CASE("Every strand of a worker is a track of its own") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", traced_hosts);
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

TEST_CASE("Nested spans are still nested after rounding to nanoseconds") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", traced_hosts);
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

TEST_CASE("Overlapping spans of a strand are spread over as many tracks as overlap at once") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", traced_hosts);
  trace.span(0, "communication", "a", 0, 3, {});
  trace.span(0, "communication", "overlaps a", 1, 4, {});
  trace.span(0, "communication", "overlaps both", 2, 5, {});
  trace.span(0, "communication", "ends with it, and began in both others", 2.5, 5, {});
  trace.span(0, "communication", "follows", 5, 6, {});
  trace.span(0, "communication", "around what followed", 4.5, 7, {});
  trace.span(0, "communication", "around all", 0, 8, {});
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.tracks.size() == 3);
  CHECK(read.tracks.at({1, 1}) == "communication");
  CHECK(read.tracks.at({1, 2}) == "communication (2)");
  CHECK(read.tracks.at({1, 3}) == "communication (3)");
  for (const auto& [track, spans] : read.spans) CHECK(is_nested(spans));
  CHECK(read.spans.at({1, 1}).size() == 4);
}

TEST_CASE("Names in a timeline may have any character") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2);
  trace.begin_run("a \"quoted\" \\ läbel\n", traced_hosts);
  trace.span(0, "ma\tin", "\"forward\"", 0, 1, {});
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.processes.at(1) == "a \"quoted\" \\ läbel\n · worker 0 (host 0)");
  CHECK(read.tracks.at({1, 1}) == "ma\tin");
  CHECK(read.spans.at({1, 1}).front().name == "\"forward\"");
}

TEST_CASE("Each run of a timeline is cut off at its share of the most spans") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2, {.max_spans = 6});
  for (const char* label : {"ddp", "dear"}) {
    trace.begin_run(label, traced_hosts);
    CHECK_FALSE(trace.cut_off_s());
    for (int i = 0; i < 5; ++i) trace.span(0, "main", "forward", i, i + 1, {});
    CHECK(trace.cut_off_s() == 4);
  }
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.spans.at({1, 1}).size() == 3);
  CHECK(read.spans.at({4, 1}).size() == 3);
}

constexpr const char* message_text = R"json({"displayTimeUnit":"ms","traceEvents":[
{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"worker 0 (host 0)"}},
{"ph":"M","pid":1,"tid":0,"name":"process_sort_index","args":{"sort_index":1}},
{"ph":"M","pid":2,"tid":0,"name":"process_name","args":{"name":"worker 1 (host 1)"}},
{"ph":"M","pid":2,"tid":0,"name":"process_sort_index","args":{"sort_index":2}},
{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"sends"}},
{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1001}},
{"ph":"X","pid":1,"tid":1,"cat":"message","ts":1000.000,"dur":2000.000,"name":"to 1",)json"
                                     R"json("args":{"bytes":400,"source":0,"destination":1,"iteration":7}},
{"ph":"s","pid":1,"tid":1,"cat":"message","id":1,"ts":1000.000,"name":"message"},
{"ph":"M","pid":2,"tid":1,"name":"thread_name","args":{"name":"receives"}},
{"ph":"M","pid":2,"tid":1,"name":"thread_sort_index","args":{"sort_index":1001}},
{"ph":"X","pid":2,"tid":1,"cat":"message","ts":1000.000,"dur":2000.000,"name":"from 0",)json"
                                     R"json("args":{"bytes":400,"source":0,"destination":1,"iteration":7}},
{"ph":"f","bp":"e","pid":2,"tid":1,"cat":"message","id":1,"ts":2999.999,"name":"message"}
]}
)json";

TEST_CASE("A message is a span at both ends, and an arrow from one to the other") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", std::array{0, 1});
  trace.message({.source = 0,
                 .destination = 1,
                 .bytes = 0,
                 .sent_s = 0,
                 .arrived_s = 1});  // a control message without bytes is not shown
  trace.message(
      {.source = 0, .destination = 1, .bytes = 400, .sent_s = 0.001, .arrived_s = 0.003, .iteration = 7});
  trace.close();
  CHECK(contents_of(folder.path() / "trace.json") == message_text);
}

TEST_CASE("A message by rendezvous is marked in the timeline") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", traced_hosts);
  trace.message({.source = 0, .destination = 1, .bytes = 4, .arrived_s = 1, .is_by_rendezvous = true});
  trace.close();
  CHECK(contents_of(folder.path() / "trace.json")
            .find(R"("args":{"bytes":4,"source":0,"destination":1,"iteration":0,"rendezvous":true}})") !=
        std::string::npos);
}

TEST_CASE("Overlapping messages are on separate tracks, and stop where there are too many") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1, {.max_messages = 3});
  trace.begin_run("ddp", traced_hosts);
  trace.message({.source = 0, .destination = 1, .bytes = 4, .sent_s = 0, .arrived_s = 1});
  trace.message({.source = 0, .destination = 2, .bytes = 4, .sent_s = 0.5, .arrived_s = 2});
  trace.message({.source = 0, .destination = 1, .bytes = 4, .sent_s = 1, .arrived_s = 3});
  CHECK_FALSE(trace.messages_cut_off_s());
  trace.message({.source = 0, .destination = 1, .bytes = 4, .sent_s = 3, .arrived_s = 4});
  CHECK(trace.messages_cut_off_s() == 4);
  trace.span(0, "main", "forward", 0, 9, {.iteration = 0});  // spans have a limit of their own
  CHECK_FALSE(trace.cut_off_s());
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  std::size_t sends = 0;
  for (const auto& [track, spans] : read.spans) {
    CHECK(is_nested(spans));
    if (read.tracks.at(track).starts_with("sends")) sends += spans.size();
  }
  CHECK(sends == 3);
  const std::string text = contents_of(folder.path() / "trace.json");
  for (const int process : {1, 2, 3})
    CHECK(text.find("{\"ph\":\"M\",\"pid\":" + std::to_string(process) +
                    ",\"tid\":0,\"name\":\"process_labels\",\"args\":{\"labels\":\"messages stop at "
                    "4.000 s\",\"messages_until_s\":4}}") != std::string::npos);
  CHECK(wrong_arrows(folder.path() / "trace.json") == "");
}

TEST_CASE("A collective is called as PyTorch's profiler calls it, with its arguments") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", traced_hosts);
  constexpr std::array<Rank, 2> peers = {0, 2};
  trace.span(0, "communication", "all-reduce 3", 0, 1,
             {.iteration = 2,
              .layers = "conv1 to fc",
              .peers = peers,
              .collective = {.name = "all_reduce",
                             .in_elements = 100,
                             .out_elements = 100,
                             .bytes_per_element = 2,
                             .ranks = 2}});
  trace.span(0, "main", "average with neighbors", 1, 2, {.iteration = 3, .peers = peers, .bytes = 400});
  trace.span(0, "main", "wait", 2, 3, {.iteration = 3});
  trace.span(0, "main", "wait", 4, 5, {.iteration = 4, .waits_for = 2});
  trace.close();
  const std::string text = contents_of(folder.path() / "trace.json");
  CHECK(text.find(
            R"("name":"nccl:all_reduce","args":{"Collective name":"allreduce","In msg nelems":100,)"
            R"("Out msg nelems":100,"Group size":2,"Process Group Ranks":"[0, 2]","dtype":"Half",)"
            R"("bytes":200,"operation":"all-reduce 3","layers":"conv1 to fc","iteration":2,"stream":1}})") !=
        std::string::npos);
  CHECK(text.find(R"("args":{"bytes":400,"peers":[0, 2],"iteration":3,"stream":2}})") != std::string::npos);
  CHECK(text.find(R"("name":"wait","args":{"iteration":3}})") != std::string::npos);
  CHECK(text.find(R"("name":"wait","args":{"waits_for":2,"iteration":4}})") != std::string::npos);
  CHECK(text.find(R"("pid":1,"tid":1,"cat":"kernel",)") != std::string::npos);
  CHECK(text.find(R"("pid":1,"tid":2,"cat":"user_annotation",)") != std::string::npos);
}

TEST_CASE("Only the first 30 ranks of a large group are written, as by PyTorch's profiler") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1);
  trace.begin_run("ddp", traced_hosts);
  std::vector<Rank> group(31);
  std::iota(group.begin(), group.end(), 1);
  const CollectiveSpan all_reduce{.name = "all_reduce", .ranks = 31};
  trace.span(0, "communication", "all-reduce 1", 0, 1, {.peers = group, .collective = all_reduce});
  const std::span<const Rank> without_last = std::span(group).first(30);
  trace.span(0, "communication", "all-reduce 2", 1, 2, {.peers = without_last, .collective = all_reduce});
  trace.close();
  const std::string text = contents_of(folder.path() / "trace.json");
  CHECK(text.find(R"("Process Group Ranks":"[1, 2, )") != std::string::npos);
  CHECK(text.find(R"(, 29, 30, ...]")") != std::string::npos);
  CHECK(text.find(R"(, 29, 30]")") != std::string::npos);
}

TEST_CASE("Critical paths are a process of their own, with as many tracks as paths overlap") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2, {.iterations = TraceRange{1, 3}});
  const auto path = [&](Rank worker, std::int64_t iteration, double start_s) {
    const std::vector<PathSpan> spans{
        {.name = "compute of worker 1", .start_s = start_s, .end_s = start_s + 2},
        {.name = "latency", .start_s = start_s + 2, .end_s = start_s + 3}};
    trace.path(worker, iteration, spans);
  };
  trace.begin_run("ddp", traced_hosts);
  path(0, 0, 0);  // not among the iterations asked for
  path(0, 1, 3);
  path(2, 2, 5);
  path(0, 3, 6);
  trace.begin_run("dear", traced_hosts);
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.processes.at(5) == "ddp · critical path");
  CHECK(read.processes.at(6) == "dear · worker 0 (host 0)");
  CHECK(read.tracks.at({5, 1}) == "critical path");
  CHECK(read.tracks.at({5, 2}) == "critical path (2)");
  const std::vector<TraceSpan>& first = read.spans.at({5, 1});
  REQUIRE(first.size() == 6);
  CHECK(first[0].name == "iteration 1 of worker 0");
  CHECK(first[1].name == "compute of worker 1");
  CHECK(first[2].name == "latency");
  CHECK(first[2].end_ns == first[0].end_ns);
  CHECK(first[3].name == "iteration 3 of worker 0");
  CHECK(read.spans.at({5, 2}).front().name == "iteration 2 of worker 2");
  for (const auto& [track, spans] : read.spans) CHECK(is_nested(spans));
}

TEST_CASE("A critical path that exceeds the most spans is left out, and the timeline is cut off") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1, {.max_spans = 4});
  trace.begin_run("ddp", traced_hosts);
  const std::vector<PathSpan> spans{{.name = "latency", .start_s = 0, .end_s = 1}};
  trace.path(0, 0, spans);
  CHECK_FALSE(trace.cut_off_s());
  trace.span(0, "main", "forward", 0, 1, {});
  trace.path(0, 1, spans);
  CHECK(trace.cut_off_s() == 1);
  trace.close();
  CHECK(read_trace(folder.path() / "trace.json").spans.at({5, 1}).size() == 2);
}

TEST_CASE("A timeline stops at the latest time that 64-bit nanoseconds can hold") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 3);
  for (const double end_s : {9e9, 9.1e9, 1e15}) {
    trace.begin_run("ddp", traced_hosts);
    trace.message({.source = 0, .destination = 1, .bytes = 4, .sent_s = 0, .arrived_s = end_s});
    trace.path(0, 0, std::vector<PathSpan>{{.name = "latency", .start_s = 0, .end_s = end_s}});
    CHECK(trace.messages_cut_off_s().has_value() == (end_s > 9e9));
    CHECK(trace.cut_off_s().has_value() == (end_s > 9e9));
    trace.begin_run("ddp", traced_hosts);
    trace.span(0, "main", "forward", 0, end_s, {});
    CHECK(trace.cut_off_s().has_value() == (end_s > 9e9));
  }
  trace.close();
  const std::string written = contents_of(folder.path() / "trace.json");
  CHECK(written.find(R"("dur":9000000000000000.000)") != std::string::npos);
  CHECK(written.find("\"dur\":-") == std::string::npos);
}

TEST_CASE("Collectives of 16-bit numbers have the data type of the gradients unless jobs differ in it") {
  const auto type_in = [](const char* scenario) {
    const ScratchFolder folder;
    TraceJson trace(folder.path() / "trace.json", 1);
    trace.set_gradient_type(nlohmann::ordered_json::parse(scenario));
    trace.begin_run("ddp", traced_hosts);
    trace.span(0, "communication", "all-reduce 3", 0, 1,
               {.collective = {.name = "all_reduce", .bytes_per_element = 2}});
    trace.close();
    const nlohmann::json written = nlohmann::json::parse(contents_of(folder.path() / "trace.json"));
    const auto span = std::ranges::find_if(written.at("traceEvents"),
                                           [](const nlohmann::json& event) { return event.at("ph") == "X"; });
    return span->at("args").value("dtype", "none");
  };
  CHECK(type_in(R"({"workload": {"gradient_dtype": "bf16"}})") == "BFloat16");
  CHECK(type_in(R"({"workload": {"gradient_dtype": "fp16"}})") == "Half");
  CHECK(type_in(R"({"jobs": [{"workload": {"gradient_dtype": "bf16"}}, {"workload": {}}]})") == "BFloat16");
  CHECK(type_in(R"({"jobs": [{"workload": {"gradient_dtype": "bf16"}},
                            {"workload": {"gradient_dtype": "fp16"}}]})") == "none");
}

TEST_CASE("A timeline has only the iterations and workers asked for, and messages between these workers") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 1, {.iterations = TraceRange{1, 2}, .workers = {0, 1}});
  trace.begin_run("ddp", traced_hosts);
  for (Rank rank = 0; rank < 3; ++rank)
    for (int i = 0; i < 4; ++i) trace.span(rank, "main", "forward", i, i + 1, {.iteration = i});
  trace.message({.source = 0, .destination = 1, .bytes = 4, .sent_s = 1, .arrived_s = 2, .iteration = 1});
  trace.message({.source = 0, .destination = 2, .bytes = 4, .sent_s = 1, .arrived_s = 2, .iteration = 1});
  trace.message({.source = 0, .destination = 1, .bytes = 4, .sent_s = 3, .arrived_s = 4, .iteration = 3});
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.processes.size() == 2);
  CHECK(read.spans.at({1, 1}).size() == 2);
  CHECK(read.spans.at({1, 1}).front().start_ns == 1'000'000'000);
  CHECK(read.spans.at({2, 1}).size() == 2);
  CHECK(read.spans.at({1, 2}).size() == 1);
  CHECK(read.spans.size() == 4);
}

TEST_CASE("The load of links is shown as counters in a process of their own") {
  const ScratchFolder folder;
  TraceJson trace(folder.path() / "trace.json", 2);
  trace.begin_run("ddp", traced_hosts);
  trace.counters({.links_of_network = 2,
                  .run_s = 3,
                  .period_s = 2,
                  .used = {{.name = "a -> b", .busy_fraction = 0.5, .over_time = {0.25, 1}}}});
  trace.begin_run("dear", traced_hosts);
  trace.close();
  const ReadTrace read = read_trace(folder.path() / "trace.json");
  CHECK(read.processes.at(4) == "ddp · links, busy %");
  CHECK(read.processes.at(5) == "dear · worker 0 (host 0)");
  const std::string text = contents_of(folder.path() / "trace.json");
  CHECK(
      text.find(R"({"ph":"C","pid":4,"tid":0,"ts":2000000.000,"name":"a -> b","args":{"busy %":100.00}})") !=
      std::string::npos);
}

}  // namespace
}  // namespace starling

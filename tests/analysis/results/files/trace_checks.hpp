#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/io/scratch_folder.hpp"

namespace starling {

/// A span of a timeline that was read back, in nanoseconds.
struct TraceSpan {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// A timeline that was read back: names of processes by pid, names and spans of tracks by pid and tid.
struct ReadTrace {
  std::map<int, std::string> processes;
  std::map<std::pair<int, int>, std::string> tracks;
  std::map<std::pair<int, int>, std::vector<TraceSpan>> spans;
};

inline ReadTrace read_trace(const std::filesystem::path& file) {
  ReadTrace trace;
  const auto nanoseconds = [](const nlohmann::json& microseconds) {
    return std::llround(microseconds.get<double>() * 1000);
  };
  const nlohmann::json document = nlohmann::json::parse(contents_of(file));
  for (const auto& event : document.at("traceEvents")) {
    const std::pair<int, int> track{event.at("pid"), event.at("tid")};
    if (event.at("ph") == "X") {
      const std::int64_t start_ns = nanoseconds(event.at("ts"));
      trace.spans[track].push_back({event.at("name"), start_ns, start_ns + nanoseconds(event.at("dur"))});
    } else if (event.at("name") == "process_name") {
      trace.processes[track.first] = event.at("args").at("name");
    } else if (event.at("name") == "thread_name") {
      trace.tracks[track] = event.at("args").at("name");
    }
  }
  return trace;
}

/// A fault of the arrows of a timeline, or an empty text. Each must begin and end once, in this order, inside
/// a span.
inline std::string wrong_arrows(const std::filesystem::path& file) {
  const nlohmann::json document = nlohmann::json::parse(contents_of(file));
  const auto holds = [](const nlohmann::json& span, const nlohmann::json& arrow) {
    const double start = span.at("ts").get<double>();
    const double at = arrow.at("ts").get<double>();
    return start <= at && at <= start + span.at("dur").get<double>();
  };
  std::map<std::pair<int, int>, std::vector<nlohmann::json>> spans;
  for (const auto& event : document.at("traceEvents"))
    if (event.at("ph") == "X") spans[{event.at("pid"), event.at("tid")}].push_back(event);
  std::map<int, nlohmann::json> begun;
  for (const auto& event : document.at("traceEvents")) {
    const std::string phase = event.at("ph");
    if (phase != "s" && phase != "f") continue;
    const auto& track = spans[{event.at("pid"), event.at("tid")}];
    if (std::none_of(track.begin(), track.end(), [&](const auto& span) { return holds(span, event); }))
      return "outside any span: " + event.dump();
    const int id = event.at("id");
    if (phase == "s") {
      if (!begun.emplace(id, event).second) return "begins twice: " + event.dump();
    } else {
      if (!begun.contains(id)) return "ends without beginning: " + event.dump();
      if (begun.at(id).at("ts") > event.at("ts")) return "ends before it begins: " + event.dump();
      begun.erase(id);
    }
  }
  return begun.empty() ? "" : "does not end: " + begun.begin()->second.dump();
}

/// Whether every two spans of a track are disjoint or one inside the other.
inline bool is_nested(std::vector<TraceSpan> spans) {
  std::stable_sort(spans.begin(), spans.end(), [](const TraceSpan& a, const TraceSpan& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
  });
  std::vector<std::int64_t> open_ends_ns;
  for (const TraceSpan& span : spans) {
    while (!open_ends_ns.empty() && open_ends_ns.back() <= span.start_ns) open_ends_ns.pop_back();
    if (!open_ends_ns.empty() && span.end_ns > open_ends_ns.back()) return false;
    open_ends_ns.push_back(span.end_ns);
  }
  return true;
}

}  // namespace starling

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

#include "tests/io/temporary_folder.hpp"

namespace starling {

/// A span of a timeline that was read back, in nanoseconds.
struct TraceSpan {
  std::string name;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

/// A timeline that was read back.
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

/// Whether any two spans of a track are apart or one inside the other.
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

#include "analysis/results/trace_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

namespace starling {
namespace {

std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

/// Microseconds in decimals, exactly.
std::string microseconds_text(std::int64_t nanoseconds) {
  return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000);
}

bool needs_escape(char character) {
  return character == '"' || character == '\\' || static_cast<unsigned char>(character) < 0x20;
}

std::string quoted(std::string_view text) {
  if (std::none_of(text.begin(), text.end(), needs_escape)) return fmt::format("\"{}\"", text);
  return nlohmann::json(text).dump();
}

}  // namespace

TraceJson::TraceJson(const std::filesystem::path& path, int runs, std::int64_t max_spans)
    : file_(path), runs_(runs), max_spans_per_run_(std::max<std::int64_t>(1, max_spans / std::max(1, runs))) {
  file_.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
}

void TraceJson::begin_run(std::string label, std::span<const int> host_of_rank) {
  first_process_ += static_cast<int>(tracks_.size());
  label_ = std::move(label);
  tracks_.assign(host_of_rank.size(), {});
  spans_ = 0;
  cut_off_s_.reset();

  const std::string prefix = runs_ > 1 ? label_ + " · " : "";
  for (std::size_t i = 0; i < host_of_rank.size(); ++i) {
    const int process = process_of(static_cast<Rank>(i));
    write_name("process", process, 0, fmt::format("{}worker {} (host {})", prefix, i, host_of_rank[i]),
               process);
  }
}

void TraceJson::span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
                     const SpanDetails&) {
  if (cut_off_s_) return;
  if (spans_ == max_spans_per_run_) {
    cut_off_s_ = end_s;
    return;
  }
  ++spans_;
  const std::int64_t start_ns = nanoseconds(start_s);
  const std::int64_t duration_ns = nanoseconds(end_s) - start_ns;
  const int track = track_of(rank, strand);
  write_event(fmt::format(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{}}})", process_of(rank),
                          track, microseconds_text(start_ns), microseconds_text(duration_ns), quoted(name)));
}

void TraceJson::close() {
  file_.write("\n]}\n");
  file_.close();
}

int TraceJson::track_of(Rank rank, std::string_view strand) {
  Tracks& tracks = tracks_[static_cast<std::size_t>(rank)];
  const auto known = tracks.find(strand);
  if (known != tracks.end()) return known->second;

  const int track = static_cast<int>(tracks.size()) + 1;
  tracks.emplace(strand, track);
  write_name("thread", process_of(rank), track, strand, track);
  return track;
}

void TraceJson::write_name(const char* what, int process, int track, std::string_view name, int position) {
  write_event(fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}_name","args":{{"name":{}}}}})", process,
                          track, what, quoted(name)));
  write_event(
      fmt::format(R"({{"ph":"M","pid":{},"tid":{},"name":"{}_sort_index","args":{{"sort_index":{}}}}})",
                  process, track, what, position));
}

void TraceJson::write_event(std::string_view event) {
  file_.write(is_first_event_ ? "\n" : ",\n");
  is_first_event_ = false;
  file_.write(event);
}

}  // namespace starling

#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/output_file.hpp"
#include "sim/trace.hpp"

namespace starling {

/// Writes trace.json, a timeline in Chrome's trace format that https://ui.perfetto.dev opens.
///
/// One process per run and worker, named "ddp · worker 3 (host 1)", or "worker 3 (host 1)" if there is one
/// run only; all runs begin at time 0, so that they can be compared. One track per strand. Spans are complete
/// events ("X") in microseconds, rounded to whole nanoseconds in a way that keeps them nested. They go to the
/// file as they come; in memory are only the names of the tracks. A timeline too long for any viewer is cut
/// off, each run after an equal share of the spans. Reference: "Trace Event Format", Google, 2016.
class TraceJson final : public TraceSink {
 public:
  /// About 85 bytes each, so 170 MB: browsers have a hard time with more.
  static constexpr std::int64_t default_max_spans = 2'000'000;

  TraceJson(const std::filesystem::path& path, int runs, std::int64_t max_spans = default_max_spans);

  /// What follows belongs to this run, whose rank r is on host_of_rank[r].
  void begin_run(std::string label, std::span<const int> host_of_rank);

  void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
            const SpanDetails& details) override;

  /// When the present run's timeline stops although the run went on; absent if it is complete.
  std::optional<double> cut_off_s() const { return cut_off_s_; }
  bool is_empty() const { return is_first_event_; }
  std::int64_t max_spans_per_run() const { return max_spans_per_run_; }

  /// Completes the file.
  void close();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Tracks = std::unordered_map<std::string, int, Hash, std::equal_to<>>;

  int process_of(Rank rank) const { return first_process_ + rank; }
  int track_of(Rank rank, std::string_view strand);
  void write_name(const char* what, int process, int track, std::string_view name, int position);
  void write_event(std::string_view event);

  OutputFile file_;
  int runs_;
  std::int64_t max_spans_per_run_;
  std::string label_;
  int first_process_ = 1;
  std::vector<Tracks> tracks_;  // per rank
  std::int64_t spans_ = 0;      // of the present run
  std::optional<double> cut_off_s_;
  bool is_first_event_ = true;
};

}  // namespace starling

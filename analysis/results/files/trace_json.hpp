#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/results/link_use.hpp"
#include "io/output_file.hpp"
#include "sim/trace.hpp"

namespace starling {

/// A range of iterations or workers, both ends included.
struct TraceRange {
  std::int64_t first = 0;
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  bool holds(std::int64_t number) const { return first <= number && number <= last; }
};

/// The part of a run that a timeline shows.
struct TraceSelection {
  std::optional<TraceRange> iterations = {};  // in which a span of the worker must end; absent: all
  TraceRange workers = {};                    // messages are shown if both their ends are among these
  /// Of all runs together: about 150 bytes each, so 300 MB; browsers have a hard time with more.
  std::int64_t max_spans = 2'000'000;
  /// Of all runs together: about 470 bytes each.
  std::int64_t max_messages = 100'000;
};

/// The chosen `iterations` and `workers`, in the form of --trace-iterations and --trace-workers ("3-5"); each
/// only if not all are shown. Part of `otherData` in trace.json.
nlohmann::ordered_json chosen_json(const TraceSelection& selection);

/// The `otherData` in the first line of a trace.json: the hash of its scenario, and the part of a run that it
/// shows; an empty object if there is none. @throws ScenarioError if it is no JSON.
nlohmann::json other_data_of_trace(const std::filesystem::path& file);

/// Writes trace.json, a timeline in Chrome's trace format that https://ui.perfetto.dev opens.
///
/// There is one process per run and worker, named "ddp · worker 3 (host 1)", or "worker 3 (host 1)" if there
/// is only one run; all runs begin at time 0, so that they can be compared. A process has one track per
/// strand, or more ("communication (2)") where a strand has spans that overlap, as spans of a track must
/// nest. Spans are complete events ("X") in microseconds, rounded to whole nanoseconds in a way that keeps
/// them nested. They are written as they come; memory holds the names of the tracks, and begin and end of
/// their spans, 16 B each. A timeline too long for any viewer is cut off, each run after an equal share of
/// the spans.
///
/// A message is a span of its sender and one of its receiver, on tracks "sends" and "receives" beside those
/// of strands (several where messages overlap), from when it is sent until it arrives, with an arrow ("s",
/// "f") from one to the other; its bytes are those on the wire. Collectives have the names and arguments of
/// PyTorch's profiler; their bytes are those of the data. Computing and communication have the category
/// `kernel`, with the track as `stream`, waits and delays `user_annotation`. The use of links, where it is
/// known, is in counters ("C") of a process of its own. Critical paths are spans of another process, each
/// within a span of its iteration, on several tracks where they overlap. Processes of a run that is cut off
/// have a label that says when: "messages stop at 1.507 s". Reference: "Trace Event Format", Google, 2016.
class TraceJson final : public TraceSink {
 public:
  /// `scenario_hash`: of the scenario, as in result.json; empty if unknown.
  TraceJson(const std::filesystem::path& path, int runs, const TraceSelection& selection = {},
            std::string_view scenario_hash = "");

  /// Collectives of 16-bit numbers get the type of the scenario's `gradient_dtype`, and none where its jobs
  /// have both. Unless this is called they are `Half`.
  void set_gradient_type(const nlohmann::ordered_json& scenario);

  /// Begins a run, to which all later spans belong; its rank r is on host_of_rank[r].
  void begin_run(std::string label, std::span<const int> host_of_rank);

  void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
            const SpanDetails& details) override;
  void message(const MessageSpan& message) override;
  void path(Rank worker, std::int64_t iteration, std::span<const PathSpan> spans) override;
  bool shows_path(std::int64_t iteration) const override {
    return !cut_off_s_ && (!selection_.iterations || selection_.iterations->holds(iteration));
  }
  /// Adds how busy the ten busiest links were over time. To be called after the run.
  void counters(const LinkUses& links);

  /// Nothing that ends later is shown: times are nanoseconds in 64 bits, here and in viewers.
  static constexpr double latest_s = 9e9;

  /// When the current run's timeline stops although the run went on; absent if it is complete.
  std::optional<double> cut_off_s() const { return cut_off_s_; }
  /// When messages stop although spans go on; absent if they do not.
  std::optional<double> messages_cut_off_s() const { return messages_cut_off_s_; }
  bool is_empty() const { return is_first_event_; }
  std::int64_t max_spans_per_run() const { return max_spans_per_run_; }
  std::int64_t max_messages_per_run() const { return max_messages_per_run_; }

  /// Completes the file.
  void close();

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using Tracks = std::unordered_map<std::string, int, Hash, std::equal_to<>>;

  struct PlacedSpan {
    std::int64_t start_ns = 0;
    std::int64_t end_ns = 0;
  };
  /// One of the tracks of a strand, with its spans in the order of their ends.
  struct StrandTrack {
    int number = 0;
    std::vector<PlacedSpan> spans = {};
    /// Whether the span is disjoint from, around or inside each span of the track.
    bool takes(const PlacedSpan& span) const;
    void add(const PlacedSpan& span);
  };
  using StrandTracks = std::unordered_map<std::string, std::vector<StrandTrack>, Hash, std::equal_to<>>;

  /// When the latest span on each track of one kind ends.
  using Lanes = std::vector<std::int64_t>;
  struct MessageLanes {
    Lanes sends;
    Lanes receives;
  };

  int counters_process() const { return first_process_ + static_cast<int>(tracks_.size()); }
  int paths_process() const { return counters_process() + 1; }
  void name_process_of_run(int process, std::string_view name);
  int path_track(std::int64_t start_ns, std::int64_t end_ns);
  int process_of(Rank rank) const { return first_process_ + rank; }
  bool shows(Rank rank, std::int64_t iteration) const;
  int lane(Rank rank, Lanes& lanes, const char* name, std::int64_t start_ns, std::int64_t end_ns);
  int strand_track(Rank rank, std::string_view strand, const PlacedSpan& span);
  int track_of(Rank rank, std::string_view name, int below = 0);
  void write_name(const char* what, int process, int track, std::string_view name, int position);
  void write_stop(const char* what, double stop_s);
  void write_event(std::string_view event);

  OutputFile file_;
  int runs_;
  TraceSelection selection_;
  std::string_view type_of_16_bits_ = "Half";
  std::int64_t max_spans_per_run_;
  std::int64_t max_messages_per_run_;
  std::string label_;
  int first_process_ = 1;
  std::vector<Tracks> tracks_;         // per rank
  std::vector<StrandTracks> strands_;  // per rank
  std::vector<MessageLanes> lanes_;    // per rank
  std::int64_t spans_ = 0;             // of the current run
  std::int64_t messages_ = 0;          // of the current run
  std::int64_t arrows_ = 0;            // of all runs
  bool has_counters_ = false;          // of the current run
  Lanes paths_;                        // of the current run
  std::optional<double> cut_off_s_;
  std::optional<double> messages_cut_off_s_;
  bool is_first_event_ = true;
};

}  // namespace starling

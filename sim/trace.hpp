#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace starling {

/// What a timeline shows of a collective operation.
struct CollectiveSpan {
  std::string_view name;  // the frameworks' name, as "all_reduce"; empty if the span is no collective
  std::int64_t in_elements = 0;
  std::int64_t out_elements = 0;
  double bytes_per_element = 0;
  int ranks = 0;
};

/// Details of a span, beyond its name and times.
struct SpanDetails {
  std::int64_t iteration = -1;       // the worker's, at the end of the span; −1: none has begun
  std::string_view layers = {};      // the model's layers concerned, as "conv1 to fc"; may be empty
  std::span<const Rank> peers = {};  // the ranks involved, for a collective its group; empty: all ranks
  double bytes = 0;                  // contributed by this worker; 0 for a collective
  CollectiveSpan collective = {};
  /// For a wait: the network rank of the worker whose computation was the last to delay the end of the wait.
  /// −1 if no other worker computed during the wait (messages were merely in flight), or if the cause is not
  /// known, as on real machines.
  Rank waits_for = -1;
};

/// A message between two workers.
struct MessageSpan {
  Rank source = 0;
  Rank destination = 0;
  double bytes = 0;
  double sent_s = 0;
  double arrived_s = 0;
  std::int64_t iteration = 0;  // the sender's, when the message was sent
  bool is_by_rendezvous = false;
};

/// A segment of a critical path.
struct PathSpan {
  std::string name;  // what the time was spent on
  double start_s = 0;
  double end_s = 0;
};

/// Receives the spans of every strand of every worker. analysis/results turns them into timelines,
/// analysis/native into the records of a rank.
class TraceSink {
 public:
  virtual ~TraceSink() = default;

  /// `strand` of `rank` did `name` from start_s to end_s. The spans of one strand are reported in the order
  /// of their ends. Spans of operations that a strand has under way concurrently may overlap; all others
  /// nest or follow each other.
  virtual void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
                    const SpanDetails& details) = 0;
  /// A message has arrived. Called only in runs that report messages.
  virtual void message(const MessageSpan&) {}
  /// The critical path of an iteration, as consecutive spans, in runs that report it. `worker` is the
  /// network rank of the worker that ended the iteration last; the path reaches from that worker's begin of
  /// the iteration to its end.
  virtual void path([[maybe_unused]] Rank worker, [[maybe_unused]] std::int64_t iteration,
                    [[maybe_unused]] std::span<const PathSpan> spans) {}
  /// Whether this sink wants the critical path of the iteration. If false, path() need not be called for it.
  virtual bool shows_path([[maybe_unused]] std::int64_t iteration) const { return true; }
};

}  // namespace starling

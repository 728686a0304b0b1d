#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/types.hpp"

namespace starling {

/// What a timeline tells of a collective operation.
struct CollectiveSpan {
  std::string_view name;  // as frameworks call it: "all_reduce"; empty if it is none
  std::int64_t in_elements = 0;
  std::int64_t out_elements = 0;
  double bytes_per_element = 0;
  int ranks = 0;
};

/// What a strand did, besides its name and when.
struct SpanDetails {
  std::int64_t iteration = -1;       // of the worker, when it ended; −1: none has begun
  std::string_view layers = {};      // of the model, "conv1 to fc"; empty if it is about none
  std::span<const Rank> peers = {};  // with which it was done, unless all; of a collective the group
  double bytes = 0;                  // that this worker brought, if it is no collective
  CollectiveSpan collective = {};
  /// Of a wait: the network's worker that was the last to compute what ended it. −1: no other computed while
  /// it lasted, as where messages were still on their way; or nobody knows, as on real machines.
  Rank waits_for = -1;
};

/// A message between two workers.
struct MessageSpan {
  Rank source = 0;
  Rank destination = 0;
  double bytes = 0;
  double sent_s = 0;
  double arrived_s = 0;
  std::int64_t iteration = 0;  // of the sender, when it was sent
  bool is_by_rendezvous = false;
};

/// A stretch of a critical path.
struct PathSpan {
  std::string name;  // of what the time was spent on
  double start_s = 0;
  double end_s = 0;
};

/// Receives what every strand of every worker did when: analysis/results makes timelines of it,
/// analysis/native records of a rank.
class TraceSink {
 public:
  virtual ~TraceSink() = default;

  /// `strand` of `rank` did `name` from start_s to end_s. Spans of one strand come in the order of their
  /// ends; those of what it has under way at once overlap, all others nest or follow each other.
  virtual void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
                    const SpanDetails& details) = 0;
  /// A message has arrived, of a run that tells them.
  virtual void message(const MessageSpan&) {}
  /// What an iteration had to wait for, one thing after the other, of a run that tells it: from when the last
  /// of its workers to end it began it until then. The worker is the network's.
  virtual void path([[maybe_unused]] Rank worker, [[maybe_unused]] std::int64_t iteration,
                    [[maybe_unused]] std::span<const PathSpan> spans) {}
  /// Whether it shows that of this iteration; else nobody need tell it.
  virtual bool shows_path([[maybe_unused]] std::int64_t iteration) const { return true; }
};

}  // namespace starling

#pragma once

#include <cstdint>

#include "algorithms/collectives/collective_executor.hpp"
#include "algorithms/training/shared/progress.hpp"
#include "sim/queue.hpp"
#include "sim/worker.hpp"
#include "workloads/learning/replica.hpp"

namespace starling {

/// How a collective is shown in a timeline.
struct CollectiveLabel {
  const char* name = "";  // a string literal: "all-reduce"
  int number = 0;         // its number among the collectives of that name in an iteration
  const Model* model = nullptr;
  TensorRange tensors = {};  // the tensors of the model that are sent; none without a model
};

/// Runs one worker's collectives concurrently with its other strands, one after the other in the order of
/// issue, like a GPU's communication stream. All workers must issue the same collectives in the same order.
class CommunicationStream {
 public:
  /// Starts the strand that runs the collectives. Streams that one worker uses at the same time need
  /// different tags. If `executor` is null, collectives are run message by message.
  CommunicationStream(Worker& worker, Tag tag, CollectiveExecutor* executor = nullptr);
  CommunicationStream(const CommunicationStream&) = delete;
  CommunicationStream& operator=(const CommunicationStream&) = delete;

  /// Appends a collective to the queue and returns at once. The schedule and the data must live until it is
  /// complete.
  void issue(const Schedule& schedule, Buffer data, const CollectiveLabel& label) {
    issue(schedule, data, label, tag_);
  }
  /// Issues a collective with a tag of its own: needed where successive collectives of the stream may involve
  /// different groups of workers.
  void issue(const Schedule& schedule, Buffer data, const CollectiveLabel& label, Tag tag);

  /// The number of collectives issued so far.
  std::int64_t issued() const { return issued_; }
  /// Waits until the first `count` collectives of the stream are complete.
  void wait_for(std::int64_t count) { completed_.wait_for(count); }
  void wait_for_all() { wait_for(issued_); }
  /// True if all issued collectives are complete.
  bool is_idle() const { return completed_.count() == issued_; }

  /// Waits until all issued collectives are complete and ends the strand. Nothing may be issued afterwards.
  /// Must be called before the stream is destroyed, unless an exception ends the run.
  void close();

 private:
  struct Collective {
    const Schedule* schedule;
    Buffer data;
    CollectiveLabel label;
    Tag tag;
  };
  void run();

  Worker& worker_;
  Tag tag_;
  CollectiveExecutor* executor_;
  Queue<Collective> queue_;
  std::int64_t issued_ = 0;
  Progress completed_;
  Event ended_;
};

/// Runs a schedule in the calling strand and records it in the timeline as "name number".
void run_traced(Worker& worker, const Schedule& schedule, Buffer data, Tag tag, const CollectiveLabel& label,
                CollectiveExecutor* executor = nullptr);

}  // namespace starling

#pragma once

#include <cstdint>

#include "algorithms/collectives/collective_executor.hpp"
#include "algorithms/training/shared/progress.hpp"
#include "sim/queue.hpp"
#include "sim/worker.hpp"
#include "workloads/learning/replica.hpp"

namespace starling {

/// What a timeline says of a collective.
struct CollectiveLabel {
  const char* name = "";  // a literal: "all-reduce"
  int number = 0;         // of those of that name in an iteration
  const Model* model = nullptr;
  TensorRange tensors = {};  // of the model, which travel; none without a model
};

/// Runs one worker's collectives beside its other strands, one after the other in the order they were issued,
/// like a GPU's communication stream. All workers must issue the same ones in the same order.
class CommunicationStream {
 public:
  /// Starts a strand. Streams of one worker that are used at the same time need different tags. Collectives
  /// go message by message if `executor` is null.
  CommunicationStream(Worker& worker, Tag tag, CollectiveExecutor* executor = nullptr);
  CommunicationStream(const CommunicationStream&) = delete;
  CommunicationStream& operator=(const CommunicationStream&) = delete;

  /// Appends a collective and returns at once. The schedule and the data must stay until it is complete.
  void issue(const Schedule& schedule, Buffer data, const CollectiveLabel& label) {
    issue(schedule, data, label, tag_);
  }
  /// The same with a tag of its own, for a stream whose collectives are not all other workers' next ones.
  void issue(const Schedule& schedule, Buffer data, const CollectiveLabel& label, Tag tag);

  /// How many collectives were issued so far.
  std::int64_t issued() const { return issued_; }
  /// Returns when the first `count` of all that were issued are complete.
  void wait_for(std::int64_t count) { completed_.wait_for(count); }
  void wait_for_all() { wait_for(issued_); }
  /// True if all are complete.
  bool is_idle() const { return completed_.count() == issued_; }

  /// Completes what was issued and ends the strand; nothing may be issued afterwards. Must be called before
  /// the stream is destroyed, unless an exception ends the run.
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

/// Runs a schedule in the calling strand and notes it in the timeline as "name number".
void run_traced(Worker& worker, const Schedule& schedule, Buffer data, Tag tag, const CollectiveLabel& label,
                CollectiveExecutor* executor = nullptr);

}  // namespace starling

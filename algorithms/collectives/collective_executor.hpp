#pragma once

#include "algorithms/collectives/runner.hpp"

namespace starling {

/// Carries out the collectives of a run.
class CollectiveExecutor {
 public:
  virtual ~CollectiveExecutor() = default;

  /// Does this worker's part of a collective of all workers; returns when this part is complete.
  virtual void run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) = 0;
};

/// Sends every message: correct in every world and beside any other traffic.
class MessageExecutor final : public CollectiveExecutor {
 public:
  void run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) override {
    run_schedule(worker, schedule, buffer, tag);
  }
};

}  // namespace starling

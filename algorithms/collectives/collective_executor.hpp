#pragma once

#include "algorithms/collectives/runner.hpp"

namespace starling {

/// How the collectives of a run are carried out.
class CollectiveExecutor {
 public:
  virtual ~CollectiveExecutor() = default;

  /// This worker's part of a collective of all workers; returns when that is complete.
  virtual void run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) = 0;
};

/// Message by message: right in every world, beside any other traffic.
class MessageExecutor final : public CollectiveExecutor {
 public:
  void run(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) override {
    run_schedule(worker, schedule, buffer, tag);
  }
};

}  // namespace starling

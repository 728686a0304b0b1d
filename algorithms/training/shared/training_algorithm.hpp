#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/collectives/collective_executor.hpp"
#include "algorithms/training/shared/layers_time.hpp"
#include "algorithms/training/shared/usual_traffic.hpp"
#include "sim/worker.hpp"
#include "workloads/learning/learning_log.hpp"
#include "workloads/learning/replica.hpp"
#include "workloads/models/workload.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// A training job as one worker sees it.
struct TrainingJob {
  const Workload& workload;
  std::int64_t iterations = 0;
  /// How this worker's iteration is disturbed; a pure function. Each worker asks once for each iteration, in
  /// order, as it begins.
  std::function<Load(Rank rank, std::int64_t iteration)> load;
  /// Receives one record per iteration.
  IterationLog& log;
  /// Carries out the collectives of all workers, where the algorithm has no other traffic, or none but
  /// control messages; message by message if null.
  CollectiveExecutor* executor = nullptr;
  /// Receives who took part in what.
  ParticipationNotes participation = {};
  /// Receives every real worker's model at the end of every iteration; may be null.
  ModelObserver* learning = nullptr;
  /// What all workers draw the same random choices from.
  std::uint64_t seed = 0;
  /// The latest that were asked for: all workers mostly ask for the same one after the other.
  mutable LayersTime forward_time = {};
  mutable LayersTime backward_time = {};
};

/// What was chosen for an option that was left open, by the option's name.
struct Choice {
  std::string option;
  std::variant<std::int64_t, double> value;
};

/// To schedules that an algorithm keeps.
inline std::vector<const Schedule*> pointers_to(const std::vector<std::unique_ptr<Schedule>>& schedules) {
  std::vector<const Schedule*> pointers;
  for (const auto& schedule : schedules) pointers.push_back(schedule.get());
  return pointers;
}

/// A way to train: how workers compute, exchange and update. One object serves all workers of a run.
class TrainingAlgorithm {
 public:
  virtual ~TrainingAlgorithm() = default;

  /// Runs all iterations of one worker's job; every rank of the world must call it with an equal job.
  virtual void run(Worker& worker, Replica& replica, const TrainingJob& job) const = 0;

  /// The schedules of all collectives, if every worker runs them one after the other and sends nothing else;
  /// empty if there is other traffic.
  virtual std::vector<const Schedule*> only_traffic() const { return {}; }

  /// The schedules for which its option `collective` says which collective they are; empty where it has none,
  /// and where they are made while it runs.
  virtual std::vector<const Schedule*> optional_collectives() const { return only_traffic(); }

  /// Whether control messages, which tell what comes next, are all that every worker sends beside collectives
  /// that it runs one after the other.
  virtual bool has_control_beside_collectives() const { return false; }

  /// After how many iterations the algorithm sends the same again, if no message is under way between two
  /// iterations: from when everyone has ended one until somebody has ended the next forward pass. 0 if one
  /// may be.
  virtual std::int64_t silent_period() const { return 0; }

  /// What it chose where options leave it open.
  virtual std::vector<Choice> choices() const { return {}; }

  /// About what an iteration sends of the workload that the algorithm was made for.
  virtual UsualTraffic usual_traffic(const Workload&) const {
    UsualTraffic traffic;
    for (const Schedule* schedule : only_traffic()) traffic.add(*schedule);
    return traffic;
  }

  /// What errors of its runs call it; its kind if empty.
  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }

 private:
  std::string label_;
};

}  // namespace starling

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/native/rank_records.hpp"
#include "analysis/results/result.hpp"
#include "analysis/running/machine.hpp"
#include "io/terminal/progress_line.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/native/gemm_device.hpp"
#include "sim/native/mpi_job.hpp"

namespace starling {

/// Options of a measurement.
struct NativeOptions {
  int repetitions = 1;  // 1 or more
  /// Whether any process wants timelines. Must be the same in all processes.
  bool is_traced = false;
};

/// The processes of an MPI job, of which this one is a worker. They really run, and compute as the scenario
/// says.
///
/// The scenario's network is only used for what algorithms are told of it: which collective "auto" chooses,
/// and which ranks share a host. The measured runs have no data, and messages as large as those of a
/// simulation; with a learning task, one more run has data. Every call is collective. @throws
/// CommunicationError if a run cannot go on: the job must then be aborted.
class NativeMachine final : public Machine {
 public:
  /// Collective. All arguments must outlive the machine; the scenario must pass check_fits().
  NativeMachine(const Scenario& scenario, const MpiJob& job, const NativeOptions& options,
                OptionalProgress progress);

  std::string name() const override { return std::string(measured_engine); }
  bool is_model() const override { return false; }
  Outcome run_trial(const PreparedRun& run) override { return run_once(run, nullptr, nullptr); }
  Measurement measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) override;
  int runs_of_each(bool is_learning) const override { return options_.repetitions + (is_learning ? 1 : 0); }
  std::uint64_t events() const override { return events_; }

 private:
  struct Repetition;

  Outcome run_once(const PreparedRun& run, SpanRecorder* spans, ModelObserver* learned);
  std::vector<LearningRecord> learn(const PreparedRun& run);
  Repetition repeat(const PreparedRun& run);

  const Scenario& scenario_;
  const MpiJob& job_;
  NativeOptions options_;
  OptionalProgress progress_;
  std::unique_ptr<GemmDevice> device_;              // null where a timer stands for the GPU
  std::optional<std::vector<double>> flops_per_s_;  // of every rank's device
  std::uint64_t events_ = 0;
};

/// @throws ScenarioError if the number of processes is not that of the scenario's workers, the scenario's
/// kind of computing is not built in, its number of iterations is open, or its models are too large for ranks
/// to keep.
void check_fits(const Scenario& scenario, const MpiJob& job);

/// A warning if the ranks share hosts otherwise than the scenario's workers; absent if they do not. Both
/// arguments have the host of each rank, by arbitrary numbers.
std::optional<std::string> host_sharing_warning(const std::vector<int>& of_ranks,
                                                const std::vector<int>& of_workers);

}  // namespace starling

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "algorithms/collectives/evaluation/evaluated_collectives.hpp"
#include "analysis/critical_path/iteration_paths.hpp"
#include "analysis/effort/run_effort.hpp"
#include "analysis/running/machine.hpp"
#include "analysis/running/repetition.hpp"
#include "analysis/running/run_evaluator.hpp"
#include "io/terminal/progress_line.hpp"
#include "scenarios/reading/scenario.hpp"
#include "sim/networks/network_model.hpp"
#include "sim/networks/tcp/tcp_options.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Objects that take part in a simulated run, or observe it; each may be null.
struct SimulationHooks {
  TraceSink* trace = nullptr;
  EvaluatedCollectives* collectives = nullptr;  // evaluates collectives
  ModelObserver* learned = nullptr;
  RepetitionSearch* search = nullptr;  // ends the run once its iterations are known to repeat
};

/// Simulates all workers of a run in this process, on an idle network.
///
/// Collectives are evaluated instead of simulated where the scenario allows it and it is exact, and so are
/// whole runs if there is a RunEvaluator. If evaluating some collectives turns out not to be exact, the run
/// is repeated with those simulated message by message.
///
/// Learning takes another run, with data. No time depends on data, so all times are those of the run without;
/// the messages of the run with data have the same bytes only up to an element of the task.
///
/// Timelines come from a run message by message; so do the use of links and critical paths, except of rings
/// under `fair` that meet no other messages. Iterations that repeat earlier ones are not simulated
/// (repetition.hpp), except for timelines and runs with data.
class SimulatedMachine final : public Machine {
 public:
  /// All must outlive the machine; `evaluator` may be null.
  SimulatedMachine(const Scenario& scenario, const Routes& routes, OptionalProgress progress,
                   Watching watching = {}, const RunEvaluator* evaluator = nullptr);

  std::string name() const override;
  Outcome run_trial(const PreparedRun& run) override { return execute(run); }
  Measurement measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) override;
  int runs_of_each(bool is_learning) const override { return is_learning ? 2 : 1; }
  std::uint64_t events() const override { return events_; }

 private:
  Outcome execute(const PreparedRun& run);
  Outcome execute_until_repeated(const PreparedRun& run, std::optional<std::int64_t> most_searched = {});
  EvaluatedCollectives evaluated(const PreparedRun& run, const CollectivesByMessages& by_messages) const;
  Outcome execute(const PreparedRun& run, const SimulationHooks& hooks);
  Measurement watch(const PreparedRun& run, TraceSink* trace);
  std::optional<Measurement> watch_repeating(const PreparedRun& run);
  Measurement watch_all(const PreparedRun& run, TraceSink* trace, const Repetition* repetition);
  Measurement watch(const PreparedRun& run, TraceSink* trace, EvaluatedCollectives* collectives,
                    const Repetition* repetition);
  PathsOfJob paths_of(const PreparedRun& run, const Repetition* repetition) const;
  template <typename Attempt>
  auto with_evaluation(const PreparedRun& run, const Attempt& attempt);
  bool may_evaluate_run(const PreparedRun& run) const;
  bool are_collectives_alone(const PreparedRun& run) const;
  std::optional<Outcome> evaluated_run(const PreparedRun& run) const;

  const Scenario& scenario_;
  const Routes& routes_;
  OptionalProgress progress_;
  Watching watching_;
  const RunEvaluator* evaluator_;
  std::uint64_t events_ = 0;
};

/// The TCP options of all streams of a pair together, which are simulated as one flow: windows and frames at
/// the first link are multiplied by their number, as Linux limits both for each socket.
TcpOptions tcp_of_pair(const Scenario& scenario);

/// Whether sends may be complete earlier than the equations of evaluations say. That is so under `event` with
/// a finite send buffer: there the first link of a route decides when a message fits the buffer, for each
/// message alone.
bool has_buffers_of_its_own(const Scenario& scenario);

/// The rules of the scenario's engine for small messages; those of `fair` for engines that cannot be
/// evaluated.
SmallMessageRules small_message_rules(const Scenario& scenario);

/// The scenario's engine on a network, which must outlive it. @throws ScenarioError if the engine cannot
/// model this network.
std::unique_ptr<NetworkModel> make_network_model(const Scenario& scenario, const Routes& routes);

/// Whether parts of such a run can be evaluated in place of sending messages, as far as is known beforehand.
bool may_leave_out_messages(const Scenario& scenario, const PreparedRun& run);

/// Whether its collectives can be, each alone. If links or paths are watched, only under `fair`, which tells
/// of those of evaluated collectives; there the run may have control messages beside them.
bool may_evaluate_collectives(const Scenario& scenario, const PreparedRun& run, const Watching& watching);

/// Simulates a run once: message by message, except for collectives that `hooks.collectives` evaluates.
Outcome simulate_run(const PreparedRun& run, const Routes& routes, NetworkModel& model,
                     const MessageCosts& costs, const SimulationHooks& hooks = {});

}  // namespace starling

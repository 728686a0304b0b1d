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

/// Who takes part in a simulated run, or hears of it; all may be null.
struct SimulationHooks {
  TraceSink* trace = nullptr;
  EvaluatedCollectives* collectives = nullptr;  // evaluates them
  ModelObserver* learned = nullptr;
  RepetitionSearch* search = nullptr;  // ends the run once it knows how that goes on
};

/// Simulates all workers of a run in this process, on an idle network.
///
/// Collectives, and whole runs by whoever knows them (RunEvaluator), are evaluated at once where the scenario
/// allows it and it is exact; where that turns out not to be, the run is repeated with those collectives
/// message by message. So is a run with data, to learn: no time depends on data, so the times are those of
/// the run without; those of this one stand for the same bytes to within an element of the task only.
/// Timelines are those of a run message by message; so are links and critical paths, but for rings under
/// `fair` that meet no other messages. Iterations that repeat those before them are not simulated
/// (repetition.hpp), but for timelines, and for a run with data.
class SimulatedMachine final : public Machine {
 public:
  /// All must outlive the machine; `evaluator` may be null.
  SimulatedMachine(const Scenario& scenario, const Routes& routes, OptionalProgress progress,
                   Watching watching = {}, const RunEvaluator* evaluator = nullptr);

  std::string name() const override;
  Outcome try_out(const PreparedRun& run) override { return execute(run); }
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

/// Whether requests, answers and whatever is small have a way of their own beside the data of a pair, be it
/// that one of several streams is for these.
bool has_control_channel(const Scenario& scenario);

/// What all streams of a pair are together under `tcp`: they have several windows, and as many times as much
/// at their first link, as Linux limits that of each socket by itself; they flow as one.
TcpOptions tcp_of_pair(const Scenario& scenario);

/// Whether sends may be complete before the equations of evaluations say so: under `event`, where the first
/// link of a route tells what the buffer does not hold, of each message by itself.
bool has_buffers_of_its_own(const Scenario& scenario);

/// What the scenario's engine does with small messages; of engines that cannot be evaluated, what fair does.
SmallMessageRules small_message_rules(const Scenario& scenario);

/// What the scenario's engine makes of a network, which must outlive it. @throws ScenarioError if the engine
/// cannot model this network.
std::unique_ptr<NetworkModel> make_network_model(const Scenario& scenario, const Routes& routes);

/// Whether something of such a run can be evaluated in place of messages, as far as is known before.
bool may_leave_out_messages(const Scenario& scenario, const PreparedRun& run);

/// The same of its collectives by themselves. Where something is watched, only `fair` tells of what is
/// evaluated; there control messages may go beside it.
bool may_evaluate_collectives(const Scenario& scenario, const PreparedRun& run, const Watching& watching);

/// Simulates a run once, message by message unless hooks say otherwise.
Outcome simulate_run(const PreparedRun& run, const Routes& routes, NetworkModel& model,
                     const MessageCosts& costs, const SimulationHooks& hooks = {});

}  // namespace starling

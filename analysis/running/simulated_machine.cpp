#include "analysis/running/simulated_machine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/critical_path/critical_paths.hpp"
#include "analysis/critical_path/traced_paths.hpp"
#include "analysis/running/run_facts.hpp"
#include "analysis/running/watched_links.hpp"
#include "base/errors.hpp"
#include "io/scenario_error.hpp"
#include "sim/messages/transport.hpp"
#include "sim/networks/event/event_network.hpp"
#include "sim/networks/fair/fair_network.hpp"
#include "sim/networks/simgrid/simgrid_module.hpp"
#include "sim/networks/tcp/tcp_network.hpp"
#include "sim/networks/watched_network.hpp"
#include "sim/simulated/simulated_world.hpp"

namespace starling {
namespace {

/// The options of all streams of a pair together under `fair`: they have several windows, and one of them may
/// be for small messages. The unevenness of their sum falls with the square root of their number.
FairOptions fair_of_pair(const Scenario& scenario) {
  FairOptions options = scenario.fair;
  options.streams = scenario.message_costs.channels;
  options.unevenness = unevenness(options, transport(scenario.transport)) / std::sqrt(options.streams);
  options.queued_at_first_link = queued_at_first_link(scenario);
  options.seed = scenario.seed;
  options.has_control_channel = scenario.message_costs.has_control_channel();
  return options;
}

std::unique_ptr<NetworkModel> network_model(const Scenario& scenario, const Routes& routes) {
  switch (scenario.engine) {
    case Engine::event:
      return std::make_unique<EventNetwork>(routes);
    case Engine::simgrid:
      return load_simgrid_network(routes, scenario.simgrid);
    case Engine::tcp:
      return std::make_unique<TcpNetwork>(routes, tcp_of_pair(scenario));
    case Engine::fair:
      return std::make_unique<FairNetwork>(routes, fair_of_pair(scenario));
  }
  throw InvariantError("there is no such engine");
}

/// Thrown to end a run whose remaining iterations are known.
struct IterationsRepeat {};

/// How many iterations at most are simulated without watching, to find a repetition; in vain if there is
/// none.
std::int64_t most_iterations_unwatched(const PreparedRun& run) {
  constexpr std::int64_t share = 20;
  return std::min(most_iterations_to_repeat(run),
                  std::max(least_iterations_to_repeat(run), run.iterations / share));
}

/// The load of a run that is searched for a repetition: its calls tell when iterations begin. Where a
/// repetition is found, a call throws IterationsRepeat.
template <typename Statistics>
LoadSource searched(const PreparedRun& run, const SimulatedWorld& world, const Statistics& statistics,
                    const ParticipationLog& participation, RepetitionSearch& search) {
  const double forward_s = run.workload.forward_total_s();
  return [&, forward_s](Rank rank, std::int64_t iteration) {
    const Load load = run.load(rank, iteration);
    const double now_s = world.now();
    const double first_sent_s = now_s + load.delay_s + load.factor * forward_s;
    if (search.begin(rank, iteration, now_s, first_sent_s) &&
        search.end_iteration(statistics(), participation))
      throw IterationsRepeat();
    return load;
  };
}

/// Whether a message that has its links to itself takes the time that it takes in the event model.
bool is_event_where_alone(const Scenario& scenario, const PreparedRun& run) {
  const bool may_be_limited = scenario.fair.window_bytes || scenario.fair.connection_rate_Bps;
  return scenario.engine == Engine::event ||
         (scenario.engine == Engine::fair && (!may_be_limited || run.only_links_limit));
}

}  // namespace

TcpOptions tcp_of_pair(const Scenario& scenario) {
  TcpOptions options = scenario.tcp;
  options.window_bytes *= scenario.message_costs.channels;
  options.frames_at_first_link *= scenario.message_costs.channels;
  return options;
}

bool has_buffers_of_its_own(const Scenario& scenario) {
  return scenario.engine == Engine::event && std::isfinite(scenario.message_costs.send_buffer_bytes);
}

bool may_leave_out_messages(const Scenario& scenario, const PreparedRun& run) {
  if (scenario.collectives == CollectiveExecution::messages || !is_event_where_alone(scenario, run))
    return false;
  // Messages that are still under way when a collective has ended slow computing down, too.
  if (run.workload.communication_slowdown > 0) return false;
  if (has_buffers_of_its_own(scenario)) return false;
  return EvaluatedCollectives::is_possible(scenario.message_costs);
}

bool may_evaluate_collectives(const Scenario& scenario, const PreparedRun& run, const Watching& watching) {
  if (!may_leave_out_messages(scenario, run)) return false;
  if (!watching.anything()) return !run.algorithm.sequential_collectives().empty();
  return scenario.engine == Engine::fair &&
         (!run.algorithm.sequential_collectives().empty() || run.algorithm.has_control_beside_collectives());
}

SmallMessageRules small_message_rules(const Scenario& scenario) {
  const bool is_event = scenario.engine == Engine::event;
  return {.take_links = is_event, .keep_order = !is_event && !scenario.message_costs.has_control_channel()};
}

std::unique_ptr<NetworkModel> make_network_model(const Scenario& scenario, const Routes& routes) {
  return naming_place(scenario.file.string(), scenario.place + "/cluster/network",
                      [&] { return network_model(scenario, routes); });
}

SimulatedMachine::SimulatedMachine(const Scenario& scenario, const Routes& routes, OptionalProgress progress,
                                   Watching watching, const RunEvaluator* evaluator)
    : scenario_(scenario), routes_(routes), progress_(progress), watching_(watching), evaluator_(evaluator) {}

std::string SimulatedMachine::name() const { return engine_name(scenario_.engine); }

Measurement SimulatedMachine::measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) {
  const bool may_evaluate = may_evaluate_collectives(scenario_, run, {}) || may_evaluate_run(run);
  const bool is_watched = watching_.anything() || (trace != nullptr && !may_evaluate);
  Measurement measurement = is_watched ? watch(run, trace) : Measurement{.outcome = execute(run)};
  if (trace != nullptr && !is_watched) {
    progress_.expect_more(run.iterations * routes_.workers());
    watch(run, trace);  // evaluated collectives have no messages to show
  }
  if (learning == nullptr) return measurement;
  LearningLog learned(learning->learning->task, routes_.workers(), learning->iterations,
                      learning->learning->evaluate_every);
  execute(*learning, {.learned = &learned});
  measurement.learned = learned.records();
  return measurement;
}

bool SimulatedMachine::may_evaluate_run(const PreparedRun& run) const {
  return evaluator_ != nullptr && may_leave_out_messages(scenario_, run) &&
         evaluator_->may_evaluate(run, routes_);
}

std::optional<Outcome> SimulatedMachine::evaluated_run(const PreparedRun& run) const {
  if (!may_evaluate_run(run)) return std::nullopt;
  const std::int64_t done = progress_.done();
  PreparedRun shown = run;
  shown.load = counted(run.load, progress_);
  std::optional<Outcome> outcome = evaluator_->evaluate(shown, scenario_, routes_);
  if (!outcome) progress_.expect_again_since(done);
  return outcome;
}

Outcome SimulatedMachine::execute(const PreparedRun& run) {
  if (std::optional<Outcome> outcome = evaluated_run(run)) return std::move(*outcome);
  return execute_until_repeated(run);
}

/// The evaluation of the run's collectives. It gives up if of the first two iterations too few are exact.
EvaluatedCollectives SimulatedMachine::evaluated(const PreparedRun& run,
                                                 const CollectivesByMessages& by_messages) const {
  const auto least_judged_iterations = static_cast<std::size_t>(std::min<std::int64_t>(2, run.iterations));
  const std::size_t gives_up_after = least_judged_iterations * run.algorithm.sequential_collectives().size();
  return EvaluatedCollectives(routes_, scenario_.message_costs, small_message_rules(scenario_), by_messages,
                              gives_up_after > 0 ? gives_up_after : EvaluatedCollectives::never);
}

/// Only after a run is it known which collectives could be evaluated exactly. The others are simulated
/// message by message in the next attempt; after four attempts, or if too little is exact, all are.
template <typename Attempt>
auto SimulatedMachine::with_evaluation(const PreparedRun& run, const Attempt& attempt) {
  constexpr int most_attempts = 4;
  CollectivesByMessages by_messages;
  bool is_mostly_exact = true;
  for (int attempts = 0; attempts < most_attempts && is_mostly_exact; ++attempts) {
    const std::int64_t done = progress_.done();
    EvaluatedCollectives collectives = evaluated(run, by_messages);
    try {
      auto result = attempt(&collectives);
      if (collectives.is_exact()) return result;
    } catch (const TooLittleIsExact&) {
      is_mostly_exact = false;
    }
    progress_.expect_again_since(done);
    by_messages = collectives.by_messages();
  }
  return attempt(nullptr);
}

/// Simulates all iterations, or only until they are known to repeat. With `most_searched` the run ends after
/// so many if they have not repeated by then.
Outcome SimulatedMachine::execute_until_repeated(const PreparedRun& run,
                                                 std::optional<std::int64_t> most_searched) {
  const auto attempt = [&](EvaluatedCollectives* collectives) {
    std::optional<RepetitionSearch> search;
    if (may_repeat(scenario_, run))
      search.emplace(SearchedRun{.workers = routes_.workers(),
                                 .iterations = run.iterations,
                                 .traffic_period = run.algorithm.quiescent_period(),
                                 .most_iterations = most_searched.value_or(most_iterations_to_repeat(run)),
                                 .ends_with_search = most_searched.has_value()});
    return execute(run, {.collectives = collectives, .search = search ? &*search : nullptr});
  };
  Outcome outcome =
      may_evaluate_collectives(scenario_, run, {}) ? with_evaluation(run, attempt) : attempt(nullptr);
  if (outcome.repetition) {
    const std::int64_t begun = outcome.repetition->simulated_iterations + 1;
    progress_.expect_more((begun - run.iterations) * routes_.workers());
  }
  return outcome;
}

Outcome SimulatedMachine::execute(const PreparedRun& run, const SimulationHooks& hooks) {
  const std::unique_ptr<NetworkModel> model = make_network_model(scenario_, routes_);
  PreparedRun shown = run;
  shown.load = counted(run.load, progress_);
  Outcome outcome = simulate_run(shown, routes_, *model, scenario_.message_costs, hooks);
  events_ += outcome.statistics.events;
  return outcome;
}

/// A run with links, critical paths or a timeline. Timelines show all iterations, so none may be left out.
Measurement SimulatedMachine::watch(const PreparedRun& run, TraceSink* trace) {
  if (trace == nullptr && may_repeat(scenario_, run))
    if (std::optional<Measurement> measurement = watch_repeating(run)) return std::move(*measurement);
  return watch_all(run, trace, nullptr);
}

/// First finds the repetition, and then watches the iterations up to it, whose links and paths are
/// extrapolated to the whole run. Absent if iterations do not repeat.
std::optional<Measurement> SimulatedMachine::watch_repeating(const PreparedRun& run) {
  const std::int64_t done = progress_.done();
  Outcome outcome = execute_until_repeated(run, most_iterations_unwatched(run));
  if (!outcome.repetition) {
    progress_.expect_again_since(done);
    return std::nullopt;
  }
  PreparedRun first = run;
  first.iterations = outcome.repetition->simulated_iterations;
  progress_.expect_more(first.iterations * routes_.workers());
  Measurement measurement = watch_all(first, nullptr, &*outcome.repetition);
  measurement.outcome = std::move(outcome);
  return measurement;
}

/// Watches all iterations of `run`. Collectives may be evaluated if there is no timeline, which shows
/// messages; evaluated rings tell of links and paths what `fair` would.
Measurement SimulatedMachine::watch_all(const PreparedRun& run, TraceSink* trace,
                                        const Repetition* repetition) {
  const auto attempt = [&](EvaluatedCollectives* collectives) {
    return watch(run, trace, collectives, repetition);
  };
  const bool may_evaluate = trace == nullptr && may_evaluate_collectives(scenario_, run, watching_) &&
                            (!run.algorithm.sequential_collectives().empty() || are_collectives_alone(run));
  return may_evaluate ? with_evaluation(run, attempt) : attempt(nullptr);
}

/// Whether the control messages of a run are known not to meet its collectives, as an exact evaluation shows.
bool SimulatedMachine::are_collectives_alone(const PreparedRun& run) const {
  if (!run.algorithm.has_control_beside_collectives()) return false;
  const std::int64_t done = progress_.done();
  if (!evaluated_run(run)) return false;
  progress_.expect_again_since(done);
  return true;
}

PathsOfJob SimulatedMachine::paths_of(const PreparedRun& run, const Repetition* repetition) const {
  PathsOfJob paths{.workers = routes_.workers(),
                   .iterations = run.iterations,
                   .warmup_iterations = scenario_.warmup_iterations,
                   .is_asked_for = watching_.critical_path,
                   .network_workers = static_cast<std::size_t>(routes_.workers()),
                   .links = routes_.links().size()};
  if (repetition == nullptr) return paths;
  paths.iterations = repetition->iterations;
  paths.run_iterations = run.iterations;
  paths.first_repeated = repetition->first_repeated();
  paths.repeated_iterations = repetition->period;
  return paths;
}

Measurement SimulatedMachine::watch(const PreparedRun& run, TraceSink* trace,
                                    EvaluatedCollectives* collectives, const Repetition* repetition) {
  const std::unique_ptr<NetworkModel> model = make_network_model(scenario_, routes_);
  LinkWatch all(routes_.links());
  std::optional<RepeatedLinks> repeated;
  if (watching_.links && repetition != nullptr)
    repeated.emplace(routes_.links(), routes_.workers(), *repetition);
  LinkWatch* const links = !watching_.links ? nullptr : repeated ? &repeated->watch() : &all;
  std::optional<CausalLog> causes;
  std::optional<CriticalPaths> paths;
  if (watching_.critical_path || trace != nullptr) {
    std::vector<Rank> workers(static_cast<std::size_t>(routes_.workers()));
    std::iota(workers.begin(), workers.end(), Rank{0});
    causes.emplace(steps_to_keep(watching_.critical_path));
    PathsOfJob all_paths = paths_of(run, repetition);
    if (watching_.critical_path && trace != nullptr)
      all_paths.listener = timeline_listener(*trace, routes_.links(), workers);
    paths.emplace(*causes).add(workers, all_paths);
  }
  WatchedNetwork watched(*model, routes_, links, trace, causes ? &*causes : nullptr);
  if (collectives != nullptr) collectives->report_to(links, causes ? &*causes : nullptr);
  PreparedRun shown = run;
  shown.load = counted(run.load, progress_);
  if (repeated) shown.load = repeated->observed(shown.load);
  Measurement measurement{.outcome = simulate_run(shown, routes_, watched, scenario_.message_costs,
                                                  {.trace = trace, .collectives = collectives})};
  events_ += measurement.outcome.statistics.events;
  if (repeated)
    measurement.links = repeated->uses(watched.does_model_report());
  else if (watching_.links)
    measurement.links = link_uses(all, watched.does_model_report(), measurement.outcome.statistics.makespan_s,
                                  run.iterations);
  if (watching_.critical_path) {
    measurement.critical_path = paths->mean(0, routes_.links());
    measurement.is_path_too_long = !measurement.critical_path;
  }
  return measurement;
}

Outcome simulate_run(const PreparedRun& run, const Routes& routes, NetworkModel& model,
                     const MessageCosts& costs, const SimulationHooks& hooks) {
  Outcome outcome(routes.workers(), run.iterations);
  TrainingJob job = training_job(run, outcome, hooks.learned);
  job.executor = hooks.collectives;
  const Replica sizes(run.workload);
  SimulatedWorld world(routes, model, costs, hooks.trace, run.workload.communication_slowdown);
  const auto statistics = [&] {
    RunStatistics so_far = world.statistics();
    if (hooks.collectives != nullptr) hooks.collectives->add_to(so_far);
    return so_far;
  };
  if (hooks.search != nullptr)
    job.load = searched(run, world, statistics, outcome.participation, *hooks.search);
  try {
    world.run([&](Worker& worker) {
      Replica own = run.learning == nullptr ? sizes.another() : replica_for(run, worker.rank());
      run.algorithm.run(worker, own, job);
    });
  } catch (const IterationsRepeat&) {
    // No worker has sent anything since all ended the last simulated iteration.
  }
  outcome.statistics = statistics();
  if (hooks.search != nullptr && hooks.search->repetition()) hooks.search->add_further_iterations(outcome);
  return outcome;
}

}  // namespace starling

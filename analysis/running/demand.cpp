#include "analysis/running/demand.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "algorithms/collectives/schedules/ring.hpp"
#include "analysis/effort/memory_limit.hpp"
#include "analysis/running/bucket_trials.hpp"
#include "analysis/running/repetition.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "io/scenario_error.hpp"
#include "io/text_table.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

// The least that was measured; most runs take several times as much.
constexpr double s_per_iteration_of_worker = 5e-7;
constexpr double s_per_modeled_iteration = 1e-7;
constexpr double s_per_message = 5e-8;
constexpr double bytes_of_program = 6e6;
constexpr double bytes_per_worker = 1e3;
constexpr double bytes_per_message_under_way = 400;
constexpr double bytes_per_row = 100;

// Graphs of fewer workers need little memory even if everyone is joined with everyone, of more they have few
// edges for each: see most_weights.
constexpr int least_workers_of_dense_graph = 2048;
constexpr int most_workers_of_dense_graph = 1 << 16;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Of one algorithm's iteration: messages that cannot be avoided by evaluating collectives.
double messages_of(const ScenarioJob& job, std::size_t index) {
  const int workers = job.workers();
  if (workers < least_workers_of_dense_graph || workers > most_workers_of_dense_graph) return 0;
  const std::optional<MixingMatrix> matrix = job.options(index).mixing_matrix(job.facts());
  double messages = 0;
  if (matrix)
    for (Rank rank = 0; rank < workers; ++rank) messages += matrix->graph().out_degree(rank, 0);
  return messages;
}

/// Of all ranks, about.
struct Sent {
  double messages = 0;
  double elements = 0;
};

Sent sent_by(const Schedule& schedule) {
  const int ranks = schedule.ranks();
  if (schedule.is_ring()) {
    const double elements_of_rank = static_cast<double>(schedule.count()) / ranks;
    const double rounds = static_cast<double>(ranks) * schedule.rounds(0);
    return {.messages = rounds * std::min(1.0, elements_of_rank), .elements = rounds * elements_of_rank};
  }
  constexpr int most_asked = 8;
  const int asked = std::min(most_asked, ranks);
  Sent sent;
  for (int i = 0; i < asked; ++i) {
    const auto rank = static_cast<Rank>(std::int64_t{i} * ranks / asked);
    for (int round = 0; round < schedule.rounds(rank); ++round) {
      const Transmission send = schedule.round(rank, round).send;
      if (!send.is_present()) continue;
      sent.messages += static_cast<double>(ranks) / asked;
      sent.elements += static_cast<double>(send.chunk.count) * ranks / asked;
    }
  }
  return sent;
}

/// Whether no two hops of a ring of all workers share a link.
bool is_ring_alone(const Routes& routes) {
  std::vector<bool> is_used(routes.links().size());
  for (Rank rank = 0; routes.workers() > 1 && rank < routes.workers(); ++rank)
    for (const LinkIndex link : routes.route(rank, Ring(rank, routes.workers()).right())) {
      if (is_used[static_cast<std::size_t>(link)]) return false;
      is_used[static_cast<std::size_t>(link)] = true;
    }
  return true;
}

/// Whether all workers can surely send to different ones at once: each has its link to the only switch.
bool are_exchanges_alone(const Routes& routes) {
  constexpr std::size_t links_by_one_switch = 2;
  return routes.hosts() == routes.workers() &&
         (routes.workers() == 1 || routes.route(0, routes.workers() / 2).size() <= links_by_one_switch);
}

/// Finds out what a run comes to.
class ShapeOfRun {
 public:
  ShapeOfRun(const ScenarioJob& job, std::size_t index, const RunWays& ways)
      : job_(job),
        ways_(ways),
        run_(job.run(index)),
        traffic_(run_.algorithm.usual_traffic(run_.workload)),
        are_exchanges_alone_(are_exchanges_alone(job.routes())),
        is_disturbed_(!job.scenario().imbalance.empty()) {
    if (!ways.sends_all && may_leave_out_messages(job.scenario(), run_)) {
      is_ring_alone_ = std::ranges::any_of(traffic_.collectives, is_ring) && is_ring_alone(job.routes());
      is_whole_evaluated_ = is_whole_evaluated();
      may_evaluate_collectives_ =
          is_whole_evaluated_ || may_evaluate_collectives(job.scenario(), run_, ways.watching);
    }
    shape_.iterations = iterations(index);
  }

  RunShape shape() {
    shape_.workers = job_.workers();
    shape_.engine = job_.scenario().engine;
    shape_.has_workers = !is_whole_evaluated_;
    shape_.flows = std::max(1.0, traffic_.models);
    for (const UsualTraffic::Collective& collective : traffic_.collectives) add(collective);
    add_other_messages();
    return shape_;
  }

 private:
  double iterations(std::size_t index) const {
    std::int64_t iterations = job_.iterations(index);
    if (!ways_.sends_all && may_repeat(job_.scenario(), run_))
      iterations = std::min(iterations, iterations_to_repeat);
    return static_cast<double>(iterations);
  }

  /// Partial collectives meet each other as soon as workers are not all alike.
  bool is_whole_evaluated() const {
    if (ways_.evaluator == nullptr || ways_.watching.anything()) return false;
    if (!ways_.evaluator->may_evaluate(run_, job_.routes())) return false;
    if (run_.algorithm.has_control_beside_collectives()) return is_ring_alone_;
    return are_exchanges_alone_ && (traffic_.collectives.empty() || !is_disturbed_);
  }

  static bool is_ring(const UsualTraffic::Collective& collective) {
    return collective.schedule->is_ring();
  }

  void add(const UsualTraffic::Collective& collective) {
    const Sent sent = sent_by(*collective.schedule);
    const double messages = collective.times * sent.messages;
    shape_.collectives += collective.times;
    if (is_ring(collective) && may_evaluate_collectives_ && is_ring_alone_) {
      // Half of an all-reduce is half of the work.
      if (sent.messages > 0) shape_.rings += messages / (2 * shape_.workers * (shape_.workers - 1));
      shape_.ring_messages += messages;
    } else if (is_whole_evaluated_ || is_evaluated_beside_rings()) {
      shape_.other_messages += messages;
    } else {
      (is_ring(collective) ? shape_.messages_along : shape_.messages_across) += messages;
      add_frames(messages, collective.times * sent.elements * run_.workload.bytes_per_element);
    }
  }
  /// Workers that are not alike run ahead, and their messages meet.
  bool is_evaluated_beside_rings() const {
    return may_evaluate_collectives_ && are_exchanges_alone_ && !is_disturbed_ && !ways_.watching.anything();
  }

  void add_other_messages() {
    const double messages = shape_.workers * traffic_.messages;
    if (is_whole_evaluated_) {
      shape_.other_messages += messages;
      return;
    }
    shape_.messages_across += messages;
    const double model_bytes =
        static_cast<double>(Replica(run_.workload).elements()) * run_.workload.bytes_per_element;
    add_frames(messages, shape_.workers * traffic_.models * model_bytes);
  }

  /// Of messages of the same size.
  void add_frames(double messages, double bytes) {
    if (messages == 0) return;
    const TcpOptions& tcp = job_.scenario().tcp;
    const double frames = bytes / messages / tcp.frame_bytes;
    shape_.frames += messages * std::clamp(frames, 1.0, static_cast<double>(tcp.frames_per_message));
  }

  const ScenarioJob& job_;
  const RunWays& ways_;
  PreparedRun run_;
  UsualTraffic traffic_;
  bool is_ring_alone_ = false;
  bool are_exchanges_alone_;
  bool is_disturbed_;
  bool is_whole_evaluated_ = false;
  bool may_evaluate_collectives_ = false;
  RunShape shape_ = {};
};

/// About what the algorithm of that number takes, with so many bytes of records in memory. A timeline shows
/// messages: what has been evaluated is run once more.
RunEffort usual_effort(const ScenarioJob& job, std::size_t index, const RunWays& ways, double logged_bytes) {
  RunShape shape = ShapeOfRun(job, index, ways).shape();
  shape.logged_bytes = logged_bytes;
  RunEffort effort = effort_of(shape, ways.watching);
  if (!ways.is_traced) return effort;
  RunWays shown = ways;
  shown.sends_all = true;
  RunShape traced = ShapeOfRun(job, index, shown).shape();
  traced.logged_bytes = logged_bytes;
  const RunEffort of_traced = effort_of(traced, ways.watching);
  const bool may_evaluate =
      !ways.sends_all && (!shape.has_workers || may_evaluate_collectives(job.scenario(), job.run(index), {}));
  const bool is_one_run = ways.watching.anything() || !may_evaluate;
  effort.time_s = (is_one_run ? 0 : effort.time_s) + of_traced.time_s + timeline_s(traced);
  effort.memory_bytes = std::max(effort.memory_bytes, of_traced.memory_bytes);
  return effort;
}

/// Parameters, gradients and what the observer keeps of them.
constexpr double kept_of_each_parameter = 3;

double learned_parameters(const ScenarioJob& job) {
  const std::optional<LearningOptions>& learning = job.scenario().learning;
  return learning ? job.workers() * static_cast<double>(learning->task->parameters()) : 0;
}

double kept_by(const OptimizerOptions& optimizer) {
  if (optimizer.kind == OptimizerKind::sgd) return optimizer.momentum != 0 ? 1 : 0;
  return optimizer.kind == OptimizerKind::accum_adam ? 3 : 2;
}

LearningShape learning_shape(const ScenarioJob& job, const LearningOptions& learning, double iterations) {
  const double evaluations = iterations / static_cast<double>(learning.evaluate_every) + 1;
  const double parameters = learned_parameters(job);
  return {.operations = job.workers() * iterations * learning.task->gradient_operations() +
                        evaluations * learning.task->loss_operations(),
          .updated_elements = parameters * (iterations + evaluations),
          .kept_elements = parameters * (kept_of_each_parameter + kept_by(learning.optimizer))};
}

/// Of the trials before it; nothing where the size of buckets is known.
double search_s(const ScenarioJob& job, std::size_t index, const RunEvaluator* evaluator) {
  if (!has_bucket_search(job.options(index))) return 0;
  RunShape shape = ShapeOfRun(job, index, {.evaluator = evaluator}).shape();
  shape.iterations = static_cast<double>(bucket_search_iterations());
  return effort_of(shape).time_s;
}

/// The same with a search for the size of its buckets before it, and after it the run that learns, all of
/// whose messages are sent.
RunEffort effort_with_other_runs(const ScenarioJob& job, std::size_t index, const RunWays& ways,
                                 double logged_bytes) {
  RunEffort effort = usual_effort(job, index, ways, logged_bytes);
  effort.time_s += search_s(job, index, ways.evaluator);
  if (!ways.learns || !job.scenario().learning) return effort;
  RunShape shape = ShapeOfRun(job, index, {.sends_all = true}).shape();
  shape.logged_bytes = logged_bytes;
  const RunEffort sent = effort_of(shape);
  const RunEffort learned = effort_of(learning_shape(job, *job.scenario().learning, shape.iterations));
  effort.time_s += sent.time_s + learned.time_s;
  effort.memory_bytes = std::max(effort.memory_bytes, sent.memory_bytes + learned.memory_bytes);
  return effort;
}

/// Of all algorithms, one after the other.
RunEffort usual_effort(const ScenarioJob& job, const RunWays& ways, double logged_bytes) {
  RunEffort sum;
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i) {
    const RunEffort own = effort_with_other_runs(job, i, ways, logged_bytes);
    sum.time_s += own.time_s;
    sum.memory_bytes = std::max(sum.memory_bytes, own.memory_bytes);
  }
  return sum;
}

double on_disk(double bytes) { return bytes > static_cast<double>(most_bytes_in_memory) ? bytes : 0; }

/// The folder, or of those above it the first that there is.
std::filesystem::path existing(std::filesystem::path folder) {
  std::error_code error;
  folder = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

/// Where no file has room at all, as below /proc, room is not what is missing.
double free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error || space.capacity == 0 ? unlimited : static_cast<double>(space.available);
}

bool are_on_one_disk(const std::filesystem::path& one, const std::filesystem::path& other) {
  struct stat of_one {};
  struct stat of_other {};
  return ::stat(one.c_str(), &of_one) == 0 && ::stat(other.c_str(), &of_other) == 0 &&
         of_one.st_dev == of_other.st_dev;
}

std::string duration_text(double seconds) {
  constexpr double hour_s = 3600;
  constexpr double day_s = 24 * hour_s;
  constexpr double year_s = 365 * day_s;
  if (seconds < hour_s) return time_text(seconds);
  if (seconds < 2 * day_s) return fmt::format("{:.1f} hours", seconds / hour_s);
  if (seconds < 2 * year_s) return fmt::format("{:.0f} days", seconds / day_s);
  return fmt::format("{:.0f} years", seconds / year_s);
}

std::string text_of_share(const MachineSupply& supply) {
  return supply.runs_at_once == 1 ? "" : fmt::format(" for each of {} runs at once", supply.runs_at_once);
}

/// Where what is there would do for fewer runs at once.
std::string fewer_jobs_text(double needed, double of_each, const MachineSupply& supply) {
  const bool is_share_short = needed > of_each && needed <= of_each * supply.runs_at_once;
  return is_share_short ? ", or fewer --jobs" : "";
}

/// What of it is too much, and how many times there is as much as what grows with the iterations.
struct Shortage {
  std::vector<std::string> texts;
  double greatest = 0;

  void compare(double needed, double available, const std::string& text) {
    if (needed <= available) return;
    texts.push_back(text);
    greatest = std::max(greatest, needed / available);
  }
};

Shortage shortage(const JobDemand& demand, const MachineSupply& supply) {
  Shortage found;
  found.compare(demand.time_s, supply.time_s,
                fmt::format("more than {} is refused", duration_text(supply.time_s)));
  found.compare(demand.records_bytes, supply.records_bytes,
                fmt::format("{} has room for {}{}", folder_of_large_memory(),
                            bytes_text(supply.records_bytes), text_of_share(supply)));
  found.compare(demand.files_bytes + (supply.is_one_disk ? demand.records_bytes : 0), supply.files_bytes,
                fmt::format("the disk of --out has room for {}", bytes_text(supply.files_bytes)));
  return found;
}

std::string usual_text(const RunEffort& effort) {
  return fmt::format("{} and {} of memory", duration_text(effort.time_s), bytes_text(effort.memory_bytes));
}

std::string demand_text(const JobDemand& demand) {
  std::string text = fmt::format("at least {} and {} of memory", duration_text(demand.time_s),
                                 bytes_text(demand.memory_bytes));
  if (demand.records_bytes > 0)
    text += fmt::format(", {} on disk for records", bytes_text(demand.records_bytes));
  text += fmt::format(", and {} of files with --out", bytes_text(demand.files_bytes));
  if (demand.usual.time_s > 0) text += fmt::format(" (about {})", usual_text(demand.usual));
  return text;
}

/// What is asked for, in words.
struct Asked {
  const Scenario& scenario;
  std::string what;   // that would take too much
  std::string place;  // where there are too many iterations
  Forcing forcing = Forcing::impossible;
};

/// What would do where it takes so many times too much.
std::string accepted_text(const Scenario& scenario, double times_too_much) {
  if (!scenario.jobs.empty()) return "fewer iterations, workers or jobs";
  const auto most = static_cast<std::int64_t>(static_cast<double>(scenario.iterations) / times_too_much);
  return most > 0 ? fmt::format("at most {} iterations, fewer workers or algorithms", most)
                  : "fewer workers or algorithms";
}

[[noreturn]] void refuse(const Asked& asked, const JobDemand& demand, const std::string& place,
                         const std::string& missing, const std::string& accepted) {
  throw ScenarioError(
      {.file = asked.scenario.file.string(),
       .place = asked.scenario.place + place,
       .problem = fmt::format("{} would take {}, but {}", asked.what, demand_text(demand), missing),
       .got = "",
       .expected = accepted + (asked.forcing == Forcing::possible ? ", or --force" : "")});
}

Asked iterations_of(const ScenarioJob& job) {
  const Scenario& scenario = job.scenario();
  return {.scenario = scenario,
          .what = fmt::format("{} iterations of {} workers", scenario.iterations, job.workers()),
          .place = "/iterations"};
}

void refuse_shortage(const Asked& asked, const JobDemand& demand, const MachineSupply& supply) {
  if (demand.memory_bytes > supply.memory_bytes)
    refuse(asked, demand, "/cluster/workers",
           fmt::format("there are {} of memory{}", bytes_text(supply.memory_bytes), text_of_share(supply)),
           (asked.scenario.learning ? "fewer workers, fewer neighbors for each, or a task of fewer parameters"
                                    : "fewer workers, or fewer neighbors for each") +
               fewer_jobs_text(demand.memory_bytes, supply.memory_bytes, supply));
  const Shortage found = shortage(demand, supply);
  if (found.texts.empty()) return;
  refuse(asked, demand, asked.place, fmt::format("{}", fmt::join(found.texts, ", and ")),
         accepted_text(asked.scenario, found.greatest) +
             fewer_jobs_text(demand.records_bytes, supply.records_bytes, supply));
}

/// What the records of all workers' iterations take, and the durations of these.
double logged_bytes(const ScenarioJob& job) {
  const double rows = static_cast<double>(job.workers()) * static_cast<double>(job.scenario().iterations);
  return rows * sizeof(IterationRecord) + rows * sizeof(double);
}

/// Without what is usual.
JobDemand least_demand_of(const ScenarioJob& job, bool learns = true) {
  const double workers = job.workers();
  const auto iterations = static_cast<double>(job.scenario().iterations);
  const double rows = workers * iterations;
  JobDemand demand{.records_bytes = on_disk(rows * sizeof(IterationRecord)) + on_disk(rows * sizeof(double))};
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i) {
    const double messages = messages_of(job, i);
    demand.time_s += rows * s_per_iteration_of_worker + iterations * messages * s_per_message;
    demand.memory_bytes =
        std::max(demand.memory_bytes, workers * bytes_per_worker + messages * bytes_per_message_under_way);
    demand.files_bytes += rows * bytes_per_row;
  }
  demand.memory_bytes += bytes_of_program + logged_bytes(job) - demand.records_bytes;
  if (learns) demand.memory_bytes += kept_of_each_parameter * learned_parameters(job) * sizeof(float);
  return demand;
}

}  // namespace

JobDemand demand_of(const ScenarioJob& job, const RunWays& ways) {
  JobDemand demand = least_demand_of(job, ways.learns);
  demand.usual = usual_effort(job, ways, logged_bytes(job) - demand.records_bytes);
  demand.usual.time_s = std::max(demand.usual.time_s, demand.time_s);
  demand.usual.memory_bytes = std::max(demand.usual.memory_bytes, demand.memory_bytes);
  if (const std::optional<WantedPrecision>& precision = job.scenario().precision)
    demand.most_time_s = demand.usual.time_s * static_cast<double>(precision->most_iterations) /
                         static_cast<double>(job.scenario().iterations);
  return demand;
}

MachineSupply supply_of_machine(const std::optional<std::filesystem::path>& folder, int runs_at_once) {
  constexpr double most_time_s = 30 * 24 * 3600;
  const std::filesystem::path of_records = existing(folder_of_large_memory());
  const std::filesystem::path of_files = existing(folder.value_or("/"));
  return {.time_s = most_time_s,
          .memory_bytes = memory_of_process_bytes() / runs_at_once,
          .records_bytes = free_bytes(of_records) / runs_at_once,
          .files_bytes = folder ? free_bytes(of_files) : unlimited,
          .is_one_disk = folder && are_on_one_disk(of_records, of_files),
          .runs_at_once = runs_at_once};
}

int runs_that_fit(const JobDemand& demand, const MachineSupply& of_all, int most) {
  double fit = std::min<double>(most, of_all.memory_bytes / demand.memory_bytes);
  if (demand.records_bytes > 0) fit = std::min(fit, of_all.records_bytes / demand.records_bytes);
  return std::max(static_cast<int>(fit), 1);
}

JobDemand demand_of_measuring(const ScenarioJob& job, int repetitions) {
  const JobDemand simulated = demand_of(job);
  const Scenario& scenario = job.scenario();
  const double runs = static_cast<double>(scenario.algorithms.size()) * repetitions;
  return {.time_s = runs * static_cast<double>(scenario.iterations) * scenario.workload.compute_total_s(),
          .memory_bytes = bytes_of_program,
          .records_bytes = simulated.records_bytes,
          .files_bytes = simulated.files_bytes};
}

std::optional<std::string> usual_demand_text(const JobDemand& demand, const MachineSupply& supply, int times,
                                             double further_s) {
  constexpr double least_told_s = 60;
  const RunEffort usual{.time_s = times * demand.usual.time_s + further_s,
                        .memory_bytes = demand.usual.memory_bytes};
  const double most_s = times * demand.most_time_s + further_s;
  const bool is_too_large = usual.memory_bytes > supply.memory_bytes;
  if (std::max(usual.time_s, most_s) < least_told_s && !is_too_large) return std::nullopt;
  std::string text = fmt::format("this takes about {}", usual_text(usual));
  if (is_too_large) text += fmt::format(", more than the {} that there are", bytes_text(supply.memory_bytes));
  if (demand.most_time_s > demand.usual.time_s)
    text += fmt::format("; up to {} if means are not known earlier", duration_text(most_s));
  return text;
}

void refuse_shortage(const ScenarioJob& job, const MachineSupply& supply, Forcing forcing) {
  const JobDemand least = least_demand_of(job);
  const bool falls_short = least.memory_bytes > supply.memory_bytes || !shortage(least, supply).texts.empty();
  // What is usual takes longer to find out than some runs of a sweep do.
  if (falls_short) refuse_shortage(job, demand_of(job), supply, forcing);
}

void refuse_shortage(const ScenarioJob& job, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing) {
  Asked asked = iterations_of(job);
  asked.forcing = forcing;
  refuse_shortage(asked, demand, supply);
}

void refuse_shortage_of_modeling(const ScenarioJob& job, bool simulates, const MachineSupply& supply) {
  JobDemand demand = demand_of(job, {.learns = false});
  if (!simulates) {
    demand.time_s *= s_per_modeled_iteration / s_per_iteration_of_worker;
    demand.usual = {};
  }
  refuse_shortage(iterations_of(job), demand, supply);
}

void refuse_shortage_of_measuring(const ScenarioJob& job, int repetitions, const MachineSupply& supply) {
  refuse_shortage(iterations_of(job), demand_of_measuring(job, repetitions), supply);
}

void refuse_shortage(const Scenario& scenario, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing) {
  refuse_shortage(Asked{.scenario = scenario,
                        .what = fmt::format("{} jobs", scenario.jobs.size()),
                        .place = "/jobs",
                        .forcing = forcing},
                  demand, supply);
}

}  // namespace starling

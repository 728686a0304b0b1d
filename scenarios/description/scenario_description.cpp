#include "scenarios/description/scenario_description.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace starling {
namespace {

void describe_length(ScenarioDescription& scenario, OptionVisitor& visitor) {
  visitor.integer_or_object(
      {"iterations",
       "number of iterations, warm-up included; an object: until the mean iteration time is known"},
      scenario.iterations, {1, most_iterations}, scenario.precision);
  if (scenario.precision)
    scenario.iterations = std::min(first_iterations, scenario.precision->most_iterations);
  const std::int64_t by_default = default_warmup(scenario.iterations);
  std::int64_t warmup = scenario.warmup_iterations.value_or(by_default);
  visitor.integer(
      {"warmup_iterations", "number of first iterations that results do not count; less than `iterations`",
       "a tenth of `iterations`, at least 1 (0 if there is only one); where that is an object, a tenth of "
       "100, or of `most` if that is less"},
      warmup, {0, most_iterations});
  if (warmup != by_default) scenario.warmup_iterations = warmup;
  visitor.require(warmup < scenario.iterations, "warmup_iterations", "leaves no iteration to measure",
                  fmt::format("at most {}", scenario.iterations - 1));
}

/// A scenario for one engine may have the options of another, for runs with `--engine`.
template <typename Options>
void describe_engine_options(std::string_view key, Options& options, bool is_used, OptionVisitor& visitor) {
  visitor.object({key, "options of the engine of this name; accepted with any engine", "the defaults below"},
                 Nested{.describe = [&](OptionVisitor& inner) { describe(options, inner); },
                        .is_present = is_used,
                        .may_be_absent = !is_used,
                        .set_present = [&](bool) { options = {}; }});
}

void describe_engine(ScenarioDescription& scenario, OptionVisitor& visitor) {
  std::vector<std::pair<std::string, Engine>> engines;
  for (const std::string& name : engine_names())
    engines.emplace_back(name, static_cast<Engine>(engines.size()));
  visitor.choice(
      {"engine",
       "the network model: LogGP with links that serve messages in turn, SimGrid's max-min fair flows, TCP "
       "connections frame by frame, or connections that share links max-min fairly"},
      scenario.engine, engines);
  describe_engine_options("simgrid", scenario.simgrid, scenario.engine == Engine::simgrid, visitor);
  describe_engine_options("fair", scenario.fair, scenario.engine == Engine::fair, visitor);
  visitor.choice({"collectives",
                  "`auto`: collectives, and whole runs of algorithms with other traffic, are evaluated at "
                  "once where that is exact; `messages`: all messages are simulated one by one"},
                 scenario.collectives,
                 {{"auto", CollectiveExecution::automatic}, {"messages", CollectiveExecution::messages}});
}

constexpr std::string_view no_place_beside_jobs = "cannot be combined with \"jobs\"";

void describe_machines(ScenarioDescription& scenario, OptionVisitor& visitor) {
  const bool has_jobs = visitor.gives("jobs");
  const PlacementOptions& placement = scenario.cluster.options.placement;
  visitor.object({.key = "cluster", .meaning = "the machines and their network", .is_needed = true},
                 Nested{.describe = [&](OptionVisitor& inner) {
                   describe_cluster(scenario.cluster, scenario.engine == Engine::tcp, inner);
                   inner.require(!has_jobs || placement.name != optimized_placement, "placement",
                                 "is computed from the messages of a single job",
                                 "another placement with \"jobs\"");
                 }});
}

void describe_work(ScenarioDescription& scenario, OptionVisitor& visitor) {
  const int& workers = scenario.cluster.options.workers;
  visitor.require(visitor.gives("workload") || visitor.gives("jobs"), "", "key \"workload\" is missing",
                  "an object, or \"jobs\" with a workload each");
  visitor.object(
      {.key = "workload",
       .meaning = "what each worker computes",
       .otherwise = "",
       .without = "jobs",
       .clash = no_place_beside_jobs,
       .instead = "\"workload\" in each job"},
      Nested{.describe = [&](OptionVisitor& inner) { describe_workload(scenario.workload, workers, inner); },
             .may_be_absent = true,
             .set_present = [](bool) {}});
  visitor.object({.key = "learning",
                  .meaning = "a small task that workers learn, with real gradients",
                  .otherwise = "absent: messages have sizes, but no contents",
                  .without = "jobs",
                  .clash = no_place_beside_jobs,
                  .instead = "\"workload\" and \"algorithms\" in place of \"jobs\""},
                 Nested{.describe =
                            [&](OptionVisitor& inner) {
                              describe_learning(*scenario.learning, workers, scenario.iterations, inner);
                            },
                        .is_present = scenario.learning.has_value(),
                        .may_be_absent = true,
                        .set_present =
                            [&](bool is_present) {
                              scenario.learning.reset();
                              if (is_present) scenario.learning.emplace();
                            }});
}

void describe_jobs(ScenarioDescription& scenario, OptionVisitor& visitor) {
  constexpr std::size_t most_jobs = 100;
  visitor.list({"jobs",
                "several jobs that share the cluster, each with its own workers, in place of `workload`, "
                "`learning` and `algorithms`",
                "none"},
               NestedList{.size = [&] { return scenario.jobs.size(); },
                          .resize = [&](std::size_t count) { scenario.jobs.resize(count); },
                          .describe =
                              [&](std::size_t i, OptionVisitor& each) {
                                describe_job(scenario.jobs[i], i, job_defaults(scenario), each);
                              },
                          .accepted = {.least = 1, .greatest = most_jobs, .noun = "jobs"}});
  visitor.exactly_one({"algorithms", "jobs"});
  visitor.together("workload", "algorithms");
}

}  // namespace

void describe(WantedPrecision& precision, OptionVisitor& visitor) {
  visitor.number({"standard_error",
                  "relative standard error of every algorithm's mean iteration time at which a run may end"},
                 precision.standard_error, Range::above(0));
  visitor.integer({"most", "number of iterations, warm-up included, after which a run ends in any case"},
                  precision.most_iterations, {4, most_iterations});
}

JobDefaults job_defaults(const ScenarioDescription& scenario) {
  return {.iterations = scenario.iterations,
          .warmup_iterations = scenario.warmup_iterations.value_or(default_warmup(scenario.iterations))};
}

std::int64_t default_warmup(std::int64_t iterations) {
  return iterations == 1 ? 0 : std::max<std::int64_t>(1, iterations / 10);
}

void describe(ScenarioDescription& scenario, OptionVisitor& visitor) {
  visitor.line({"name", "name in results", "the file's name"}, scenario.name);
  visitor.integer({"seed", "seed of all random numbers; all algorithms of a scenario have the same draws"},
                  scenario.seed);
  describe_length(scenario, visitor);
  describe_engine(scenario, visitor);
  describe_machines(scenario, visitor);
  describe_work(scenario, visitor);
  describe_algorithms(scenario.algorithms, visitor);
  describe_jobs(scenario, visitor);
}

}  // namespace starling

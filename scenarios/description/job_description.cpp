#include "scenarios/description/job_description.hpp"

#include <fmt/format.h>

#include "base/numbers/mix.hpp"
#include "scenarios/description/iterations.hpp"

namespace starling {
namespace {

void describe_workers(JobDescription& job, OptionVisitor& visitor) {
  visitor.integer({"workers", "how many workers of the cluster it has, one after the other; or `ranks`"},
                  job.workers, {1, most_workers});
  visitor.integer({.key = "first_worker",
                   .meaning = "the cluster's worker that is its rank 0",
                   .otherwise = "the one after the greatest of the job before; 0 for the first job",
                   .with = "workers",
                   .clash = "goes with \"workers\" only",
                   .instead = "\"workers\" beside it, or \"ranks\" without it"},
                  job.first_worker, {0, most_workers - 1});
  visitor.integers(
      {"ranks", "which workers of the cluster are its ranks 0, 1, …, in this order; or `workers`"}, job.ranks,
      {0, most_workers - 1}, {.least = 1, .greatest = most_workers, .noun = "workers", .unique = "worker"});
  visitor.exactly_one({"workers", "ranks"});
}

void describe_job_length(JobDescription& job, const JobDefaults& defaults, OptionVisitor& visitor) {
  visitor.integer({"iterations", "warm-up included", "the scenario's"}, job.iterations, {1, most_iterations});
  const std::int64_t iterations = job.iterations.value_or(defaults.iterations);
  visitor.integer({"warmup_iterations",
                   "the first iterations, which no result counts; less than `iterations`", "the scenario's"},
                  job.warmup_iterations, {0, most_iterations});
  const std::int64_t warmup = job.warmup_iterations.value_or(defaults.warmup_iterations);
  visitor.require(warmup < iterations, job.warmup_iterations ? "warmup_iterations" : "iterations",
                  "leaves no iteration to measure", "fewer iterations to warm up than in all",
                  fmt::format("{} of {} to warm up", warmup, iterations));
  visitor.flag(
      {"repeat",
       "whether it goes on after its iterations, which no result counts any more, until all other jobs "
       "have done theirs"},
      job.repeats);
}

}  // namespace

void describe_job(JobDescription& job, std::size_t number, const JobDefaults& defaults,
                  OptionVisitor& visitor) {
  if (job.name.empty()) job.name = fmt::format("job-{}", number + 1);
  visitor.line({"name", "how results call it; unique", "`job-1`, `job-2` …"}, job.name);
  visitor.integer({"seed", "of its random numbers, which depend on nothing else but its own ranks",
                   "the scenario's for the first job, for each other one that follows from it"},
                  job.seed);
  describe_workers(job, visitor);
  visitor.time({"start", "when it begins"}, job.start_s);
  describe_job_length(job, defaults, visitor);
  visitor.object({.key = "workload", .meaning = "what a worker of it computes", .is_needed = true},
                 Nested{.describe = [&](OptionVisitor& inner) {
                   describe_workload(job.workload, job.worker_count(), inner);
                 }});
  visitor.object({.key = "algorithm", .meaning = "how it trains", .is_needed = true}, job.algorithm);
}

std::uint64_t usual_seed(std::uint64_t scenario_seed, std::size_t number) {
  constexpr int kept_bits = 31;  // integers of this size are exact in every JSON reader
  return number == 0 ? scenario_seed : mix(mix(scenario_seed) + number) >> (64 - kept_bits);
}

}  // namespace starling

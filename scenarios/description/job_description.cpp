#include "scenarios/description/job_description.hpp"

#include <fmt/format.h>

#include "base/numbers/mix.hpp"
#include "scenarios/description/iterations.hpp"

namespace starling {
namespace {

void describe_workers(JobDescription& job, OptionVisitor& visitor) {
  visitor.integer(
      {"workers", "number of consecutive workers of the cluster that the job has; or give `ranks`"},
      job.workers, {1, most_workers});
  visitor.integer({.key = "first_worker",
                   .meaning = "worker of the cluster that is the job's rank 0",
                   .otherwise = "the one after the greatest of the previous job; 0 for the first job",
                   .with = "workers",
                   .clash = "is accepted with \"workers\" only",
                   .instead = "\"workers\" as well, or \"ranks\" without it"},
                  job.first_worker, {0, most_workers - 1});
  visitor.integers(
      {"ranks", "workers of the cluster that are the job's ranks 0, 1, …, in this order; or give `workers`"},
      job.ranks, {0, most_workers - 1},
      {.least = 1, .greatest = most_workers, .noun = "workers", .unique = "worker"});
  visitor.exactly_one({"workers", "ranks"});
}

void describe_job_length(JobDescription& job, const JobDefaults& defaults, OptionVisitor& visitor) {
  visitor.integer({"iterations", "number of iterations, warm-up included", "the scenario's"}, job.iterations,
                  {1, most_iterations});
  const std::int64_t iterations = job.iterations.value_or(defaults.iterations);
  visitor.integer(
      {"warmup_iterations", "number of first iterations that results do not count; less than `iterations`",
       "the scenario's"},
      job.warmup_iterations, {0, most_iterations});
  const std::int64_t warmup = job.warmup_iterations.value_or(defaults.warmup_iterations);
  visitor.require(warmup < iterations, job.warmup_iterations ? "warmup_iterations" : "iterations",
                  "leaves no iteration to measure", "fewer warm-up iterations than iterations",
                  fmt::format("{} warm-up iterations of {}", warmup, iterations));
  visitor.flag({"repeat",
                "whether the job continues after its iterations, uncounted, until all other jobs have "
                "completed theirs"},
               job.repeats);
}

}  // namespace

void describe_job(JobDescription& job, std::size_t number, const JobDefaults& defaults,
                  OptionVisitor& visitor) {
  if (job.name.empty()) job.name = fmt::format("job-{}", number + 1);
  visitor.line({"name", "name in results; unique", "`job-1`, `job-2` …"}, job.name);
  visitor.integer({"seed", "seed of the job's random numbers, which depend on nothing else but its own ranks",
                   "the scenario's for the first job, one derived from it for each other job"},
                  job.seed);
  describe_workers(job, visitor);
  visitor.time({"start", "time at which the job begins"}, job.start_s);
  describe_job_length(job, defaults, visitor);
  visitor.object({.key = "workload", .meaning = "what each worker of the job computes", .is_needed = true},
                 Nested{.describe = [&](OptionVisitor& inner) {
                   describe_workload(job.workload, job.worker_count(), inner);
                 }});
  visitor.object({.key = "algorithm", .meaning = "algorithm by which the job trains", .is_needed = true},
                 job.algorithm);
}

std::uint64_t default_seed(std::uint64_t scenario_seed, std::size_t number) {
  constexpr int kept_bits = 31;  // integers of this size are exact in every JSON reader
  return number == 0 ? scenario_seed : mix(mix(scenario_seed) + number) >> (64 - kept_bits);
}

}  // namespace starling

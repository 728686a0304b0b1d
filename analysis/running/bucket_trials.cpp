#include "analysis/running/bucket_trials.hpp"

#include <cstdint>
#include <utility>

#include "algorithms/training/synchronous/bucket_search.hpp"
#include "algorithms/training/synchronous/dear.hpp"
#include "analysis/results/metrics.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

// Enough for the pipeline to fill, and a few iterations to average.
constexpr std::int64_t trial_iterations = 5;
constexpr std::int64_t trial_warmup_iterations = 1;

using TryOut = std::function<Outcome(const PreparedRun& run)>;

void set_bucket_bytes(ScenarioJob& job, std::size_t index, double bucket_bytes) {
  DearOptions options = *job.options(index).get_if<DearOptions>();
  options.bucket_bytes = bucket_bytes;
  job.replace_options(index, options);
}

double trial_time_s(ScenarioJob& job, std::size_t index, const TryOut& run_trial, double bucket_bytes) {
  set_bucket_bytes(job, index, bucket_bytes);
  PreparedRun trial = job.run(index);
  trial.iterations = trial_iterations;
  return iteration_time(run_trial(trial).log, trial_warmup_iterations).mean;
}

/// The scenario's algorithm block with what the search found.
Json found_block(Json block, const BucketSearchResult& found) {
  Json trials = Json::array();
  for (const BucketTrial& trial : found.trials)
    trials.push_back({{"bucket_bytes", trial.bucket_bytes}, {"iteration_time_s", trial.iteration_time_s}});
  block["bucket_bytes"] = found.bucket_bytes;
  block[bucket_search_key] = {{"iterations_per_trial", trial_iterations}, {"trials", std::move(trials)}};
  return block;
}

}  // namespace

bool has_bucket_search(const TrainingOptions& options) {
  const auto* dear = options.get_if<DearOptions>();
  return dear != nullptr && !dear->bucket_bytes;
}

std::int64_t bucket_search_iterations() { return BucketSearchOptions{}.trials * trial_iterations; }

void search_buckets(ScenarioJob& job, std::size_t index, const TryOut& run_trial, RunResult& result) {
  const BucketSearchResult found = search_bucket_bytes(
      [&](double bucket_bytes) { return trial_time_s(job, index, run_trial, bucket_bytes); });
  set_bucket_bytes(job, index, found.bucket_bytes);
  result.algorithm = found_block(std::move(result.algorithm), found);
}

}  // namespace starling

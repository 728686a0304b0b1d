#include "analysis/reproduction/reproduction_plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "analysis/reproduction/not_comparable.hpp"
#include "analysis/reproduction/published_scenario.hpp"
#include "io/scenario_error.hpp"

namespace starling {

using nlohmann::json;

namespace {

constexpr std::string_view speedup_prefix = "speedup_over:";
constexpr std::string_view throughput_prefix = "throughput_";

bool is_accuracy(const std::string& metric) {
  static const std::set<std::string> names = {"top1",       "top5", "top1_train", "top5_train",
                                              "accuracy",   "bleu", "meteor",     "spl",
                                              "train_loss", "loss", "perplexity"};
  return names.contains(metric);
}

std::int64_t positive_integer(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer() || *found < 1 || *found > 1'000'000'000)
    throw NotComparable(fmt::format("\"{}\" of the workload is not stated", key));
  return found->get<std::int64_t>();
}

double one_mean(const std::vector<RunFigures>& figures) { return figures.at(0).mean_s; }

std::string scenario_name(const PublishedEntry& entry) { return "scenario of " + entry.id; }

/// The text of an error. Errors about the cluster are in the profile's file; the rest of the scenario is in
/// no file, so other errors name the entry.
std::string naming_entry(const ScenarioError& error, const PublishedEntry& entry) {
  ScenarioError::Description description = error.description();
  if (!description.place.starts_with("/cluster")) description.file = scenario_name(entry);
  return ScenarioError(description).what();
}

/// Plans one entry after the other; runs that several entries need are planned once.
class Planner {
 public:
  explicit Planner(const ClusterProfiles& profiles) : profiles_(profiles) {
    for (const auto& [name, profile] : profiles)
      for (const std::string& id : calibration_entries(profile)) calibration_.insert(id);
  }

  void add(const PublishedEntry& entry) {
    EntryPlan plan;
    try {
      plan = planned(entry);
    } catch (const NotComparable& reason) {
      plan = {.status = EntryStatus::not_comparable, .reason = reason.what()};
    } catch (const ScenarioError& error) {
      plan = {.status = EntryStatus::failed, .reason = naming_entry(error, entry)};
    }
    plan.is_calibration = calibration_.contains(entry.id);
    plan_.entries.push_back(std::move(plan));
  }

  ReproductionPlan take() { return std::move(plan_); }

 private:
  EntryPlan planned(const PublishedEntry& entry);
  EntryPlan planned_speedup(const PublishedEntry& entry);
  EntryPlan planned_speedup_over_one(const PublishedEntry& entry);
  EntryPlan planned_throughput(const PublishedEntry& entry);
  EntryPlan planned_training_time(const PublishedEntry& entry);
  EntryPlan planned_latency(const PublishedEntry& entry);

  const ClusterProfile& profile_of(const PublishedEntry& entry) const;
  PublishedJob job_of(const PublishedEntry& entry) const;
  std::size_t run_of(const PublishedJob& job) { return keep(scenario_of(job), job); }
  std::size_t keep(const json& document, const PublishedJob& job);

  const ClusterProfiles& profiles_;
  std::set<std::string> calibration_;
  std::map<std::string, std::size_t> run_numbers_;  // by document
  ReproductionPlan plan_;
};

const ClusterProfile& Planner::profile_of(const PublishedEntry& entry) const {
  if (entry.cluster == "not_stated") throw NotComparable("the cluster is not stated");
  const auto found = profiles_.find(entry.cluster);
  if (found == profiles_.end())
    throw NotComparable(fmt::format("there is no profile of cluster {}", entry.cluster));
  return found->second;
}

PublishedJob Planner::job_of(const PublishedEntry& entry) const {
  return {.entry = entry,
          .profile = profile_of(entry),
          .algorithm = entry.algorithm,
          .workers = entry.workers,
          .batch = batch_of(entry)};
}

std::size_t Planner::keep(const json& document, const PublishedJob& job) {
  const std::string key = document.dump();
  const auto found = run_numbers_.find(key);
  if (found != run_numbers_.end()) return found->second;
  plan_.runs.push_back(read_published_run(document, job.profile.file));
  std::string text = document.dump(2);
  if (auto* scenario = std::get_if<Scenario>(&plan_.runs.back())) {
    scenario->file = scenario_name(job.entry);
    text = scenario->as_read.dump(2);
  }
  plan_.scenarios.push_back(text + "\n");
  return run_numbers_[key] = plan_.runs.size() - 1;
}

EntryPlan Planner::planned(const PublishedEntry& entry) {
  const std::string& metric = entry.metric;
  if (is_accuracy(metric)) throw NotComparable("accuracy, not time");
  if (entry.value == 0.0) throw NotComparable("the published value is 0, so there is no relative error");
  if (metric == "iteration_time_s") return {.runs = {run_of(job_of(entry))}, .predict = one_mean};
  if (metric.starts_with(throughput_prefix)) return planned_throughput(entry);
  if (metric == "training_time_s") return planned_training_time(entry);
  if (metric == "speedup_over:single_gpu") return planned_speedup_over_one(entry);
  if (metric.starts_with(speedup_prefix)) return planned_speedup(entry);
  if (metric == "latency_s" || metric == "active_processes") return planned_latency(entry);
  throw NotComparable(fmt::format("Starling does not predict {}", metric));
}

EntryPlan Planner::planned_throughput(const PublishedEntry& entry) {
  PublishedJob job = job_of(entry);
  const ProfileCompute* compute = compute_of(job);
  if (job.batch.is_maximum && (compute == nullptr || !compute->mean_samples))
    throw NotComparable("the number of samples of an iteration is not stated, only its maximum");
  const double samples = entry.workers * (job.batch.is_maximum ? *compute->mean_samples : job.batch.samples);
  const bool is_median = entry.metric.ends_with(":median");
  return {.runs = {run_of(job)}, .predict = [samples, is_median](const std::vector<RunFigures>& figures) {
            return samples / (is_median ? figures.at(0).median_s : figures.at(0).mean_s);
          }};
}

EntryPlan Planner::planned_training_time(const PublishedEntry& entry) {
  const PublishedJob job = job_of(entry);
  double iterations = 0;
  if (entry.workload.contains("iterations")) {
    iterations = static_cast<double>(positive_integer(entry.workload, "iterations"));
  } else {
    const ProfileCompute* compute = compute_of(job);
    if (compute == nullptr || !compute->samples_per_epoch)
      throw NotComparable("the number of iterations of the training is not stated");
    const double samples = job.batch.is_maximum ? compute->mean_samples.value_or(0) : job.batch.samples;
    if (samples <= 0)
      throw NotComparable("the number of samples of an iteration is not stated, only its maximum");
    iterations = static_cast<double>(positive_integer(entry.workload, "epochs")) *
                 *compute->samples_per_epoch / (entry.workers * samples);
  }
  return {.runs = {run_of(job)}, .predict = [iterations](const std::vector<RunFigures>& figures) {
            return iterations * figures.at(0).mean_s;
          }};
}

EntryPlan Planner::planned_speedup(const PublishedEntry& entry) {
  const std::string kind = entry.metric.substr(speedup_prefix.size());
  if (!entry.baseline.is_object()) throw NotComparable("the baseline is not stated");
  if (entry.baseline.at("kind") != kind)
    throw NotComparable(
        fmt::format("the baseline is {}, not {}", entry.baseline.at("kind").get<std::string>(), kind));
  PublishedJob job = job_of(entry);
  const std::size_t run = run_of(job);
  job.algorithm = entry.baseline;
  return {.runs = {run, run_of(job)}, .predict = [](const std::vector<RunFigures>& figures) {
            return figures.at(1).mean_s / figures.at(0).mean_s;
          }};
}

/// The speedup is a ratio of samples per second. With strong scaling the single GPU has the batch of the
/// whole job, with weak scaling that of one worker.
EntryPlan Planner::planned_speedup_over_one(const PublishedEntry& entry) {
  const bool is_strong = entry.notes.find("Strong scaling") != std::string::npos;
  const bool is_weak = entry.notes.find("Weak scaling") != std::string::npos;
  if (is_strong == is_weak) throw NotComparable("the batch size of the single GPU is not stated");
  PublishedJob job = job_of(entry);
  const std::size_t run = run_of(job);
  const double workers = job.workers;
  job.algorithm = {{"kind", "allreduce"}};
  job.workers = 1;
  job.is_delayed = false;
  if (is_strong) job.batch.samples *= workers;
  const double ratio_of_samples = is_strong ? 1 : workers;
  return {.runs = {run, run_of(job)}, .predict = [ratio_of_samples](const std::vector<RunFigures>& figures) {
            return ratio_of_samples * figures.at(1).mean_s / figures.at(0).mean_s;
          }};
}

EntryPlan Planner::planned_latency(const PublishedEntry& entry) {
  if (entry.workload.value("benchmark", json()) != "collective_latency")
    throw NotComparable(
        fmt::format("{} is predicted only for the benchmark collective_latency", entry.metric));
  const PublishedJob job{.entry = entry,
                         .profile = profile_of(entry),
                         .algorithm = entry.algorithm,
                         .workers = entry.workers,
                         .batch = {}};
  const std::size_t run = keep(benchmark_of(job), job);
  const bool is_latency = entry.metric == "latency_s";
  return {.runs = {run}, .predict = [is_latency](const std::vector<RunFigures>& figures) {
            return is_latency ? figures.at(0).mean_s : figures.at(0).mean_active_workers;
          }};
}

}  // namespace

ReproductionPlan plan_reproduction(const std::vector<PublishedEntry>& entries,
                                   const ClusterProfiles& profiles) {
  Planner planner(profiles);
  for (const PublishedEntry& entry : entries) planner.add(entry);
  return planner.take();
}

std::string with_length(const std::string& scenario, const RunFigures& figures) {
  if (figures.iterations == 0) return scenario;
  auto document = nlohmann::ordered_json::parse(scenario);
  document["iterations"] = figures.iterations;
  document["warmup_iterations"] = figures.warmup_iterations;
  return document.dump(2) + "\n";
}

void leave_out_unmodeled(ReproductionPlan& plan) {
  for (EntryPlan& entry : plan.entries) {
    for (const std::size_t run : entry.runs) {
      const auto reason = reason_without_model(plan.runs[run]);
      if (!reason) continue;
      entry.status = EntryStatus::not_comparable;
      entry.reason = *reason;
      entry.runs.clear();
      break;
    }
  }
}

}  // namespace starling

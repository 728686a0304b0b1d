#include "analysis/native/native_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <exception>
#include <map>
#include <new>
#include <ranges>
#include <stdexcept>
#include <utility>

#include "analysis/results/metrics.hpp"
#include "analysis/statistics/estimate.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/text_table.hpp"
#include "sim/native/native_world.hpp"
#include "workloads/learning/learning_log.hpp"

namespace starling {
namespace {

/// Keeps this rank's model of every iteration, as which of them are evaluated depends on the clocks of other
/// ranks.
class ModelRecorder final : public ModelObserver {
 public:
  explicit ModelRecorder(const std::vector<float>& initial) : models_(initial), parameters_(initial.size()) {}

  void end_iteration(Rank, std::span<const float> model) override {
    models_.insert(models_.end(), model.begin(), model.end());
  }

  /// The model after so many iterations.
  std::span<const float> model(std::size_t iterations) const {
    return std::span(models_).subspan(iterations * parameters_, parameters_);
  }

 private:
  std::vector<float> models_;  // one after the other, beginning with the initial one
  std::size_t parameters_;
};

/// The most that a rank may keep of models; several ranks share a host's memory.
constexpr double most_bytes_of_models = 4e9;

void check_models_fit(const Scenario& scenario) {
  const auto models = static_cast<double>(scenario.iterations);
  const double bytes = models * static_cast<double>(scenario.learning->task->parameters()) * sizeof(float);
  if (bytes > most_bytes_of_models)
    throw ScenarioError({.file = scenario.file.string(),
                         .place = "/learning",
                         .problem = "every rank keeps the models of all iterations of a measurement",
                         .got = fmt::format("{} of {} iterations", bytes_text(bytes), scenario.iterations),
                         .expected = fmt::format("at most {}: fewer iterations or a smaller learning task",
                                                 bytes_text(most_bytes_of_models))});
}

/// Sample standard deviation over mean; absent for fewer than two, or if the mean is 0.
std::optional<double> coefficient_of_variation(const std::vector<double>& means_s) {
  const SampleEstimate mean_s = estimate_mean(means_s);
  if (!mean_s.has_error() || mean_s.value <= 0) return std::nullopt;
  return mean_s.standard_error * std::sqrt(static_cast<double>(means_s.size())) / mean_s.value;
}

/// Calls `run`; if there are several repetitions, its errors name the algorithm and the repetition.
template <typename Run>
auto naming_repetition(const TrainingAlgorithm& algorithm, int repetition, int repetitions, const Run& run) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    throw;  // the caller names the run
  } catch (const std::exception& error) {
    if (repetitions == 1) throw;
    throw std::runtime_error(
        fmt::format("{}, repetition {} of {}: {}", algorithm.label(), repetition, repetitions, error.what()));
  }
}

/// How often each number occurs.
std::map<int, int> counts_of(const std::vector<int>& numbers) {
  std::map<int, int> counts;
  for (const int number : numbers) ++counts[number];
  return counts;
}

/// "1 host, 4 on it", "3 hosts, 2 to 4 on each".
std::string hosts_in_words(const std::vector<int>& hosts) {
  const std::map<int, int> counts = counts_of(hosts);
  const auto [least, greatest] = std::ranges::minmax(std::views::values(counts));
  return fmt::format("{}, {} on {}", counted(static_cast<int>(counts.size()), "host"),
                     least_to_greatest(fmt::to_string(least), fmt::to_string(greatest)),
                     counts.size() == 1 ? "it" : "each");
}

/// Whether the same ranks share a host in both.
bool share_alike(const std::vector<int>& a, const std::vector<int>& b) {
  std::map<int, int> b_of_a;
  std::map<int, int> a_of_b;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (b_of_a.try_emplace(a[i], b[i]).first->second != b[i] ||
        a_of_b.try_emplace(b[i], a[i]).first->second != a[i])
      return false;
  return true;
}

}  // namespace

/// One of several measured runs of the same algorithm.
struct NativeMachine::Repetition {
  Outcome outcome;
  std::vector<SpanRecord> spans;
  double mean_s = 0;
};

NativeMachine::NativeMachine(const Scenario& scenario, const MpiJob& job, const NativeOptions& options,
                             OptionalProgress progress)
    : scenario_(scenario), job_(job), options_(options), progress_(progress) {
  if (scenario.compute_kind != ComputeKind::gemm) return;
  device_ = make_gemm_device();
  flops_per_s_ = gathered(job, device_->flops_per_s());
}

/// Runs this rank and gathers the records of all ranks, on rank 0's clock.
Outcome NativeMachine::run_once(const PreparedRun& run, SpanRecorder* spans, ModelObserver* learned) {
  PreparedRun shown = run;
  shown.load = counted(run.load, progress_, job_.size());  // every rank is about as far as this one
  Outcome own(job_.size());
  const TrainingJob job = training_job(shown, own, learned);
  NativeWorld world(job_, spans, device_.get());
  world.run([&](Worker& worker) {
    Replica replica = replica_for(run, worker.rank());
    run.algorithm.run(worker, replica, job);
  });
  for (IterationRecord& record : own.log.of(job_.rank())) {
    record.end_s = world.aligned_s(record.end_s);
    record.ready_s = world.aligned_s(record.ready_s);
  }
  if (spans != nullptr) spans->align([&](double time_s) { return world.aligned_s(time_s); });
  Outcome all(job_.size());
  all.log = gathered(job_, own.log);
  all.participation = gathered(job_, own.participation, all.log);
  all.statistics = gathered(job_, world.statistics());
  events_ += all.statistics.events;
  return all;
}

std::vector<LearningRecord> NativeMachine::learn(const PreparedRun& run) {
  LearningLog learned(run.learning->task, job_.size(), run.iterations, run.learning->evaluate_every);
  ModelRecorder recorder(run.learning->task->initial_parameters());
  const Outcome outcome = run_once(run, nullptr, &recorder);
  const std::vector<double> ends_s = ends_in_order_s(outcome.log);
  for (std::int64_t iterations = 1; iterations <= run.iterations; ++iterations) {
    if (!learned.is_evaluated(iterations)) continue;
    const double now_s = ends_s[static_cast<std::size_t>(iterations * job_.size() - 1)];
    const auto ended = iterations_ended(outcome.log, job_.rank(), now_s);
    learned.add(iterations, gathered(job_, recorder.model(ended)));
  }
  return learned.records();
}

NativeMachine::Repetition NativeMachine::repeat(const PreparedRun& run) {
  SpanRecorder spans;
  SpanRecorder* const traced = options_.is_traced ? &spans : nullptr;
  Outcome outcome = run_once(run, traced, nullptr);
  const double mean_s = iteration_time(outcome.log, scenario_.warmup_iterations).mean;
  return {std::move(outcome), gathered(job_, spans), mean_s};
}

Measurement NativeMachine::measure(const PreparedRun& run, const PreparedRun* learning, TraceSink* trace) {
  std::vector<Repetition> repetitions;
  std::vector<double> means_s;
  for (int i = 1; i <= options_.repetitions; ++i) {
    repetitions.push_back(
        naming_repetition(run.algorithm, i, options_.repetitions, [&] { return repeat(run); }));
    means_s.push_back(repetitions.back().mean_s);
  }
  const auto median = repetitions.begin() + (options_.repetitions - 1) / 2;
  std::nth_element(repetitions.begin(), median, repetitions.end(),
                   [](const Repetition& a, const Repetition& b) { return a.mean_s < b.mean_s; });
  if (trace != nullptr) replay(median->spans, *trace);
  return {.outcome = std::move(median->outcome),
          .learned = learning != nullptr ? learn(*learning) : std::vector<LearningRecord>{},
          .repetitions = options_.repetitions,
          .coefficient_of_variation = coefficient_of_variation(means_s),
          .gemm_flops_per_s = flops_per_s_};
}

void check_fits(const Scenario& scenario, const MpiJob& job) {
  if (scenario.compute_kind == ComputeKind::gemm && !has_gemm_device())
    throw ScenarioError(
        {.file = scenario.file.string(),
         .place = "/workload/compute/kind",
         .problem = "this starling was built without OpenBLAS (on Debian libopenblas-serial-dev)",
         .got = "\"gemm\"",
         .expected = "\"emulated\", which is the default"});
  if (scenario.precision)
    throw ScenarioError({.file = scenario.file.string(),
                         .place = "/iterations",
                         .problem = "a measurement needs a fixed number of iterations, not a precision; "
                                    "--repeat shows how much it varies",
                         .got = "",
                         .expected = "--set /iterations=N"});
  if (scenario.cluster.workers != job.size())
    throw ScenarioError(
        {.file = scenario.file.string(),
         .place = "/cluster/workers",
         .problem = fmt::format("the scenario has {}, but mpirun started {}",
                                counted(scenario.cluster.workers, "worker"), counted(job.size(), "rank")),
         .got = "",
         .expected = fmt::format("mpirun -n {}", scenario.cluster.workers)});
  if (scenario.learning) check_models_fit(scenario);
}

std::optional<std::string> host_sharing_warning(const std::vector<int>& of_ranks,
                                                const std::vector<int>& of_workers) {
  if (share_alike(of_ranks, of_workers)) return std::nullopt;
  const std::string started = hosts_in_words(of_ranks);
  const std::string asked = hosts_in_words(of_workers);
  const std::string where =
      started == asked
          ? fmt::format("has put the ranks on the scenario's {}, but groups them differently", asked)
          : fmt::format("has put the ranks on {}, but the scenario's workers are on {}", started, asked);
  return fmt::format(
      "mpirun {}: messages take other routes than predicted, while algorithms assume the scenario's hosts; "
      "mpirun --hostfile HOSTS --map-by slot puts consecutive ranks on the same host",
      where);
}

}  // namespace starling

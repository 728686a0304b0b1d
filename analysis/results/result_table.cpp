#include "analysis/results/result_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/texts/text_table.hpp"

namespace starling {
namespace {

constexpr std::string_view undefined = "–";

/// Four digits, or a dash where training has diverged.
std::string number_text(double value) {
  return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string(undefined);
}

bool is_significant(const RunResult& run) {
  return !run.speedup_interval_95 || !run.speedup_interval_95->holds(1) ||
         run.speedup_interval_95->least == run.speedup_interval_95->greatest;
}

std::string speedup_text(const RunResult& run) {
  if (!run.speedup) return std::string(undefined);
  return fmt::format("{:.3f}{}", *run.speedup, is_significant(run) ? "" : " n.s.");
}

TableRow row_of(const RunResult& run) {
  return {
      run.label,
      time_text(run.iteration_time_s.mean, run.sampling.mean_s.standard_error),
      time_text(run.iteration_time_s.std),
      run.throughput_samples_per_s ? throughput_text(*run.throughput_samples_per_s) : std::string(undefined),
      time_text(run.breakdown_s.exposed_communication),
      time_text(run.breakdown_s.imbalance_wait),
      bytes_text(run.traffic.bytes_per_worker_per_iteration),
      speedup_text(run)};
}

TableRow learning_row(const RunResult& run) {
  const LearningResult& learning = *run.learning;
  const LearningRecord& last = learning.rows.back().record;
  return {run.label, number_text(last.loss),
          learning.time_to_target_s ? time_text(*learning.time_to_target_s) : std::string(undefined),
          number_text(last.consensus_distance)};
}

/// The table of learning; empty without a learning task.
std::string learning_block(const Result& result) {
  const auto& first = result.runs.front().learning;
  if (!first) return "";
  std::string text = fmt::format("\nlearning: {}, {}", first->task,
                                 counted(first->rows.back().record.iterations, "iteration"));
  if (first->target_loss) text += fmt::format(", target loss {:.6g}", *first->target_loss);
  if (!result.runs.front().replications.empty()) text += ", of the first seed";
  std::vector<TableRow> rows{{"algorithm", "final loss", "time to target", "consensus distance"}};
  for (const RunResult& run : result.runs) rows.push_back(learning_row(run));
  text += "\n\n" + aligned(rows);
  for (const RunResult& run : result.runs)
    if (!run.learning->caution.empty()) text += fmt::format("{}: {}\n", run.label, run.learning->caution);
  return text;
}

std::string placement_text(const PlacementFacts& placement) {
  std::string text = "placement " + placement.name;
  const auto& labels = placement.optimized_for;
  if (!labels.empty())
    text += fmt::format(" for the traffic of {}{}", fmt::join(labels, ", "),
                        labels.size() > 1 ? ", equally weighted" : "");
  return text;
}

/// The number of iterations that all runs of all seeds have, or "fewest to most".
std::string iterations_text(const Result& result) {
  std::vector<std::int64_t> counts;
  for (const RunResult& run : result.runs) {
    if (run.replications.empty()) counts.push_back(run.iterations);
    for (const Replication& each : run.replications) counts.push_back(each.iterations);
  }
  const auto [least, most] = std::ranges::minmax(counts);
  return least == most ? counted(least, "iteration") : fmt::format("{} to {} iterations", least, most);
}

std::string heading(const Result& result) {
  const RunResult& run = result.runs.front();
  std::string text = fmt::format("{}: {}, {} engine, {}", result.scenario.value("name", "scenario"),
                                 counted(run.workers, "worker"), result.engine, iterations_text(result));
  const auto warmup = result.scenario.value("warmup_iterations", 0);
  if (warmup > 0) text += fmt::format(" after {} to warm up", warmup);
  const nlohmann::ordered_json::json_pointer dtype("/workload/gradient_dtype");
  if (result.scenario.contains(dtype))
    text += fmt::format(", gradients in {}", result.scenario.at(dtype).get<std::string>());
  return text + conditions_text(result);
}

/// The runs of its algorithms, or of its jobs.
std::vector<const RunResult*> all_runs(const Result& result) {
  std::vector<const RunResult*> runs;
  for (const RunResult& run : result.runs) runs.push_back(&run);
  for (const JobResult& job : result.jobs) runs.push_back(&job.run);
  return runs;
}

/// A line with the label of each run for which `of_run` returns a text, followed by that text; empty if it
/// does for none.
std::string note(const Result& result, std::string_view what, std::string_view separator, const auto& of_run,
                 std::string_view end = "") {
  std::vector<std::string> said;
  for (const RunResult* run : all_runs(result))
    if (const std::optional<std::string> text = of_run(*run)) said.push_back(run->label + *text);
  return said.empty() ? "" : fmt::format("{}: {}{}\n", what, fmt::join(said, separator), end);
}

/// The algorithms whose speed-up by samples per second differs from that by mean iteration times, as their
/// workers get ahead of each other.
std::string throughput_note(const Result& result) {
  constexpr double worth_telling = 0.02;
  const std::optional<double> first = result.runs.front().throughput_samples_per_s;
  const auto by_samples = [&](const RunResult& run) -> std::optional<std::string> {
    if (!first || *first == 0 || !run.throughput_samples_per_s || !run.speedup) return std::nullopt;
    const double ratio = *run.throughput_samples_per_s / *first;
    if (std::abs(ratio / *run.speedup - 1) <= worth_telling) return std::nullopt;
    return fmt::format(" {:.3f}", ratio);
  };
  return note(result, "speedup by samples/s (fast workers do not wait for slow ones)", ", ", by_samples);
}

/// The algorithms that sent messages by rendezvous, and the share of these messages.
std::string rendezvous_note(const Result& result) {
  const auto share = [](const RunResult& run) -> std::optional<std::string> {
    const std::uint64_t waited = run.traffic.rendezvous_messages.value_or(0);
    if (waited == 0) return std::nullopt;
    return fmt::format(" {:.3g} %",
                       100 * static_cast<double>(waited) / static_cast<double>(run.traffic.messages));
  };
  return note(result, "sent by rendezvous", ", ", share, " of the messages");
}

/// The algorithms with partial averages, the share of workers with a fresh contribution, in the mean over
/// operations, and the mean age of contributed work. Workers that contribute nothing count as not fresh.
std::string participation_note(const Result& result) {
  const auto freshness = [](const RunResult& run) -> std::optional<std::string> {
    const auto& details = run.participation.details;
    const std::int64_t stale = run.participation.stale_contributions;
    if (!details || stale + details->absent_contributions == 0) return std::nullopt;
    const std::int64_t all = details->fresh_contributions + stale + details->absent_contributions;
    return fmt::format(" {:.3g} %, {:.2f}",
                       100 * static_cast<double>(details->fresh_contributions) / static_cast<double>(all),
                       run.participation.mean_staleness_iterations);
  };
  return note(result,
              "workers with a fresh contribution, mean over operations, and age in iterations, mean over all "
              "contributed gradients or models",
              "; ", freshness);
}

/// The algorithms with "collective": "auto", and the collectives chosen.
std::string choice_note(const Result& result) {
  const auto chosen = [](const RunResult& run) -> std::optional<std::string> {
    const auto found = run.algorithm.find(collectives_chosen_key);
    if (found == run.algorithm.end()) return std::nullopt;
    return fmt::format(" {}", fmt::join(found->get<std::vector<std::string>>(), ", "));
  };
  return note(result, "collectives chosen by auto", "; ", chosen);
}

/// The algorithms that have merged all gradients into one all-reduce, so that nothing overlaps.
std::string merging_note(const Result& result) {
  const auto merged = [](const RunResult& run) {
    return run.algorithm.contains(merged_all_key) ? std::optional<std::string>("") : std::nullopt;
  };
  return note(result, "all layers merged, so that nothing is sent during the backward pass", ", ", merged);
}

/// The algorithms that were simulated only until their iterations repeated.
std::string repetition_note(const Result& result) {
  const auto repeated = [](const RunResult& run) -> std::optional<std::string> {
    if (!run.simulated_iterations) return std::nullopt;
    return fmt::format(" after {}", *run.simulated_iterations);
  };
  return note(result, "simulated only until iterations repeated", ", ", repeated);
}

/// The algorithms of which other than whole periods are counted.
std::string period_note(const Result& result) {
  const auto partial = [](const RunResult& run) -> std::optional<std::string> {
    const auto counted = counted_partially(run.iterations, run.pattern_period, run.replications);
    if (!counted) return std::nullopt;
    return fmt::format(" {}, its pattern repeats after {}", *counted, run.pattern_period);
  };
  return note(result, "counted iterations are not whole periods of the communication pattern", "; ", partial);
}

/// The algorithms with too few iterations for an error, as their disturbances are rare or last long. Not with
/// several seeds, whose error needs no batches, nor for partial periods, which period_note() reports.
std::string memory_note(const Result& result) {
  const auto too_few = [](const RunResult& run) -> std::optional<std::string> {
    if (run.least_batch == 1 || run.sampling.mean_s.has_error() || run.sampling.drift_s ||
        !run.replications.empty() || is_of_partial_periods(run.iterations, run.pattern_period))
      return std::nullopt;
    return fmt::format(" {}", least_series(static_cast<std::size_t>(run.pattern_period),
                                           static_cast<std::size_t>(run.least_batch)));
  };
  return note(result,
              "too few iterations for a standard error, as disturbances of workers are rare or last long; "
              "iterations needed",
              ", ", too_few);
}

/// The algorithms whose iteration times still drift.
std::string drift_note(const Result& result) {
  const auto drifting = [](const RunResult& run) -> std::optional<std::string> {
    const std::optional<Drift>& drift_s = run.sampling.drift_s;
    if (!drift_s) return std::nullopt;
    return fmt::format(" from {} to {}", time_text(drift_s->first), time_text(drift_s->last));
  };
  return note(result, "iteration times still drift while counted (count more iterations, after more warm-up)",
              ", ", drifting);
}

/// Explains ± and n.s., where there are any.
std::string sampling_note(const Result& result) {
  std::string text;
  const std::size_t replications = result.runs.front().replications.size();
  const auto is_uncertain = [](const RunResult& run) { return run.sampling.mean_s.standard_error > 0; };
  const auto has_error = [](const RunResult& run) { return run.sampling.mean_s.has_error(); };
  if (replications > 0 && std::ranges::any_of(result.runs, has_error))
    text += note_of_errors(replications);
  else if (std::ranges::any_of(result.runs, is_uncertain))
    text += note_of_errors(1);
  if (!std::ranges::all_of(result.runs, is_significant))
    text += "n.s.: not significant: the 95 % interval of the speed-up contains 1\n";
  return text;
}

std::string eager_text(const MessageCosts& costs) {
  if (std::isinf(costs.eager_threshold_bytes)) return "all messages eager";
  return fmt::format("eager up to {}{}", bytes_text(costs.eager_threshold_bytes),
                     costs.are_collectives_eager ? ", collectives of any size" : "");
}

}  // namespace

std::string conditions_text(const Result& result) {
  std::string text;
  if (const auto& transport = result.transport) {
    text += fmt::format("\ntransport {} ({}), {}", transport->name, transport->reason,
                        eager_text(transport->costs));
    if (transport->host_rate_Bps)
      text += fmt::format(", hosts transfer at most {}/s per cable", bytes_text(*transport->host_rate_Bps));
    if (transport->are_sums_free) text += ", reductions take no time (no reduction_rate given)";
  }
  if (result.placement) text += fmt::format("\n{}", placement_text(*result.placement));
  return text;
}

std::string notes_of_means(const Result& result) {
  return period_note(result) + memory_note(result) + drift_note(result);
}

std::string note_of_errors(std::size_t seeds) {
  return fmt::format("±: standard error of the mean, {}\n",
                     seeds > 1 ? fmt::format("from {} seeds", seeds) : "by equal-weighted cosines");
}

std::string result_table(const Result& result) {
  if (result.runs.empty()) return "";
  std::vector<TableRow> rows{{"algorithm", "iteration", "std", "samples/s", "exposed comm.", "imbalance wait",
                              "sent/worker", "speedup"}};
  for (const RunResult& run : result.runs) rows.push_back(row_of(run));
  std::string text = heading(result) + "\n\n" + aligned(rows) + sampling_note(result) +
                     throughput_note(result) + rendezvous_note(result) + participation_note(result) +
                     choice_note(result) + merging_note(result) + repetition_note(result) +
                     notes_of_means(result) + learning_block(result);
  for (const RunResult& run : result.runs)
    if (run.links) text += links_table(*run.links, run.label, run.iteration_time_s.mean);
  if (result.runs.front().links) text += links_note(true);
  for (const RunResult& run : result.runs)
    if (run.critical_path) text += critical_path_table(*run.critical_path, run.label);
  return result.runs.front().critical_path ? text + critical_path_note(true) : text;
}

}  // namespace starling

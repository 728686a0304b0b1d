#include "analysis/results/files/result_json.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/interval_json.hpp"
#include "io/json/json_text.hpp"
#include "io/version.hpp"

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(finite(*value)) : Json(nullptr);
}

/// Bytes, as an integer where they are whole; they are not where elements are smaller than a byte.
Json bytes_json(double bytes) {
  constexpr double largest_exact = 9007199254740992.0;
  if (finite(bytes) == std::floor(bytes) && bytes <= largest_exact) return static_cast<std::uint64_t>(bytes);
  return bytes;
}

Json iteration_time_json(const IterationTime& time) {
  return {{"mean", finite(time.mean)}, {"std", finite(time.std)}, {"p5", finite(time.p5)},
          {"p50", finite(time.p50)},   {"p95", finite(time.p95)}, {"min", finite(time.min)},
          {"max", finite(time.max)}};
}

Json breakdown_json(const Breakdown& breakdown) {
  Json json;
  for (const BreakdownPart& part : breakdown_parts) json[part.key] = finite(breakdown.*part.seconds);
  return json;
}

Json traffic_json(const Traffic& traffic) {
  return {{"messages", traffic.messages},
          {"rendezvous_messages", or_null(traffic.rendezvous_messages)},
          {"evaluated_messages", or_null(traffic.evaluated_messages)},
          {"bytes", bytes_json(traffic.bytes)},
          {"bytes_per_worker_per_iteration", finite(traffic.bytes_per_worker_per_iteration)}};
}

Json evaluated_share_json(const Traffic& traffic) {
  if (!traffic.evaluated_messages || traffic.messages == 0) return nullptr;
  return static_cast<double>(*traffic.evaluated_messages) / static_cast<double>(traffic.messages);
}

/// Pairs of a number and how often it occurs, for numbers that occur.
Json histogram_json(const std::vector<std::int64_t>& counts) {
  Json pairs = Json::array();
  for (std::size_t value = 0; value < counts.size(); ++value)
    if (counts[value] != 0) pairs.push_back({value, counts[value]});
  return pairs;
}

Json participation_json(const Participation& participation) {
  Json json = {{"mean_active_workers", number_or_null(participation.mean_active_workers)},
               {"stale_contributions", participation.stale_contributions},
               {"max_staleness_iterations", participation.max_staleness_iterations}};
  if (participation.details) {
    const Participation::Details& details = *participation.details;
    json.update({{"operations", details.operations},
                 {"fresh_contributions", details.fresh_contributions},
                 {"absent_contributions", details.absent_contributions},
                 {"active_workers", histogram_json(details.active_workers)},
                 {"staleness_iterations", histogram_json(details.staleness)},
                 {"max_lead_iterations", details.max_lead_iterations},
                 {"iterations_at_first_end", details.iterations_at_first_end}});
  }
  return json;
}

Json learning_json(const std::optional<LearningResult>& learning) {
  if (!learning) return nullptr;
  Json loss = Json::array();
  Json distance = Json::array();
  for (const auto& [time_s, record] : learning->rows) {
    loss.push_back({finite(time_s), record.iterations, finite_or_null(record.loss)});
    distance.push_back({finite(time_s), record.iterations, finite_or_null(record.consensus_distance)});
  }
  return {{"task", learning->task},
          {"loss", std::move(loss)},
          {"consensus_distance", std::move(distance)},
          {"final_loss", finite_or_null(learning->rows.back().record.loss)},
          {"target_loss", number_or_null(learning->target_loss)},
          {"time_to_target_s", number_or_null(learning->time_to_target_s)},
          {"reason", text_or_null(learning->reason)},
          {"caution", text_or_null(learning->caution)}};
}

Json computing_json(const Computing& computing) {
  Json ranks = Json::array();
  for (const Computing::OfRank& rank : computing.ranks)
    ranks.push_back({{"planned_s", finite(rank.planned_s)},
                     {"passed_s", finite(rank.passed_s)},
                     {"latest_s", finite(rank.latest_s)}});
  Json json = {{"planned_s", finite(computing.planned_s)},
               {"passed_s", finite(computing.passed_s)},
               {"late_s",
                {{"mean", finite(computing.late_s.mean)},
                 {"std", finite(computing.late_s.std)},
                 {"p95", finite(computing.late_s.p95)},
                 {"max", finite(computing.late_s.max)}}},
               {"ranks", std::move(ranks)}};
  if (const auto& timers = computing.timers)
    json["timers"] = {{"count", timers->count},
                      {"late_s",
                       {{"mean", finite(timers->mean_s())},
                        {"std", finite(timers->std_s())},
                        {"max", finite(timers->max_s)}}}};
  return json;
}

/// Adds the error, the interval and the drift of the mean iteration time.
void add_sampling(const Sampling& sampling, Json& run) {
  const bool is_known = sampling.mean_s.has_error();
  run["standard_error_s"] = is_known ? Json(finite(sampling.mean_s.standard_error)) : Json(nullptr);
  run["interval_95_s"] = or_null(interval_95_not_below_0(sampling.mean_s));
  if (sampling.drift_s) run["drift_s"] = {finite(sampling.drift_s->first), finite(sampling.drift_s->last)};
}

Json replications_json(const std::vector<Replication>& replications) {
  Json list = Json::array();
  const auto counts_as_many = [&](const Replication& each) {
    return each.iterations == replications.front().iterations;
  };
  const bool are_as_many = std::ranges::all_of(replications, counts_as_many);
  for (const Replication& each : replications) {
    list.push_back({{"seed", each.seed}, {"iteration_time_s", finite(each.mean_s)}});
    if (!are_as_many) list.back()["iterations"] = each.iterations;
  }
  return list;
}

Json compute_json(const ComputeFacts& compute) {
  return {{"law", compute.law},
          {"forward_s", finite(compute.forward_s)},
          {"backward_s", finite(compute.backward_s)}};
}

/// The block of a job: that of a run, without the comparison of algorithms and without learning, and what is
/// known of the job.
Json job_json(const JobResult& job) {
  Json slowed_by = Json::array();
  for (const JobResult::Without& without : job.slowed_by)
    slowed_by.push_back({{"job", without.job},
                         {"iteration_time_without_s", finite(without.iteration_time_s)},
                         {"slowdown", number_or_null(without.slowdown)}});
  Json json = {{"name", job.run.label},
               {"ranks", job.workers},
               {"seed", job.seed},
               {"start_s", finite(job.start_s)},
               {"slowdown", number_or_null(job.slowdown)},
               {"slowed_by", std::move(slowed_by)},
               {"alone", {{"iteration_time_s", iteration_time_json(job.alone_iteration_time_s)}}},
               {"compute", compute_json(job.compute)}};
  Json run = run_json(job.run);
  for (const char* key : {"label", "learning", "speedup", "speedup_interval_95"}) run.erase(key);
  json.update(run);
  return json;
}

Json transport_json(const std::optional<TransportFacts>& transport) {
  if (!transport) return nullptr;
  const MessageCosts& costs = transport->costs;
  Json protocols = Json::array();
  for (const Protocol& protocol : costs.protocols)
    protocols.push_back({{"name", protocol.name},
                         {"efficiency", protocol.efficiency},
                         {"intra_host_efficiency", protocol.intra_host_efficiency},
                         {"latency_s", protocol.latency_s},
                         {"intra_host_latency_s", protocol.intra_host_latency_s}});
  Json json = {{"name", transport->name},
               {"eager_threshold_bytes", finite_or_null(costs.eager_threshold_bytes)},
               {"are_collectives_eager", std::isinf(costs.eager_in_collectives_bytes())},
               {"send_buffer_bytes", finite_or_null(costs.send_buffer_bytes)},
               {"channels", costs.channels},
               {"protocols", std::move(protocols)}};
  if (transport->unevenness > 0) json["unevenness"] = transport->unevenness;
  if (transport->queued_at_first_link > 0) json["queued_at_first_link"] = transport->queued_at_first_link;
  if (transport->host_rate_Bps) json["host_rate_Bps"] = *transport->host_rate_Bps;
  return json;
}

Json placement_json(const PlacementFacts& placement) {
  Json json = {{"name", placement.name}};
  if (!placement.optimized_for.empty()) json["optimized_for"] = placement.optimized_for;
  json["hosts"] = placement.hosts;
  return json;
}

}  // namespace

Json run_json(const RunResult& run) {
  Json json = {{"label", run.label},
               {"algorithm", run.algorithm},
               {"workers", run.workers},
               {"iterations", run.iterations},
               {"iteration_time_s", iteration_time_json(run.iteration_time_s)},
               {"throughput_samples_per_s", number_or_null(run.throughput_samples_per_s)},
               {"makespan_s", finite(run.makespan_s)},
               {"breakdown_s", breakdown_json(run.breakdown_s)},
               {"traffic", traffic_json(run.traffic)},
               {"evaluated_share", evaluated_share_json(run.traffic)},
               {"participation", participation_json(run.participation)},
               {"learning", learning_json(run.learning)},
               {"speedup", number_or_null(run.speedup)},
               {"speedup_interval_95", or_null(run.speedup_interval_95)}};
  if (run.simulated_iterations) json["simulated_iterations"] = *run.simulated_iterations;
  if (run.pattern_period > 1) json["pattern_period"] = run.pattern_period;
  if (run.least_batch > 1) json["least_batch_iterations"] = run.least_batch;
  add_sampling(run.sampling, json);
  if (!run.replications.empty()) json["replications"] = replications_json(run.replications);
  if (run.repetitions) {
    json["repetitions"] = *run.repetitions;
    json["coefficient_of_variation"] = number_or_null(run.coefficient_of_variation);
  }
  if (run.computing) json["computing"] = computing_json(*run.computing);
  if (run.links) json["links"] = links_json(*run.links);
  if (run.uncertainty) {
    json["interval_90_s"] = run.uncertainty->interval_90_s;
    json["decided_by_ties"] = or_null(run.uncertainty->decided_by_ties_s);
  }
  if (run.critical_path) json["critical_path"] = critical_path_json(*run.critical_path);
  if (run.is_path_too_long) json["critical_path"] = nullptr;
  if (run.gemm_flops_per_s) json["gemm_flops_per_s"] = *run.gemm_flops_per_s;
  return json;
}

Json result_json(const Result& result, const std::string& scenario_hash, const std::string& scenario_folder) {
  Json runs = Json::array();
  for (const RunResult& run : result.runs) runs.push_back(run_json(run));
  Json json = {{"starling", version()}, {"scenario", result.scenario}};
  if (!scenario_hash.empty()) json["scenario_hash"] = scenario_hash;
  json["engine"] = result.engine;
  if (result.jobs.empty()) json["compute"] = compute_json(result.compute);
  json["transport"] = transport_json(result.transport);
  if (result.placement) json["placement"] = placement_json(*result.placement);
  json["runs"] = std::move(runs);
  for (const JobResult& job : result.jobs) json["jobs"].push_back(job_json(job));
  if (result.links) json["links"] = links_json(*result.links);
  json["simulation"] = {{"wall_s", finite(result.simulation.wall_s)},
                        {"events", result.simulation.events},
                        {"peak_memory_bytes", result.simulation.peak_memory_bytes}};
  // Here, and not in `transport`: running the saved scenario, which states its transport, gives another
  // reason, and the rest of its result is to be the same.
  if (result.transport) json["simulation"]["transport_reason"] = result.transport->reason;
  if (!scenario_folder.empty()) json["simulation"]["scenario_folder"] = scenario_folder;
  return json;
}

std::string result_json_text(const Result& result, const std::string& scenario_hash,
                             const std::string& scenario_folder) {
  return result_json(result, scenario_hash, scenario_folder).dump(2) + "\n";
}

}  // namespace starling

#include "analysis/design/lower_bounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "algorithms/training/gossip/decentralized_adam.hpp"
#include "algorithms/training/gossip/dpsgd.hpp"
#include "algorithms/training/synchronous/horovod.hpp"
#include "analysis/results/metrics.hpp"
#include "analysis/running/free_run.hpp"
#include "analysis/statistics/estimate.hpp"
#include "sim/networks/small_message.hpp"

namespace starling {
namespace {

/// The mean time per counted iteration that each worker spends on its own work, delays included.
std::vector<double> own_work_s(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t first = first_counted(log, warmup_iterations);
  std::vector<double> work_s;
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    double sum_s = 0;
    for (const IterationRecord& record : log.of(rank).subspan(first))
      sum_s += record.delay_s + record.forward_s + record.backward_s + record.update_s;
    work_s.push_back(sum_s / static_cast<double>(iterations_of(log) - first));
  }
  return work_s;
}

/// How long an iteration lasts until the first worker can have gradients to send, averaged over counted
/// iterations: after its forward pass, or after its backward pass if `is_after_backward`.
double least_before_sending_s(const IterationLog& log, std::int64_t warmup_iterations,
                              bool is_after_backward) {
  const std::size_t first = first_counted(log, warmup_iterations);
  std::vector<double> least_s(iterations_of(log) - first);
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const auto records = log.of(rank).subspan(first);
    for (std::size_t i = 0; i < records.size(); ++i) {
      const double before_s =
          records[i].delay_s + records[i].forward_s + (is_after_backward ? records[i].backward_s : 0);
      least_s[i] = rank == 0 ? before_s : std::min(least_s[i], before_s);
    }
  }
  return plain_mean(least_s);
}

/// The least mean iteration time if the forward pass of every worker waits for the backward passes of all
/// workers of the iteration before. The n counted iterations of a worker then take at least the compute time
/// of the slowest worker in each of the first n − 1, and the worker's own in the last one.
double least_of_waiting_forwards_s(const IterationLog& log, std::int64_t warmup_iterations) {
  const std::size_t first = first_counted(log, warmup_iterations);
  std::vector<double> slowest_s(iterations_of(log) - first);
  std::vector<double> last_s;
  for (Rank rank = 0; rank < log.workers(); ++rank) {
    const auto records = log.of(rank).subspan(first);
    const auto computing_s = [&](std::size_t i) {
      return records[i].forward_s + records[i].backward_s + records[i].update_s;
    };
    for (std::size_t i = 0; i < records.size(); ++i) slowest_s[i] = std::max(slowest_s[i], computing_s(i));
    last_s.push_back(computing_s(records.size() - 1));
  }
  const double all_but_last_s = std::accumulate(slowest_s.begin(), std::prev(slowest_s.end()), 0.0);
  return (all_but_last_s + plain_mean(last_s)) / static_cast<double>(slowest_s.size());
}

/// By how many iterations the senders of a worker can be ahead of it at most, if every iteration of the
/// worker waits for all its senders; nullopt if that is not known. A worker that exchanges models with
/// another one waits for it in the next iteration; in groups, one iteration later.
std::optional<std::int64_t> most_ahead(const TrainingOptions& options, std::int64_t period,
                                       const TrafficMatrix& traffic) {
  if (period > ScenarioJob::most_iterations_of_pattern) return std::nullopt;
  if (options.get_if<DecentralizedAdamOptions>() != nullptr) return period + 1;
  if (options.get_if<DpsgdOptions>() == nullptr || period > 1) return std::nullopt;
  std::set<std::pair<Rank, Rank>> pairs;
  for (const RankTraffic& pair : traffic) pairs.emplace(pair.source, pair.destination);
  const auto is_answered = [&](const RankTraffic& pair) {
    return pairs.contains({pair.destination, pair.source});
  };
  return std::ranges::all_of(traffic, is_answered) ? std::optional(period) : std::nullopt;
}

/// For each worker, the longest time that a link takes for the messages to this worker alone.
std::vector<double> receiving_s(const TrafficMatrix& traffic, const Routes& routes) {
  std::map<std::pair<Rank, LinkIndex>, double> of_links_s;
  for (const auto& [source, destination, bytes] : traffic)
    for (const LinkIndex link : routes.route(source, destination))
      of_links_s[{destination, link}] += bytes / routes.links()[static_cast<std::size_t>(link)].bandwidth_Bps;
  std::vector<double> greatest_s(static_cast<std::size_t>(routes.workers()));
  for (const auto& [receiver, time_s] : of_links_s) {
    double& of_worker_s = greatest_s[static_cast<std::size_t>(receiver.first)];
    of_worker_s = std::max(of_worker_s, time_s);
  }
  return greatest_s;
}

/// The least time of an iteration in which every link carries its bytes. On each link that is the greater of
/// two bounds: the time of all bytes; and `idle_s`, in which no worker sends anything new, plus the time of
/// the bytes but for those that may still be in flight when the senders' iterations end: what send buffers
/// hold, or, if buffers are unlimited, eager messages (`eager_bytes` at most).
double link_s(const TrafficMatrix& traffic, const Routes& routes, const MessageCosts& costs, double idle_s,
              double eager_bytes) {
  std::vector<double> bytes(routes.links().size());
  std::vector<double> left_bytes(bytes.size());
  for (const RankTraffic& pair : traffic)
    for (const LinkIndex link : routes.route(pair.source, pair.destination)) {
      bytes[static_cast<std::size_t>(link)] += pair.bytes;
      left_bytes[static_cast<std::size_t>(link)] += std::min(pair.bytes, costs.send_buffer_bytes);
    }
  const bool has_buffer = std::isfinite(costs.send_buffer_bytes);
  double greatest_s = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) continue;
    const double most_left = has_buffer ? left_bytes[i] : std::min(bytes[i], eager_bytes);
    const double bandwidth_Bps = routes.links()[i].bandwidth_Bps;
    greatest_s =
        std::max({greatest_s, bytes[i] / bandwidth_Bps, idle_s + (bytes[i] - most_left) / bandwidth_Bps});
  }
  return greatest_s;
}

/// The bytes of a run that other messages have to wait for: all but the first 1500 B of each message.
double bytes_that_wait(const RunStatistics& statistics) {
  return std::max(0.0, statistics.bytes - small_message_bytes * static_cast<double>(statistics.messages));
}

/// Whether the algorithm chooses its collective on its network for sizes that are only known during a run.
bool chooses_while_running(const TrainingOptions& options) {
  const auto* horovod = options.get_if<HorovodOptions>();
  return horovod != nullptr && horovod->collective == name_of(CollectiveKind::automatic);
}

/// A text of what an algorithm takes from its network: two networks with equal texts have the same Needs.
std::string made_for_network(const ScenarioJob& job) {
  const PreparedRun run = job.run(0);
  const TypicalTraffic traffic = run.algorithm.typical_traffic(run.workload);
  std::string made = fmt::format("{} {}", job.facts().workers_per_host, job.facts().is_scattered);
  for (const auto& [schedule, times] : traffic.collectives)
    made += fmt::format(" {} {} {} {}", schedule->name(), schedule->count(), times, schedule->rounds(0));
  return made;
}

}  // namespace

LowerBounds::Needs LowerBounds::needs_of(const ScenarioJob& job) {
  const TrainingOptions& options = job.options(0);
  const std::int64_t warmup_iterations = job.scenario().warmup_iterations;
  const Outcome free = free_run(job, 0);
  const auto counted = static_cast<double>(job.iterations(0) - warmup_iterations);
  // Messages that are in flight when counting begins or ends belong to at most so many iterations.
  const auto traffic_but = [&](std::int64_t iterations, TrafficMatrix traffic) {
    const double counted_of_them = std::max(0.0, counted - static_cast<double>(iterations));
    const double bytes =
        bytes_that_wait(free.statistics) / static_cast<double>(job.iterations(0)) * counted_of_them / counted;
    for (RankTraffic& pair : traffic) pair.bytes *= bytes;
    return traffic;
  };
  if (!options.traits().is_synchronous) {
    Needs needs{.work_s = own_work_s(free.log, warmup_iterations)};
    if (!options.traits().has_mixing_matrix) return needs;
    TrafficMatrix traffic = job.traffic(0);
    if (const auto ahead = most_ahead(options, options.pattern_period(job.facts()), traffic))
      needs.traffic = traffic_but(*ahead, std::move(traffic));
    return needs;
  }
  Needs needs{.least_s = options.traits().forward_waits
                             ? least_of_waiting_forwards_s(free.log, warmup_iterations)
                             : plain_mean(mean_durations_s(free.log, warmup_iterations))};
  if (!options.traits().ends_before_its_messages)
    needs.idle_s = least_before_sending_s(free.log, warmup_iterations, options.traits().sends_after_backward);
  // With a network, warm-up may end at another point of Horovod's cycles: by less than one cycle in the whole
  // run.
  if (const auto* horovod = options.get_if<HorovodOptions>())
    needs.least_s -= horovod->cycle_time_s / counted;
  needs.traffic = traffic_but(1, job.traffic(0));
  needs.messages = static_cast<double>(free.statistics.messages) / static_cast<double>(job.iterations(0));
  return needs;
}

double LowerBounds::bound_s(std::int64_t combination, MeanOfWorkers mean) {
  std::optional<Scenario> scenario;
  std::optional<ScenarioJob> job;  // of the first seed; all seeds have its network
  std::string made;
  double sum_s = 0;
  for (int replication = 0; replication < plan_.seeds(); ++replication) {
    const ScenarioDocument document = plan_.document(combination, replication);
    if (replication == 0) {
      scenario = read_scenario(document);
      job.emplace(*scenario);
      // Iterations beyond the first ones have other draws, and their number is not known before the run.
      if (scenario->precision) return 0;
      made = made_for_network(*job);
    }
    const Needs& needs = needs_of(document, *job, made, replication);
    if (needs.work_s.empty()) {
      const MessageCosts& costs = scenario->message_costs;
      const double eager_bytes = needs.messages * costs.eager_in_collectives_bytes();
      sum_s +=
          std::max(needs.least_s, link_s(needs.traffic, job->routes(), costs, needs.idle_s, eager_bytes));
      continue;
    }
    std::vector<double> least_s = receiving_s(needs.traffic, job->routes());
    for (std::size_t i = 0; i < least_s.size(); ++i) least_s[i] = std::max(least_s[i], needs.work_s[i]);
    sum_s += mean(least_s);
  }
  return sum_s / plan_.seeds();
}

const LowerBounds::Needs& LowerBounds::needs_of(const ScenarioDocument& document, const ScenarioJob& first,
                                                const std::string& made, int replication) {
  nlohmann::json scenario_json = document.json;
  if (!chooses_while_running(first.options(0)))
    for (const char* of_network : {"network", "placement", "transport"})
      scenario_json["cluster"].erase(of_network);
  const std::string key = scenario_json.dump() + made;
  if (const auto found = needs_.find(key); found != needs_.end()) return found->second;
  if (replication == 0) return needs_.emplace(key, needs_of(first)).first->second;
  const Scenario scenario = read_scenario(document);
  return needs_.emplace(key, needs_of(ScenarioJob(scenario))).first->second;
}

}  // namespace starling

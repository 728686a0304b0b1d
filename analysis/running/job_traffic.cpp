#include "analysis/running/job_traffic.hpp"

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/collectives/schedules/ring.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "sim/networks/event/event_network.hpp"

namespace starling {
namespace {

using BytesOfPairs = std::map<std::pair<Rank, Rank>, double>;

/// The iterations of a run that may differ from the others: the first and the last one.
constexpr std::int64_t begin_and_end = 2;

/// Counts the bytes sent between each pair, by the iteration that the sender is in.
class CountingNetwork final : public NetworkModel {
 public:
  /// `iteration_of`: the current iteration of each rank, kept up to date by the caller; 0 at first.
  CountingNetwork(const Routes& routes, std::span<const std::int64_t> iteration_of)
      : carrier_(routes), iteration_of_(iteration_of) {}

  void attach(Scheduler& scheduler) override { carrier_.attach(scheduler); }
  void start(Transfer& transfer) override {
    const std::int64_t iteration = iteration_of_[index_of(transfer.source)];
    bytes_[iteration][{transfer.source, transfer.destination}] += transfer.bytes;
    carrier_.start(transfer);
  }
  std::map<std::int64_t, BytesOfPairs>& bytes() { return bytes_; }

 private:
  EventNetwork carrier_;
  std::span<const std::int64_t> iteration_of_;
  std::map<std::int64_t, BytesOfPairs> bytes_;
};

/// In each round every rank sends a chunk to its right neighbor; a single rank sends nothing.
void add_ring(const Schedule& ring, double times, BytesOfPairs& bytes) {
  if (ring.ranks() < 2) return;
  const double chunk = static_cast<double>(ring.count()) / ring.ranks();
  for (Rank rank = 0; rank < ring.ranks(); ++rank)
    bytes[{rank, Ring(rank, ring.ranks()).right()}] += times * ring.rounds(rank) * chunk;
}

void add_rounds(const Schedule& schedule, double times, BytesOfPairs& bytes) {
  for (Rank rank = 0; rank < schedule.ranks(); ++rank)
    for (int i = 0; i < schedule.rounds(rank); ++i) {
      const Transmission send = schedule.round(rank, i).send;
      if (send.is_present()) bytes[{rank, send.peer}] += times * static_cast<double>(send.chunk.count);
    }
}

void add_schedule(const Schedule& schedule, double times, BytesOfPairs& bytes) {
  schedule.is_ring() ? add_ring(schedule, times, bytes) : add_rounds(schedule, times, bytes);
}

/// What is sent in each of so many successive iterations of a run, without its first and its last one.
std::vector<BytesOfPairs> sent_by_iteration(PreparedRun run, const Routes& routes, std::int64_t iterations,
                                            OptionalProgress progress = {}) {
  std::vector<std::int64_t> iteration_of(index_of(routes.workers()), 0);
  run.iterations = begin_and_end + iterations;
  run.load = [&iteration_of, progress](Rank rank, std::int64_t iteration) {
    progress.advance();
    iteration_of[index_of(rank)] = iteration;
    return Load{};
  };
  CountingNetwork counting(routes, iteration_of);
  simulate_run(run, routes, counting, {});
  std::vector<BytesOfPairs> sent;
  for (std::int64_t iteration = 1; iteration <= iterations; ++iteration)
    sent.push_back(std::move(counting.bytes()[iteration]));
  return sent;
}

double sum_of(const BytesOfPairs& bytes) {
  double sum = 0;
  for (const auto& [pair, of_pair] : bytes) sum += of_pair;
  return sum;
}

TrafficMatrix shares_of(const BytesOfPairs& bytes, double of_bytes) {
  TrafficMatrix shares;
  for (const auto& [pair, of_pair] : bytes)
    if (of_pair > 0) shares.push_back({pair.first, pair.second, of_pair / of_bytes});
  return shares;
}
TrafficMatrix shares_of(const BytesOfPairs& bytes) { return shares_of(bytes, sum_of(bytes)); }

std::optional<TrafficMatrix> traffic_without_run(const PreparedRun& run, const Routes& routes,
                                                 std::int64_t iterations) {
  if (!run.algorithm.sequential_collectives().empty()) return traffic_of(run, routes, iterations);
  return iterations == 1 ? typical_traffic_of(run) : std::nullopt;
}

}  // namespace

TrafficMatrix traffic_of(const PreparedRun& run, const Routes& routes, std::int64_t iterations) {
  const std::vector<const Schedule*> collectives = run.algorithm.sequential_collectives();
  BytesOfPairs bytes;
  for (const Schedule* schedule : collectives) add_schedule(*schedule, 1, bytes);
  if (!collectives.empty()) return shares_of(bytes);
  for (const BytesOfPairs& sent : sent_by_iteration(run, routes, iterations))
    for (const auto& [pair, of_pair] : sent) bytes[pair] += of_pair;
  return shares_of(bytes);
}

TrafficRounds traffic_by_iteration(const PreparedRun& run, const Routes& routes, std::int64_t iterations,
                                   OptionalProgress progress) {
  if (auto of_all = traffic_without_run(run, routes, iterations)) return {std::move(*of_all)};
  const std::vector<BytesOfPairs> sent = sent_by_iteration(run, routes, iterations, progress);
  double sum = 0;
  for (const BytesOfPairs& of_iteration : sent) sum += sum_of(of_iteration);
  TrafficRounds rounds;
  for (const BytesOfPairs& of_iteration : sent)
    if (TrafficMatrix shares = shares_of(of_iteration, sum); !shares.empty())
      rounds.push_back(std::move(shares));
  return rounds;
}

std::int64_t steps_by_iteration(const PreparedRun& run, const Routes& routes, std::int64_t iterations) {
  return traffic_without_run(run, routes, iterations) ? 0 : routes.workers() * (begin_and_end + iterations);
}

std::optional<TrafficMatrix> typical_traffic_of(const PreparedRun& run) {
  const TypicalTraffic typical = run.algorithm.typical_traffic(run.workload);
  if (typical.collectives.empty() || typical.models > 0) return std::nullopt;
  BytesOfPairs bytes;
  for (const TypicalTraffic::Collective& collective : typical.collectives)
    add_schedule(*collective.schedule, collective.times, bytes);
  return shares_of(bytes);
}

double messages_to_find_traffic(const PreparedRun& run, int workers, std::int64_t iterations) {
  const TypicalTraffic typical = run.algorithm.typical_traffic(run.workload);
  double of_worker = typical.messages;
  for (const TypicalTraffic::Collective& collective : typical.collectives)
    of_worker += collective.times * collective.schedule->rounds(0);
  return workers * of_worker * static_cast<double>(begin_and_end + iterations);
}

}  // namespace starling

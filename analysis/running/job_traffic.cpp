#include "analysis/running/job_traffic.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/collectives/schedules/ring.hpp"
#include "analysis/running/simulated_machine.hpp"
#include "sim/networks/event/event_network.hpp"

namespace starling {
namespace {

using BytesOfPairs = std::map<std::pair<Rank, Rank>, double>;

/// Iterations of a run that are unlike the others.
constexpr std::int64_t begin_and_end = 2;

/// Counts what is sent.
class CountingNetwork final : public NetworkModel {
 public:
  explicit CountingNetwork(const Routes& routes) : carrier_(routes) {}

  void attach(Scheduler& scheduler) override { carrier_.attach(scheduler); }
  void start(Transfer& transfer) override {
    bytes_[{transfer.source, transfer.destination}] += transfer.bytes;
    carrier_.start(transfer);
  }
  const BytesOfPairs& bytes() const { return bytes_; }

 private:
  EventNetwork carrier_;
  BytesOfPairs bytes_;
};

/// Every rank sends a chunk to the next in each round; alone, none.
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

BytesOfPairs sent_in_run(PreparedRun run, const Routes& routes, std::int64_t iterations) {
  run.iterations = iterations;
  run.load = [](Rank, std::int64_t) { return Load{}; };
  CountingNetwork counting(routes);
  simulate_run(run, routes, counting, {});
  return counting.bytes();
}

TrafficMatrix shares_of(const BytesOfPairs& bytes) {
  double sum = 0;
  for (const auto& [pair, of_pair] : bytes) sum += of_pair;
  TrafficMatrix shares;
  for (const auto& [pair, of_pair] : bytes)
    if (of_pair > 0) shares.push_back({pair.first, pair.second, of_pair / sum});
  return shares;
}

/// How much more is sent in a run that is longer by so many iterations.
BytesOfPairs sent_within_run(const PreparedRun& run, const Routes& routes, std::int64_t iterations) {
  BytesOfPairs bytes = sent_in_run(run, routes, begin_and_end + iterations);
  for (const auto& [pair, of_pair] : sent_in_run(run, routes, begin_and_end)) bytes[pair] -= of_pair;
  return bytes;
}

}  // namespace

TrafficMatrix traffic_of(const PreparedRun& run, const Routes& routes, std::int64_t iterations) {
  const std::vector<const Schedule*> collectives = run.algorithm.only_traffic();
  if (collectives.empty()) return shares_of(sent_within_run(run, routes, iterations));
  BytesOfPairs bytes;
  for (const Schedule* schedule : collectives) add_schedule(*schedule, 1, bytes);
  return shares_of(bytes);
}

std::optional<TrafficMatrix> usual_traffic_of(const PreparedRun& run) {
  const UsualTraffic usual = run.algorithm.usual_traffic(run.workload);
  if (usual.collectives.empty() || usual.models > 0) return std::nullopt;
  BytesOfPairs bytes;
  for (const UsualTraffic::Collective& collective : usual.collectives)
    add_schedule(*collective.schedule, collective.times, bytes);
  return shares_of(bytes);
}

double messages_to_find_traffic(const PreparedRun& run, int workers, std::int64_t iterations) {
  const UsualTraffic usual = run.algorithm.usual_traffic(run.workload);
  double of_worker = usual.messages;
  for (const UsualTraffic::Collective& collective : usual.collectives)
    of_worker += collective.times * collective.schedule->rounds(0);
  return workers * of_worker * static_cast<double>(2 * begin_and_end + iterations);
}

}  // namespace starling

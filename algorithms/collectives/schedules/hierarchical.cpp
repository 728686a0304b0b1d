#include "algorithms/collectives/schedules/hierarchical.hpp"

#include <utility>

#include "base/reject.hpp"

namespace starling {
namespace {

int checked_workers_per_host(int ranks, int workers_per_host) {
  if (workers_per_host < 1 || ranks % workers_per_host != 0) {
    reject(
        "a hierarchical all-reduce needs equally many workers on every host, but {} workers do not "
        "divide into hosts of {}",
        ranks, workers_per_host);
  }
  return workers_per_host;
}

}  // namespace

HierarchicalAllReduce::HierarchicalAllReduce(int ranks, std::int64_t count, int workers_per_host,
                                             std::unique_ptr<Schedule> between_larger,
                                             std::unique_ptr<Schedule> between_smaller)
    : Schedule(ranks, count),
      workers_per_host_(checked_workers_per_host(ranks, workers_per_host)),
      chunks_(count, workers_per_host),
      reduce_scatter_(RingSchedule::Phase::reduce_scatter, workers_per_host, count),
      allgather_(RingSchedule::Phase::allgather, workers_per_host, count),
      between_larger_(std::move(between_larger)),
      between_smaller_(std::move(between_smaller)) {
  const int hosts = ranks / workers_per_host;
  STARLING_INVARIANT(between_larger_->ranks() == hosts && between_smaller_->ranks() == hosts);
  STARLING_INVARIANT(between_larger_->count() == chunks_.chunk(0).count);
  STARLING_INVARIANT(between_smaller_->count() == chunks_.chunk(workers_per_host - 1).count);
}

const Schedule& HierarchicalAllReduce::between_hosts(int local_rank) const {
  return chunks_.chunk(local_rank).count == between_larger_->count() ? *between_larger_ : *between_smaller_;
}

int HierarchicalAllReduce::rounds(Rank rank) const {
  const Schedule& between = between_hosts(rank % workers_per_host_);
  return 2 * (workers_per_host_ - 1) + between.rounds(rank / workers_per_host_);
}

Round HierarchicalAllReduce::round(Rank rank, int index) const {
  if (index < workers_per_host_ - 1) return inside_host(reduce_scatter_, rank, index);
  const int host = rank / workers_per_host_;
  const int local_rank = rank - host * workers_per_host_;
  const Schedule& between = between_hosts(local_rank);
  const int between_index = index - (workers_per_host_ - 1);
  const int between_rounds = between.rounds(host);
  if (between_index >= between_rounds) return inside_host(allgather_, rank, between_index - between_rounds);

  Round round = between.round(host, between_index);
  for (Transmission* transmission : {&round.send, &round.receive}) {
    transmission->chunk.offset += chunks_.offset(local_rank);
    if (transmission->peer >= 0) transmission->peer = transmission->peer * workers_per_host_ + local_rank;
  }
  return round;
}

Round HierarchicalAllReduce::inside_host(const RingSchedule& ring, Rank rank, int index) const {
  const Rank first_on_host = rank - rank % workers_per_host_;
  Round round = ring.round(rank - first_on_host, index);
  round.send.peer += first_on_host;
  round.receive.peer += first_on_host;
  return round;
}

}  // namespace starling

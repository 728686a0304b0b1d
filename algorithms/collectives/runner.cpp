#include "algorithms/collectives/runner.hpp"

#include <algorithm>

#include "sim/errors.hpp"

namespace starling {
namespace {

std::int64_t largest_reduced_chunk(const Schedule& schedule, Rank rank) {
  std::int64_t largest = 0;
  for (int index = 0; index < schedule.rounds(rank); ++index) {
    const Round round = schedule.round(rank, index);
    if (round.receive.is_present() && round.action == Round::Action::reduce) {
      largest = std::max(largest, round.receive.chunk.count);
    }
  }
  return largest;
}

Buffer part(const Buffer& buffer, const Chunk& chunk) { return buffer.slice(chunk.offset, chunk.count); }

/// `to_world` turns a rank of the schedule into one of the world.
template <typename ToWorld>
void run_rounds(Worker& worker, const Schedule& schedule, Rank rank, Buffer buffer, Tag tag,
                const ToWorld& to_world) {
  STARLING_INVARIANT(buffer.count() == schedule.count());
  const std::int64_t inbox_count = buffer.is_real() ? largest_reduced_chunk(schedule, rank) : buffer.count();
  const OwnedBuffer inbox(buffer, inbox_count);
  const int rounds = schedule.rounds(rank);

  for (int index = 0; index < rounds; ++index) {
    const Round round = schedule.round(rank, index);
    const bool has_receive = round.receive.is_present();
    const bool reduces = has_receive && round.action == Round::Action::reduce;
    const Buffer destination = has_receive ? part(buffer, round.receive.chunk) : Buffer();
    const Buffer incoming = reduces ? inbox.first(round.receive.chunk.count) : destination;

    Request receiving;
    Request sending;
    if (has_receive) receiving = worker.irecv(incoming, to_world(round.receive.peer), tag);
    if (round.send.is_present()) {
      sending = worker.isend(part(buffer, round.send.chunk), to_world(round.send.peer), tag);
    }
    if (has_receive) worker.wait(receiving);
    if (round.send.is_present()) worker.wait(sending);
    if (reduces) worker.accumulate(destination, incoming);
  }
}

}  // namespace

void run_schedule(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) {
  STARLING_INVARIANT(schedule.ranks() == worker.world_size());
  run_rounds(worker, schedule, worker.rank(), buffer, tag, [](Rank rank) { return rank; });
}

void run_schedule(Worker& worker, const Schedule& schedule, const Group& group, Buffer buffer, Tag tag) {
  STARLING_INVARIANT(schedule.ranks() == group.size());
  run_rounds(worker, schedule, group.index_of(worker.rank()), buffer, tag,
             [&group](Rank rank) { return group.world_rank(rank); });
}

}  // namespace starling

#include "algorithms/collectives/runner.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/errors.hpp"

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

/// The rounds of one rank as exchanges; rounds without a message are passed over.
class RoundsOfRank final : public ExchangeSequence {
 public:
  /// `group` turns ranks of the schedule into ranks of the world; null if they are the same.
  RoundsOfRank(const Schedule& schedule, Rank rank, const Group* group, Buffer buffer)
      : schedule_(schedule),
        group_(group),
        rank_(rank),
        rounds_(schedule.rounds(rank)),
        buffer_(buffer),
        inbox_(buffer, buffer.is_real() ? largest_reduced_chunk(schedule, rank) : buffer.count(),
               OwnedBuffer::Contents::anything) {
    STARLING_INVARIANT(buffer.count() == schedule.count());
  }

  bool next(Exchange& exchange) override {
    Round round;
    do {
      if (index_ == rounds_) return false;
      round = schedule_.round(rank_, index_++);
    } while (!round.send.is_present() && !round.receive.is_present());

    exchange = {};
    if (round.send.is_present()) {
      exchange.destination = in_world(round.send.peer);
      exchange.outgoing = part(buffer_, round.send.chunk);
    }
    if (!round.receive.is_present()) return true;
    exchange.source = in_world(round.receive.peer);
    exchange.incoming = part(buffer_, round.receive.chunk);
    if (round.action == Round::Action::copy) return true;
    exchange.is_reducing = true;
    exchange.sum = exchange.incoming;
    exchange.incoming = inbox_.first(round.receive.chunk.count);
    return true;
  }

 private:
  Rank in_world(Rank rank) const { return group_ ? group_->world_rank(rank) : rank; }

  const Schedule& schedule_;
  const Group* group_;
  Rank rank_;
  int rounds_;
  int index_ = 0;
  Buffer buffer_;
  OwnedBuffer inbox_;
};

/// On the heap, where those of all ranks lie close together: on the strands' stacks each would be a page of
/// its own, which thousands of ranks pay for with a miss of the page table's cache in every round.
template <typename... Arguments>
void run_rounds(Worker& worker, Tag tag, Arguments&&... arguments) {
  const auto rounds = std::make_unique<RoundsOfRank>(std::forward<Arguments>(arguments)...);
  worker.run_exchanges(*rounds, tag);
}

}  // namespace

void run_schedule(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag) {
  STARLING_INVARIANT(schedule.ranks() == worker.world_size());
  run_rounds(worker, tag, schedule, worker.rank(), nullptr, buffer);
}

void run_schedule(Worker& worker, const Schedule& schedule, const Group& group, Buffer buffer, Tag tag) {
  STARLING_INVARIANT(schedule.ranks() == group.size());
  run_rounds(worker, tag, schedule, group.index_of(worker.rank()), &group, buffer);
}

}  // namespace starling

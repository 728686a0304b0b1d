#include "algorithms/collectives/runner.hpp"

#include <algorithm>
#include <memory>

#include "algorithms/collectives/schedules/ring.hpp"
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

/// The rounds of one rank as exchanges; rounds without a message are skipped. If the concrete class of the
/// schedule is known, as for rings, no virtual call is needed per message.
template <typename KindOfSchedule>
class RoundsOfRank final : public ExchangeSequence {
 public:
  RoundsOfRank(const KindOfSchedule& schedule, Rank rank, Buffer buffer, MessageKind kind)
      : schedule_(schedule),
        rank_(rank),
        rounds_(schedule.rounds(rank)),
        kind_(kind == MessageKind::data && schedule.is_ring() ? MessageKind::ring : kind),
        buffer_(buffer),
        inbox_(buffer, buffer.is_real() ? largest_reduced_chunk(schedule, rank) : buffer.count(),
               OwnedBuffer::Contents::anything) {
    STARLING_INVARIANT(buffer.count() == schedule.count());
  }

  MessageKind kind() const override { return kind_; }

  bool next(Exchange& exchange) override {
    Round round;
    do {
      if (index_ == rounds_) return false;
      round = schedule_.round(rank_, index_++);
    } while (!round.send.is_present() && !round.receive.is_present());

    const bool receives = round.receive.is_present();
    exchange.destination = round.send.is_present() ? round.send.peer : -1;
    exchange.source = receives ? round.receive.peer : -1;
    exchange.is_reducing = receives && round.action == Round::Action::reduce;
    if (exchange.destination >= 0) exchange.outgoing = part(buffer_, round.send.chunk);
    if (receives) exchange.incoming = part(buffer_, round.receive.chunk);
    if (exchange.is_reducing) {
      exchange.sum = exchange.incoming;
      exchange.incoming = inbox_.first(round.receive.chunk.count);
    }
    return true;
  }

 private:
  const KindOfSchedule& schedule_;
  Rank rank_;
  int rounds_;
  int index_ = 0;
  MessageKind kind_;
  Buffer buffer_;
  OwnedBuffer inbox_;
};

/// Allocates on the heap, where the sequences of all ranks lie close together. On the strands' stacks each
/// would lie on a page of its own, and with thousands of ranks every round would miss the TLB.
std::unique_ptr<ExchangeSequence> rounds_of(const Worker& worker, const Schedule& schedule, Buffer buffer,
                                            MessageKind kind) {
  STARLING_INVARIANT(schedule.ranks() == worker.world_size());
  if (const auto* ring = dynamic_cast<const RingSchedule*>(&schedule))
    return std::make_unique<RoundsOfRank<RingSchedule>>(*ring, worker.rank(), buffer, kind);
  return std::make_unique<RoundsOfRank<Schedule>>(schedule, worker.rank(), buffer, kind);
}

}  // namespace

void run_schedule(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag, MessageKind kind) {
  worker.run_exchanges(*rounds_of(worker, schedule, buffer, kind), tag);
}

ScheduleRun::ScheduleRun(Worker& worker, const Schedule& schedule, Buffer buffer, Tag tag)
    : worker_(worker), rounds_(rounds_of(worker, schedule, buffer, MessageKind::data)), tag_(tag) {}

}  // namespace starling

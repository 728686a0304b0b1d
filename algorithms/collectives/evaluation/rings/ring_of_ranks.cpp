#include "algorithms/collectives/evaluation/rings/ring_of_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers/simultaneous.hpp"

namespace starling {

RingOfRanks::RingOfRanks(StepRules& rules, const RingHops& hops, const FreeRoutes& network,
                         std::vector<RankState> ranks)
    : rules_(rules),
      network_(network),
      ranks_(std::move(ranks)),
      before_(ranks_),
      sent_(ranks_.size()),
      sizes_(ranks_.size()),
      kind_of_(hops.kind_of),
      legs_(legs_of(rules.chunks(), hops, network)) {}

void RingOfRanks::send(std::size_t rank) {
  const std::size_t size = sizes_[rank];
  sent_[rank] = rules_.send(ranks_[rank], leg(rank, size), rules_.launch_s(before_[rank].begin_s, size),
                            before_[right_of(rank, ranks_.size())].begin_s);
}

/// If there are fewer elements than ranks, only ranks that send or receive an element take part. They are
/// neighbors, as the senders of chunks 0, 1, … are.
void RingOfRanks::find_participants(int step) {
  const std::size_t ranks = ranks_.size();
  const bool do_all = rules_.is_sent(0);
  first_ = do_all ? 0 : (static_cast<std::size_t>(step) + 1) % ranks;
  number_ = do_all ? ranks : std::min(ranks, static_cast<std::size_t>(rules_.chunks().larger_chunks) + 1);
}

template <typename Act>
void RingOfRanks::for_each_participant(const Act& act) const {
  std::size_t rank = first_;
  for (std::size_t i = 0; i < number_; ++i, rank = right_of(rank, ranks_.size())) act(rank);
}

void RingOfRanks::step(int step, double reduction_s_per_byte) {
  find_participants(step);
  const int first_chunk = first_chunk_sent(step, static_cast<int>(ranks_.size()));
  const auto note_size = [&](std::size_t rank) {
    sizes_[rank] = static_cast<std::uint8_t>(size_sent(rules_.chunks(), first_chunk, rank, ranks_.size()));
  };
  note_size(left_of(first_, ranks_.size()));
  for_each_participant([&](std::size_t rank) {
    before_[rank] = ranks_[rank];
    note_size(rank);
  });
  for_each_participant([&](std::size_t rank) {
    if (rules_.is_sent(sizes_[rank])) send(rank);
  });
  for_each_participant([&](std::size_t rank) {
    const std::size_t left = left_of(rank, ranks_.size());
    ranks_[rank].begin_s = rules_.end_s(before_[rank].begin_s, sizes_[rank], sent_[rank], sizes_[left],
                                        leg(left, sizes_[left]), sent_[left].arrival_s, reduction_s_per_byte);
  });
}

void RingOfRanks::note_sent(const SentTimes& times) const {
  for_each_participant([&](std::size_t rank) {
    times.ready_s[rank] = sent_[rank].ready_s;
    times.free_s[rank] = before_[rank].free_s;
    times.arrival_s[rank] = sent_[rank].arrival_s;
  });
}

/// The rank that took part in the step before but not in this one is the rank before the first participant.
void RingOfRanks::note(const StepTimes& times) const {
  const std::size_t last_of_others = left_of(first_, ranks_.size());
  times.begin_s[last_of_others] = ranks_[last_of_others].begin_s;
  for_each_participant([&](std::size_t rank) {
    const RankState& before = before_[rank];
    times.begin_s[rank] = before.begin_s;
    times.free_s[rank] = before.free_s;
    times.start_s[rank] = network_.start_s(leg(rank, sizes_[rank]), sent_[rank].ready_s, before.free_s);
    times.arrival_s[rank] = sent_[rank].arrival_s;
  });
}

bool RingOfRanks::advanced_evenly() const {
  const double advance_s = ranks_[0].begin_s - before_[0].begin_s;
  const auto is_alike = [&](double now_s, double before_s) {
    return now_s == before_s || std::abs(now_s - before_s - advance_s) <= rounding_of_distances * now_s;
  };
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (ranks_[rank].begin_s == before_[rank].begin_s) return false;
    if (!is_alike(ranks_[rank].begin_s, before_[rank].begin_s)) return false;
    if (!is_alike(ranks_[rank].free_s, before_[rank].free_s)) return false;
  }
  return true;
}

void RingOfRanks::repeat(int times) {
  const double advance_s = times * (ranks_[0].begin_s - before_[0].begin_s);
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    for (const auto time : RankState::times)
      if (ranks_[rank].*time != before_[rank].*time) ranks_[rank].*time += advance_s;
}

}  // namespace starling

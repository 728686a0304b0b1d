#include "algorithms/collectives/evaluation/rings/observation/ring_record.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace starling {
namespace {

constexpr std::size_t times_of_step = 4;

/// The number of messages whose moments fit in caches.
constexpr std::size_t messages_of_part = 1 << 13;

/// The number of steps in a part: as many as caches hold. For large rings it is as large as the number of
/// parts, so that the moments of a part and the states before all parts take equal memory.
int steps_of_part(std::size_t ranks, int steps) {
  const int of_small_ring = static_cast<int>(messages_of_part / ranks);
  return std::max({1, of_small_ring, static_cast<int>(std::sqrt(steps))});
}

}  // namespace

/// Records every step of a RingOfRuns in RingRecord::runs_.
class RingRecord::Recorder final : public RingOfRuns::Watcher {
 public:
  /// All must outlive this object.
  Recorder(RingRecord& record, const RingOfRuns& runs) : record_(record), runs_(runs) {}

  void on_step() override {
    runs_.for_each_stretch([this](const RingOfRuns::Stretch& stretch) { note(stretch); });
    record_.runs_.end_step();
  }
  void on_even_steps(int) override {}
  bool has_advanced_evenly_for(int) const override { return false; }

 private:
  void note(const RingOfRuns::Stretch& stretch) {
    RingStretches& stretches = record_.runs_;
    const RingOfRuns::Block& block = stretch.first;
    stretches.add(stretch.first_block, static_cast<std::size_t>(stretch.blocks), stretch.shift_s);
    for (std::size_t place = 0; place < block.ranks; ++place) {
      const RankState& before = block.before[place];
      const Sent& sent = block.sent[place];
      const double start_s = record_.network_.start_s(block.leg(place), sent.ready_s, before.free_s);
      stretches.add_moments({before.begin_s, before.free_s, start_s, sent.arrival_s});
    }
  }

  RingRecord& record_;
  const RingOfRuns& runs_;
};

bool RingRecord::is_small(const EvaluatedRing& ring) const {
  return ranks_ * static_cast<std::size_t>(ring.end_step - ring.first_step) <= messages_of_part;
}

std::vector<RingRecord::Part> RingRecord::parts_of(const EvaluatedRing& ring) {
  recorded_ = nullptr;
  if (is_small(ring)) return {{ring.first_step, ring.end_step, false, ring.before}};
  StepRules rules(network_, ring.chunks);
  std::vector<Part> parts;
  std::vector<RankState> there = ring.before;
  after_steps(
      rules, hops_, network_, ring.before, ring.first_step, ring.end_step,
      [&](RingOfRuns& runs, int step) {
        const int gone_to = go_as_runs(runs, ring, step, ring.end_step);
        if (gone_to > step) parts.push_back({step, gone_to, true, std::move(there)});
        return gone_to;
      },
      [&](std::vector<RankState> ranks, int step, int end_step) {
        return there = go_rank_by_rank(ring, std::move(ranks), step, end_step, parts);
      });
  return parts;
}

/// Computes steps as runs, and records them until they take too much memory. Returns the step that it has
/// reached.
int RingRecord::go_as_runs(RingOfRuns& runs, const EvaluatedRing& ring, int step, int end_step) {
  constexpr std::size_t most_moments = 1 << 17;
  constexpr int steps_at_a_time = 64;
  first_step_ = step;
  is_of_runs_ = true;
  runs_.begin(step);
  ends_s_.clear();
  recorded_ = &ring;
  Recorder recorder(*this, runs);
  while (step < end_step && runs_.known_moments() < most_moments) {
    const int stop = step + std::min(steps_at_a_time, end_step - step);
    step = runs.go(step, stop, &recorder);
    if (step < stop) break;
  }
  for (const RankState& rank : runs.ranks(step)) ends_s_.push_back(rank.begin_s);
  return step;
}

/// Computes steps rank by rank, and appends the parts that they form. Returns the states after them.
std::vector<RankState> RingRecord::go_rank_by_rank(const EvaluatedRing& ring, std::vector<RankState> ranks,
                                                   int step, int end_step, std::vector<Part>& parts) const {
  const int steps = steps_of_part(ranks_, ring.end_step - ring.first_step);
  while (step < end_step) {
    const int stop = step + std::min(steps, end_step - step);
    parts.push_back({step, stop, false, ranks});
    RingReplay replay(hops_, network_, ring, step, std::move(ranks));
    for (; step < stop; ++step) replay.step([](const auto&) {});
    ranks = replay.ranks();
  }
  return ranks;
}

void RingRecord::look_at(const EvaluatedRing& ring, const Part& part) {
  const bool is_there =
      recorded_ == &ring && is_of_runs_ && part.is_of_runs && first_step_ == part.first_step;
  if (is_there) return;
  recorded_ = &ring;
  if (part.is_of_runs)
    look_at_runs(ring, part);
  else
    look_at_ranks(ring, part);
}

void RingRecord::look_at_ranks(const EvaluatedRing& ring, const Part& part) {
  const auto steps = static_cast<std::size_t>(part.end_step - part.first_step);
  first_step_ = part.first_step;
  is_of_runs_ = false;
  times_.resize(std::max(times_.size(), (steps * times_of_step + 1) * ranks_));
  RingReplay replay(hops_, network_, ring, part.first_step, part.before);
  double* place = times_.data();
  for (std::size_t step = 0; step < steps; ++step, place += times_of_step * ranks_)
    replay.step([&](const auto& all) {
      all.note({place, place + ranks_, place + 2 * ranks_, place + 3 * ranks_});
    });
  for (const RankState& rank : replay.ranks()) *place++ = rank.begin_s;
}

void RingRecord::look_at_runs(const EvaluatedRing& ring, const Part& part) {
  StepRules rules(network_, ring.chunks);
  RingOfRuns runs(rules, hops_, network_);
  runs.begin(part.before, part.first_step);
  go_as_runs(runs, ring, part.first_step, part.end_step);
}

int RingRecord::first_chunk(std::size_t number) const {
  return first_chunk_sent(first_step_ + static_cast<int>(number) - 1, static_cast<int>(ranks_));
}

StepMoments RingRecord::moments(std::size_t number, std::size_t rank) const {
  if (is_of_runs_) return runs_.of(number - 1, rank);
  const double* const times = times_.data() + (number - 1) * times_of_step * ranks_ + rank;
  return {times[0], times[ranks_], times[2 * ranks_], times[3 * ranks_]};
}

/// A step ends when the next one begins.
double RingRecord::end_s(std::size_t number, std::size_t rank) const {
  return number < runs_.steps() ? moments(number + 1, rank).begin_s : ends_s_[rank];
}

/// In a part of runs: writes the moments of a rank to the arrays that Step refers to.
void RingRecord::lay_out(std::size_t rank, const StepMoments& moments) {
  double* const times = times_.data() + rank;
  times[0] = moments.begin_s;
  times[ranks_] = moments.free_s;
  times[2 * ranks_] = moments.start_s;
  times[3 * ranks_] = moments.arrival_s;
}

/// Fills in the entries of a rank and its neighbors, which are usually in the same stretch.
void RingRecord::show_in_runs(std::size_t number, std::size_t rank) {
  const std::size_t step = number - 1;
  const std::size_t chunk = runs_.chunk_sent(step, rank);
  const auto& own = runs_.stretch_of(step, chunk);
  const auto show = [&](std::size_t each, std::size_t sent) {
    lay_out(each, runs_.in(runs_.is_in(own, sent) ? own : runs_.stretch_of(step, sent), sent));
  };
  show(rank, chunk);
  show(left_of(rank, ranks_), left_of(chunk, ranks_));
  show(right_of(rank, ranks_), right_of(chunk, ranks_));
  times_[times_of_step * ranks_ + rank] = end_s(number, rank);
}

void RingRecord::show_all_in_runs(std::size_t number) {
  runs_.for_each(number - 1,
                 [this](std::size_t rank, const StepMoments& moments) { lay_out(rank, moments); });
  double* const ends_s = times_.data() + times_of_step * ranks_;
  if (number == runs_.steps()) {
    std::ranges::copy(ends_s_, ends_s);
    return;
  }
  runs_.for_each(number,
                 [&](std::size_t rank, const StepMoments& moments) { ends_s[rank] = moments.begin_s; });
}

RingRecord::Step RingRecord::step(std::size_t number) {
  const std::size_t all = ranks_;
  if (is_of_runs_) times_.resize(std::max(times_.size(), (times_of_step + 1) * all));
  const double* const times = times_.data() + (is_of_runs_ ? 0 : (number - 1) * times_of_step * all);
  return {.number = number,
          .first_chunk = first_chunk(number),
          .begin_s = times,
          .free_s = times + all,
          .start_s = times + 2 * all,
          .arrival_s = times + 3 * all,
          .end_s = times + times_of_step * all};
}

}  // namespace starling

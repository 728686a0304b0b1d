#include "algorithms/collectives/evaluation/rings/observation/ring_record.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numbers/simultaneous.hpp"
#include "evaluated_rings.hpp"

namespace starling {
namespace {

/// The times that a replay of the ring, rank by rank, notes in every step: four runs of P numbers, namely
/// begin, free, start and arrival of each rank, in seconds.
std::vector<std::vector<double>> rank_by_rank(const RingEvaluator& rings, const EvaluatedRing& ring) {
  const std::size_t ranks = ring.before.size();
  std::vector<std::vector<double>> steps;
  std::vector<double> times(4 * ranks);
  RingReplay replay(rings.hops(), rings.network(), ring, ring.first_step, ring.before);
  for (int step = ring.first_step; step < ring.end_step; ++step) {
    replay.step([&](const auto& all) {
      all.note({times.data(), times.data() + ranks, times.data() + 2 * ranks, times.data() + 3 * ranks});
    });
    steps.push_back(times);
  }
  return steps;
}

/// Whether both times are the same; times before the rank began the step may be any, as they may have been
/// forgotten.
bool are_alike(double recorded_s, double replayed_s, double begin_s) {
  return are_simultaneous(recorded_s, replayed_s) || (recorded_s < begin_s && replayed_s <= begin_s);
}

/// How many of the four times of a rank in a step differ.
int differences(const StepMoments& recorded, const std::vector<double>& replayed, std::size_t rank,
                std::size_t ranks) {
  const double begin_s = replayed[rank];
  return (are_simultaneous(recorded.begin_s, begin_s) ? 0 : 1) +
         (are_alike(recorded.free_s, replayed[ranks + rank], begin_s) ? 0 : 1) +
         (are_simultaneous(recorded.start_s, replayed[2 * ranks + rank]) ? 0 : 1) +
         (are_simultaneous(recorded.arrival_s, replayed[3 * ranks + rank]) ? 0 : 1);
}

struct Compared {
  int steps = 0;
  int differences = 0;
  int parts_of_runs = 0;
};

/// Compares all that the record shows with a replay, from the last part to the first.
Compared compare(RingRecord& record, const RingEvaluator& rings, const EvaluatedRing& ring, bool at_once) {
  const std::vector<std::vector<double>> replayed = rank_by_rank(rings, ring);
  const std::size_t ranks = ring.before.size();
  std::vector<RingRecord::Part> parts = record.parts_of(ring);
  Compared compared;
  for (; !parts.empty(); parts.pop_back()) {
    const RingRecord::Part& part = parts.back();
    compared.parts_of_runs += part.is_of_runs ? 1 : 0;
    record.look_at(ring, part);
    const int steps = part.end_step - part.first_step;
    for (int number = steps; number > 0; --number, ++compared.steps) {
      const RingRecord::Step step = record.step(static_cast<std::size_t>(number));
      const auto of_ring = static_cast<std::size_t>(part.first_step - ring.first_step + number - 1);
      if (at_once) record.show_all(step);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (!at_once) record.show(step, rank);
        for (const StepMoments& moments : {step.of(rank), record.moments(step.number, rank)})
          compared.differences += differences(moments, replayed[of_ring], rank, ranks);
        const double end_s =
            of_ring + 1 < replayed.size() ? replayed[of_ring + 1][rank] : ring.after[rank].begin_s;
        compared.differences += are_simultaneous(step.end_s[rank], end_s) ? 0 : 1;
      }
    }
  }
  return compared;
}

TEST_CASE("A record of a ring shows the times of its steps as a replay rank by rank does") {
  for_each_evaluated_ring(
      {{2, 1}, {5, 1}, {48, 1}, {150, 1}, {300, 1}, {200, 1, 1}, {40, 4}, {160, 4}, {385, 2}},
      [](int workers) {
        return std::vector{std::int64_t{workers} * 100'000, std::int64_t{1'000'007}};
      },
      [](const RingCase& of, const RingEvaluator& rings) {
        RingRecord record(rings.hops(), rings.network());
        const Compared compared = compare(record, rings, rings.last(), of.count % 2 == 0);
        CHECK(compared.steps == 2 * (of.workers - 1));
        CHECK(compared.differences == 0);
        if (of.workers >= 150 && of.workers_per_host <= 2 && of.spread_s == 0)
          CHECK(compared.parts_of_runs > 0);
      });
}

}  // namespace
}  // namespace starling

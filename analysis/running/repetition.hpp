#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Whether it is worth looking for a repetition: the run has enough iterations, draws no random numbers, has
/// no message in flight between two iterations, and its engine serves messages of the same moment in no
/// particular order (`fair`). Never where the scenario sets "collectives": "messages".
bool may_repeat(const Scenario& scenario, const PreparedRun& run);

/// Whether iterations of a run may differ by chance: by imbalance, of whatever kind, or by what messages
/// meet.
bool may_differ_by_chance(const Scenario& scenario);

/// After how many iterations a run is known to repeat at the earliest, if it may; after how many one that has
/// not repeated is taken never to.
std::int64_t least_iterations_to_repeat(const PreparedRun& run);
std::int64_t most_iterations_to_repeat(const PreparedRun& run);

/// A run whose iterations may repeat.
struct SearchedRun {
  int workers = 0;
  std::int64_t iterations = 0;
  /// The period of the algorithm's traffic, in iterations.
  std::int64_t traffic_period = 1;
  /// After so many the search gives up,
  std::int64_t most_iterations = 0;
  /// and with it the run, if this is only to find out.
  bool ends_with_search = false;
};

/// Finds out, while a run is simulated, whether its iterations repeat, so that the others need not be.
///
/// Between two iterations workers differ only by when they ended, if the last one has ended before the first
/// one can send anything: after its forward pass. If they are as far apart as they were some periods of the
/// algorithm's traffic before, so is all that follows as it was then. At least two iterations, and half of
/// those so far, have to agree with the ones a period before, as what rounding decides may be decided
/// otherwise later: where it does, that often shows only after many iterations, so the search gives up.
/// Takes O(workers) an iteration, far less than that simulates, and 16 bytes of memory for each worker and
/// iteration of up to eight periods; where that is more than 64 MB, and more than 16 iterations, runs are not
/// searched.
class RepetitionSearch {
 public:
  explicit RepetitionSearch(const SearchedRun& run);

  /// A worker begins an iteration, as soon as it has ended the one before, and sends nothing earlier than
  /// that. True when end_iteration() is to be called: all have begun this one.
  bool begin(Rank rank, std::int64_t iteration, double now_s, double first_sent_s);

  /// All have begun an iteration, and had come to this with those before it, if nobody has sent anything
  /// since. True if the run need not go on: repetition() tells what was found.
  bool end_iteration(const RunStatistics& statistics, const ParticipationLog& participation);

  /// Empty if nothing was found so far.
  const std::optional<Repetition>& repetition() const { return repetition_; }

  /// Makes the outcome of the iterations that were simulated one of all, up to rounding.
  void add_further_iterations(Outcome& outcome) const;

 private:
  /// Where one iteration ends and the next one begins.
  struct Boundary {
    std::vector<double> begin_s;  // by rank
    int begun = 0;                // by how many workers
    double last_begin_s = 0;
    double first_sent_s = 0;
    RunStatistics statistics;
    std::vector<std::int64_t> contributions;
  };
  /// How many of the latest iterations took all workers so long, with so many messages, together with the
  /// others of a period.
  struct Agreement {
    double period_s = 0;
    std::uint64_t messages = 0;
    std::int64_t iterations = 0;
  };

  Boundary& boundary(std::int64_t iteration);
  const Boundary& boundary(std::int64_t iteration) const;
  void clear(Boundary& boundary) const;
  void count_agreement(std::int64_t period, Agreement& agreement) const;
  bool took_all(std::int64_t period, double period_s) const;
  bool is_enough(std::int64_t period, const Agreement& agreement) const;
  Repetition repetition_of(std::int64_t period) const;
  void add_to_log(IterationLog& log) const;
  void add_participation(ParticipationLog& log) const;
  template <typename Count>
  Count in_all(const Count& before, const Count& rest, const Count& now) const;

  SearchedRun run_;
  std::int64_t ended_ = 0;  // by all workers
  std::int64_t idle_ = 0;   // how many of the latest boundaries had no message in flight
  bool is_over_ = false;
  std::vector<Agreement> agreements_;  // for each period that is tried
  std::vector<Boundary> boundaries_;   // the latest, and the next one
  std::optional<Repetition> repetition_;
};

}  // namespace starling

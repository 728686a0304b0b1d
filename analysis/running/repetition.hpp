#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Whether a repetition is worth searching for: the run has enough iterations, draws no random numbers, has
/// no message in flight between two iterations, and its engine (`fair`) serves simultaneous messages in no
/// particular order. Never where the scenario sets "collectives": "messages".
bool may_repeat(const Scenario& scenario, const PreparedRun& run);

/// Whether iterations of a run may differ by chance: by imbalance of any kind, or by random times of
/// messages.
bool may_differ_by_chance(const Scenario& scenario);

/// After how many iterations a run can be known to repeat at the earliest; and after how many a run that has
/// not repeated is assumed never to.
std::int64_t least_iterations_to_repeat(const PreparedRun& run);
std::int64_t most_iterations_to_repeat(const PreparedRun& run);

/// A run whose iterations may repeat.
struct SearchedRun {
  int workers = 0;
  std::int64_t iterations = 0;
  /// The period of the algorithm's traffic, in iterations.
  std::int64_t traffic_period = 1;
  /// After so many the search gives up.
  std::int64_t most_iterations = 0;
  /// Whether the run ends when the search gives up.
  bool ends_with_search = false;
};

/// Finds out, while a run is simulated, whether its iterations repeat, so that the remaining ones need not be
/// simulated.
///
/// If the last worker ends an iteration before the first one can send anything in the next (after its forward
/// pass), the state between both is given by when each worker ended. If these moments are as far apart as
/// some periods of the algorithm's traffic before, everything that follows repeats as well. At least two
/// iterations, and half of those so far, must agree with those a period before, as rounding may decide
/// differently later. Where it does, that often shows only after many iterations; the search then gives up.
///
/// O(workers) per iteration, far less than its simulation, and 16 bytes of memory for each worker and
/// iteration of up to eight periods; runs for which that is more than 64 MB and more than 16 iterations are
/// not searched.
class RepetitionSearch {
 public:
  explicit RepetitionSearch(const SearchedRun& run);

  /// A worker begins an iteration, as soon as it has ended the one before, and sends nothing before
  /// `first_sent_s`. True when all workers have begun this one: end_iteration() is then to be called.
  bool begin(Rank rank, std::int64_t iteration, double now_s, double first_sent_s);

  /// All workers have begun an iteration. `statistics` and `participation`: of the iterations before it, if
  /// no worker has sent anything since it began. True if the run need not go on; repetition() then has what
  /// was found.
  bool end_iteration(const RunStatistics& statistics, const ParticipationLog& participation);

  /// Absent if none was found so far.
  const std::optional<Repetition>& repetition() const { return repetition_; }

  /// Extends the outcome of the simulated iterations to all iterations of the run, up to rounding.
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
  /// How many of the latest iterations end a period that took all workers so long, with so many messages.
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
  std::int64_t ended_ = 0;  // iterations that all workers have ended
  std::int64_t idle_ = 0;   // how many of the latest boundaries had no message in flight
  bool is_over_ = false;
  std::vector<Agreement> agreements_;  // for each period that is tried
  std::vector<Boundary> boundaries_;   // the latest, and the next one
  std::optional<Repetition> repetition_;
};

}  // namespace starling

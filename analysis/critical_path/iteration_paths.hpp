#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/critical_path/critical_path.hpp"
#include "analysis/critical_path/walk_places.hpp"
#include "sim/agenda/causal_log.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Called for each iteration of a job, warm-up or not, once all its workers have ended it, with the path of
/// the worker that ended it last, from its end back to its begin without a gap. Rank and iteration are the
/// job's own.
using PathListener =
    std::function<void(Rank rank, std::int64_t iteration, std::span<const Explanation::Segment> last_first)>;

/// Which iterations of a job have paths, and the numbers of workers and links that these may lead through.
struct PathsOfJob {
  int workers = 0;
  std::int64_t iterations = 0;         // of the whole run, warm-up included
  std::int64_t warmup_iterations = 0;  // the first ones, which do not count
  bool is_asked_for = true;            // if false, no iteration counts, as in a run for its timeline alone
  /// Given if the run was simulated only up to a repetition: how many iterations were simulated. From
  /// first_repeated on, all are like those repeated_iterations later, and the first of these stand for those
  /// not simulated.
  std::optional<std::int64_t> run_iterations = {};
  std::int64_t first_repeated = 0;
  std::int64_t repeated_iterations = 1;
  double start_s = 0;
  std::size_t network_workers = 0;
  std::size_t links = 0;
  /// Called with single paths; may be empty. Only for a run in which no collective is evaluated.
  PathListener listener = {};
};

/// The critical paths of all iterations of a job, found while it runs.
///
/// The path of each worker leads back from cause to cause, from the end of its last iteration through all
/// iterations, continuing from wherever it is when an iteration began. It is cut only where more than
/// most_steps steps would have to be kept: then the paths of all workers begin anew at the ends of the last
/// iteration that all have ended.
///
/// Paths are walked back together, newest step first, so that paths that have met continue as one. Inside an
/// evaluated collective its Explanation gives the path. O(1) time for each step on a path, and one bit of
/// memory for every other step.
class IterationPaths {
 public:
  /// How many steps are walked together, 16 MiB of them; those of a single iteration if these are more.
  static constexpr std::size_t most_steps = std::size_t{1} << 20;

  /// `causes` must be those of one run whose workers have not begun yet, and must outlive this object.
  IterationPaths(const CausalLog& causes, const PathsOfJob& job);
  IterationPaths(const IterationPaths&) = delete;
  IterationPaths& operator=(const IterationPaths&) = delete;

  /// To be called when a rank of the job has ended an iteration; `step`: the cause of that end.
  void end_iteration(Rank rank, double end_s, CausalLog::Index step);

  /// Steps that ended before this moment will not be needed; infinity once all iterations have been walked.
  double needed_since_s() const;

  /// After the run: the mean over workers and counted iterations; its ranks are those of the network. Absent
  /// if no iteration counts, or there were too many steps to keep.
  std::optional<CriticalPath> mean(std::span<const Link> links) const;

 private:
  struct End {
    double s;
    CausalLog::Index step;
  };
  struct OfWorker {
    double begin_s = 0;    // of the first iteration that is not walked yet
    std::deque<End> ends;  // of the iterations not walked yet
  };

  /// The way back along a worker's path.
  struct Walk {
    std::size_t iteration = 0;  // in which it is now, of those that are walked together
    double begin_s = 0;         // of that iteration
    double stands_for = 0;      // how many iterations of the worker that one stands for
    Walk* next = nullptr;       // in its group
  };
  /// Walks that have met at a step, and go on together.
  struct Group {
    Walk* first = nullptr;
    Walk* last = nullptr;
    std::int64_t walks = 0;
    double stand_for = 0;  // the sum over its walks
    double latest_begin_s = 0;

    void add(Walk& walk);
    void add(const Group& others);
  };

  /// The place in spent_s_ at which time is counted, and how much of that time is latency.
  struct BlamePlace {
    std::size_t place;
    double latency_s;
  };

  bool is_complete() const { return iterations_ == stand_for_.size(); }
  std::size_t not_walked() const { return iterations_ - walked_; }
  double begin_s(const OfWorker& worker, std::size_t iteration) const {
    return iteration == 0 ? worker.begin_s : worker.ends[iteration - 1].s;
  }
  void end_iteration_of_all();
  void walk_all();
  void forget_walked();
  void report_path();
  void set_out(std::size_t worker);
  void enter(Walk& walk, std::size_t iteration) const;
  void join(WalkPlaces::Group group, std::size_t place);
  void walk_back();
  std::size_t place(CausalLog::Index step) const { return step - causes_.first(); }
  void step_back(CausalLog::Index at);
  void walk_back_through(const CausalLog::Outcomes& outcomes);
  void go_on_from(CausalLog::Index step, WalkPlaces::Group group);
  void walk_back_through_layer(const Explanation& explanation, std::size_t layer);
  BlamePlace blame_place(const Blame& blame) const {
    return {first_of_[static_cast<std::size_t>(blame.on)] + static_cast<std::size_t>(blame.who),
            blame.latency_s};
  }
  /// Takes a group back from `end_s` to `since_s`; walks that reach the begin of their first iteration leave
  /// it. Counts the time without latency, and returns the latency to be added.
  double spend(Group& group, double end_s, double since_s, BlamePlace it);
  double spend_one_by_one(Group& group, double end_s, double since_s, BlamePlace it);
  double spend_through(Walk& walk, double end_s, double since_s, BlamePlace it);
  double count_but_latency(BlamePlace it, double s, double iterations);
  double& latency_spent_s() { return spent_s_[first_of_[static_cast<std::size_t>(SpentOn::latency)]]; }

  const CausalLog& causes_;
  PathListener listener_;
  std::vector<std::int64_t> stand_for_;  // by simulated iteration: how many counted iterations it stands for
  std::vector<OfWorker> workers_;
  std::size_t workers_without_end_;  // how many workers have not ended the next iteration
  std::size_t iterations_ = 0;       // how many iterations all workers have ended
  std::size_t walked_ = 0;           // how many of these have been walked, or do not count
  std::int64_t counted_ = 0;         // how many counted iterations the ended ones stand for
  double begun_since_s_;             // the earliest begin of an iteration that has not been walked
  std::vector<Walk> walks_;          // by worker
  std::vector<Group> groups_;        // by one of the workers in it
  WalkPlaces places_;                // the steps at which groups are
  std::int64_t under_way_ = 0;       // how many walks have not ended
  CausalLog::Index newest_ = 0;      // the newest step at which a walk sets out
  // Time by kind, and by rank or link; and the first place of each kind.
  std::vector<double> spent_s_;
  std::array<std::size_t, spent_on_names.size() + 1> first_of_ = {};
  // In an evaluated collective that walks lead through: the group at each moment of a layer, or no_group, and
  // the moments that have one; the same for the layer before.
  std::vector<WalkPlaces::Group> at_moments_;
  std::vector<WalkPlaces::Group> before_;
  std::vector<std::size_t> taken_;
  std::vector<std::size_t> taken_before_;
  Explanation::Origins origins_;
  std::vector<Explanation::Segment> segments_;
};

}  // namespace starling

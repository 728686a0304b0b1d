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
#include "sim/causes.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Hears what each iteration of a job had to wait for, warm-up or not, once all its workers have ended it:
/// the path of the last one of them, by the job's own numbers, from its end back to its begin without a gap.
using PathListener =
    std::function<void(Rank rank, std::int64_t iteration, std::span<const Explanation::Segment> last_first)>;

/// Which iterations of a job are looked at, and who can be to blame for what they take.
struct PathsOfJob {
  int workers = 0;
  std::int64_t iterations = 0;         // all that count, with those of the warm-up
  std::int64_t warmup_iterations = 0;  // which come first, and are left out
  bool is_asked_for = true;            // else all are left out, as in a run for its timeline alone
  /// If the run was simulated up to a repetition only: how many iterations were, the last repeated_iterations
  /// of which stand for all that follow.
  std::optional<std::int64_t> run_iterations = {};
  std::int64_t repeated_iterations = 1;
  double start_s = 0;
  std::size_t network_workers = 0;
  std::size_t links = 0;
  /// If somebody wants to know, of a run none of whose collectives is evaluated.
  PathListener tell = {};
};

/// The critical paths of all iterations of a job, found while it runs.
///
/// The path of a worker's iteration leads back from its end to the end of the worker's iteration before, by
/// causes. As soon as all workers have ended an iteration, its paths are walked back together, newest step
/// first, so that paths which have met go on as one. Inside an evaluated collective the path is asked of its
/// Explanation. Costs O(1) time for each step on a path, and one bit of memory for every other step.
class IterationPaths {
 public:
  /// `causes` must be of one run, whose workers have yet to begin, and outlive this object.
  IterationPaths(const Causes& causes, const PathsOfJob& job);
  IterationPaths(const IterationPaths&) = delete;
  IterationPaths& operator=(const IterationPaths&) = delete;

  /// A worker of the job, by the job's own numbers, has ended an iteration, which this step let it.
  void end_iteration(Rank rank, double end_s, Causes::Index step);

  /// No step that ended until then will be needed; infinity once all iterations have been walked.
  double needed_since_s() const;

  /// After the run: the mean over workers and iterations beyond warm-up; ranks are those of the network.
  /// Absent if there is none, or there were too many steps to keep.
  std::optional<CriticalPath> mean(std::span<const Link> links) const;

 private:
  struct End {
    double s;
    Causes::Index step;
  };
  struct OfWorker {
    double begin_s = 0;    // of the first iteration that others have not ended
    std::deque<End> ends;  // of iterations that others have not ended
  };

  /// On the way back along a worker's path.
  struct Walk {
    double begin_s = 0;  // of the iteration: so far back
    Walk* next = nullptr;
  };
  /// Walks that have come to the same step, and go on together.
  struct Group {
    Walk* first = nullptr;
    Walk* last = nullptr;
    std::int64_t walks = 0;
    double latest_begin_s = 0;

    void add(Walk& walk);
    void add(const Group& others);
  };

  /// Where time is counted that was spent on something, and how much of it is latency.
  struct SpentOnIt {
    std::size_t place;
    double latency_s;
  };

  std::int64_t run_iterations() const { return job_.run_iterations.value_or(job_.iterations); }
  bool is_complete() const { return iterations_ == run_iterations(); }
  std::int64_t stands_for() const;
  void walk_all();
  void tell_path();
  void set_out(std::size_t worker, const End& end);
  void join(WalkPlaces::Group group, std::size_t place);
  void walk_back();
  std::size_t place(Causes::Index step) const { return step - causes_.first(); }
  void step_back(Causes::Index at);
  void walk_back_through(const Causes::Outcomes& outcomes);
  void go_on_from(Causes::Index step, WalkPlaces::Group group);
  void walk_back_through_layer(const Explanation& explanation, std::size_t layer);
  SpentOnIt on_it(const Blame& blame) const {
    return {first_of_[static_cast<std::size_t>(blame.on)] + static_cast<std::size_t>(blame.who),
            blame.latency_s};
  }
  /// Of a group, on its way back from the one time to the other, after which perhaps no walk of it goes on.
  /// Counts all but latency, of which it returns how much is to be added.
  double spend(Group& group, double end_s, double since_s, SpentOnIt it);
  void end_walks(Group& group, double end_s, double since_s, SpentOnIt it);
  double count_but_latency(SpentOnIt it, double s, std::int64_t walks);
  double& latency_spent_s() { return spent_s_[first_of_[static_cast<std::size_t>(SpentOn::latency)]]; }

  const Causes& causes_;
  PathsOfJob job_;
  std::vector<OfWorker> workers_;
  std::size_t workers_without_end_;
  std::int64_t iterations_ = 0;  // that all have ended
  std::int64_t counted_ = 0;     // that these stand for,
  double stands_for_ = 0;        // and the one that is walked
  double begun_since_s_;         // the iterations that others have not ended
  std::vector<Walk> walks_;      // by worker, as groups_
  std::vector<Group> groups_;    // named by one of their workers
  WalkPlaces places_;            // of these
  std::int64_t under_way_ = 0;   // walks
  Causes::Index newest_ = 0;     // step at which one is
  std::array<std::size_t, spent_on_names.size() + 1> first_of_ = {};  // place of what each time is spent on
  std::vector<double> spent_s_;                                       // by what, on whom
  // In an evaluated collective that walks lead through: who is at a moment of a layer, or no_group, and where
  // there are some; who will be in the layer before.
  std::vector<WalkPlaces::Group> at_moments_;
  std::vector<WalkPlaces::Group> before_;
  std::vector<std::size_t> taken_;
  std::vector<std::size_t> taken_before_;
  Explanation::Origins origins_;
  std::vector<Explanation::Segment> told_;
};

}  // namespace starling

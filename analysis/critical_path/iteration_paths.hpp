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
#include "sim/agenda/causes.hpp"
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
  /// If the run was simulated up to a repetition only: how many iterations were, of which from
  /// first_repeated on all are like those repeated_iterations later. The first of these stand for all that
  /// are not simulated.
  std::optional<std::int64_t> run_iterations = {};
  std::int64_t first_repeated = 0;
  std::int64_t repeated_iterations = 1;
  double start_s = 0;
  std::size_t network_workers = 0;
  std::size_t links = 0;
  /// If somebody wants to know, of a run none of whose collectives is evaluated.
  PathListener tell = {};
};

/// The critical paths of all iterations of a job, found while it runs.
///
/// One path of each worker leads back by causes from the end of its last iteration through all of them, from
/// wherever it is when one began: what let that iteration end so that all that follow could. It is cut only
/// where more steps than most_steps would have to be kept: then all workers' paths begin anew at the ends of
/// the iteration that all of them have ended last.
///
/// Paths are walked back together, newest step first, so that paths which have met go on as one. Inside an
/// evaluated collective the path is asked of its Explanation. Costs O(1) time for each step on a path, and
/// one bit of memory for every other step.
class IterationPaths {
 public:
  /// 16 MiB of them, or those of a single iteration.
  static constexpr std::size_t most_steps = std::size_t{1} << 20;

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
    double begin_s = 0;    // of the first iteration that is not walked
    std::deque<End> ends;  // of these
  };

  /// On the way back along a worker's path.
  struct Walk {
    std::size_t iteration = 0;  // through which it leads now, of those that are walked together
    double begin_s = 0;         // of that
    double stands_for = 0;      // so many iterations of the worker
    Walk* next = nullptr;
  };
  /// Walks that have come to the same step, and go on together.
  struct Group {
    Walk* first = nullptr;
    Walk* last = nullptr;
    std::int64_t walks = 0;
    double stand_for = 0;  // all of them
    double latest_begin_s = 0;

    void add(Walk& walk);
    void add(const Group& others);
  };

  /// Where time is counted that was spent on something, and how much of it is latency.
  struct SpentOnIt {
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
  void tell_path();
  void set_out(std::size_t worker);
  void enter(Walk& walk, std::size_t iteration) const;
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
  double spend_one_by_one(Group& group, double end_s, double since_s, SpentOnIt it);
  double spend_through(Walk& walk, double end_s, double since_s, SpentOnIt it);
  double count_but_latency(SpentOnIt it, double s, double iterations);
  double& latency_spent_s() { return spent_s_[first_of_[static_cast<std::size_t>(SpentOn::latency)]]; }

  const Causes& causes_;
  PathListener tell_;
  std::vector<std::int64_t> stand_for_;  // by simulated iteration: how many that count
  std::vector<OfWorker> workers_;
  std::size_t workers_without_end_;  // of the next iteration
  std::size_t iterations_ = 0;       // that all have ended
  std::size_t walked_ = 0;           // of these, with those that are left out
  std::int64_t counted_ = 0;         // that these stand for
  double begun_since_s_;             // the first one not walked, and all that follow
  std::vector<Walk> walks_;          // by worker, as groups_
  std::vector<Group> groups_;        // named by one of their workers
  WalkPlaces places_;                // of these
  std::int64_t under_way_ = 0;       // walks
  Causes::Index newest_ = 0;         // step at which one is
  // Time by what and on whom it is spent; where that of each SpentOn begins.
  std::vector<double> spent_s_;
  std::array<std::size_t, spent_on_names.size() + 1> first_of_ = {};
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

#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/collectives/evaluation/ring_of_runs.hpp"
#include "algorithms/collectives/evaluation/ring_stretches.hpp"

namespace starling {

/// When the ranks of an evaluated ring did what they did, for whoever wants to go back through its steps.
///
/// A ring is divided into parts of neighboring steps, of which the steps of one are known at a time. While
/// ranks can be kept as runs, a part is as many steps as that is so, and takes 64 bytes a run and step; else
/// ranks are computed one by one, in parts of as many steps as there are parts. Small rings are one part,
/// rank by rank.
class RingRecord {
 public:
  struct Part {
    int first_step = 0;
    int end_step = 0;
    bool is_of_runs = false;
    std::vector<RankState> before = {};  // the first step
  };
  /// When ranks did what they did in a step, by rank; of a part of runs only those that show() was called
  /// for, and their neighbors.
  struct Step {
    std::size_t number;  // in the part, from 1 on
    int first_chunk;     // that rank 0 sends; the other ranks send those after it
    const double* begin_s;
    const double* free_s;
    const double* start_s;
    const double* arrival_s;
    const double* end_s;  // of the step

    StepMoments of(std::size_t rank) const {
      return {begin_s[rank], free_s[rank], start_s[rank], arrival_s[rank]};
    }
  };

  /// Both must outlive this object.
  RingRecord(const RingHops& hops, const FreeRoutes& network)
      : hops_(hops), network_(network), ranks_(hops.size()), runs_(ranks_, hops.block()) {}

  /// The parts of a ring, in order of steps. Computes the ring once.
  std::vector<Part> parts_of(const EvaluatedRing& ring);
  /// From now on all is about that part of that ring. Computes it, if it is not known from before.
  void look_at(const EvaluatedRing& ring, const Part& part);

  /// A step of the part, until the next call.
  Step step(std::size_t number);
  /// Fills the entries of a rank and of its neighbors in.
  void show(const Step& step, std::size_t rank) {
    if (is_of_runs_) show_in_runs(step.number, rank);
  }
  /// Fills the entries of all ranks in.
  void show_all(const Step& step) {
    if (is_of_runs_) show_all_in_runs(step.number);
  }
  /// When a rank did what it did in a step of the part.
  StepMoments moments(std::size_t number, std::size_t rank) const;
  /// The chunk that rank 0 sends in a step of the part.
  int first_chunk(std::size_t number) const;

 private:
  class Recorder;

  bool is_small(const EvaluatedRing& ring) const;
  int go_as_runs(RingOfRuns& runs, const EvaluatedRing& ring, int step, int end_step);
  std::vector<RankState> go_rank_by_rank(const EvaluatedRing& ring, std::vector<RankState> ranks, int step,
                                         int end_step, std::vector<Part>& parts) const;
  void look_at_ranks(const EvaluatedRing& ring, const Part& part);
  void look_at_runs(const EvaluatedRing& ring, const Part& part);

  double end_s(std::size_t number, std::size_t rank) const;
  void lay_out(std::size_t rank, const StepMoments& moments);
  void show_in_runs(std::size_t number, std::size_t rank);
  void show_all_in_runs(std::size_t number);

  const RingHops& hops_;
  const FreeRoutes& network_;
  std::size_t ranks_;
  const EvaluatedRing* recorded_ = nullptr;  // the ring whose part is known
  int first_step_ = 0;                       // of that part
  bool is_of_runs_ = false;
  // P numbers after the other: the StepTimes of each step, and the beginnings of one more; of runs, those of
  // the step that was asked for last.
  std::vector<double> times_;
  RingStretches runs_;          // if it is of runs
  std::vector<double> ends_s_;  // of the last step, by rank
};

}  // namespace starling

#pragma once

#include <deque>
#include <limits>

#include "sim/agenda/agenda.hpp"
#include "sim/strands/scheduler.hpp"

namespace starling {

/// A simulated GPU that computes more slowly while its worker communicates.
///
/// While at least one communication is under way, computing takes 1 + s times as long: of a computation of c
/// seconds that so meets communication for t seconds, t/(1+s) is done when the communication ends, and c −
/// t/(1+s) seconds are left. Its end moves with every beginning and end of communication, so that it is exact
/// whatever overlaps with what. Several communications at a time slow computing no further. Strands that
/// compute take turns in the order they asked.
class ContendedGpu final : public TimedAction {
 public:
  /// `slowdown` is s; Causes blame `network_rank`.
  ContendedGpu(Scheduler& scheduler, double slowdown, Rank network_rank)
      : scheduler_(scheduler), slowdown_(slowdown), network_rank_(network_rank) {}

  /// Blocks the running strand until it has computed that much.
  void compute(double seconds) { occupy(seconds, false); }
  /// Blocks the running strand while the GPU is occupied for that long by what nothing slows down.
  void delay(double seconds) { occupy(seconds, true); }

  void begin_communication() { count_communication(1); }
  void end_communication() { count_communication(-1); }

  void happen() override;

 private:
  static constexpr double never_s = std::numeric_limits<double>::infinity();

  struct Computation {
    Strand* strand;
    double left_s;  // undisturbed
    bool is_delay;
    bool is_done = false;
  };

  void occupy(double seconds, bool is_delay);
  void count_communication(int change);
  double stretch() const;
  void begin_first();
  void settle();
  void schedule_end();

  Scheduler& scheduler_;
  double slowdown_;
  Rank network_rank_;
  int communications_ = 0;                 // under way
  std::deque<Computation*> computations_;  // the first one is under way
  Causes::Index begun_because_ = 0;        // for whoever finds out why
  double settled_s_ = 0;                   // up to when its left_s is accounted for
  double end_s_ = 0;                       // when it ends if nothing changes
  double alarm_s_ = never_s;               // the agenda will call then; its calls before that mean nothing
};

}  // namespace starling

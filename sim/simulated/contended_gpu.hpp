#pragma once

#include <deque>
#include <limits>

#include "sim/agenda/agenda.hpp"
#include "sim/strands/scheduler.hpp"

namespace starling {

/// A simulated GPU that computes more slowly while its worker communicates.
///
/// While at least one communication is in progress, computation takes 1 + s times as long. If a computation
/// of c seconds overlaps communication for t seconds, t/(1+s) of it is done when the communication ends, and
/// c − t/(1+s) seconds are left. The end of the computation is updated at every begin and end of
/// communication, so it is exact for any overlap. Several concurrent communications slow computation down no
/// further than one. Strands that compute take turns in FIFO order.
class ContendedGpu final : public TimedAction {
 public:
  /// `slowdown` is s. A CausalLog attributes the time to `network_rank`.
  ContendedGpu(Scheduler& scheduler, double slowdown, Rank network_rank)
      : scheduler_(scheduler), slowdown_(slowdown), network_rank_(network_rank) {}

  /// Blocks the running strand until `seconds` of undisturbed computation are done.
  void compute(double seconds) { occupy(seconds, false); }
  /// Blocks the running strand while a delay of `seconds` occupies the GPU; nothing slows it down.
  void delay(double seconds) { occupy(seconds, true); }

  void begin_communication() { count_communication(1); }
  void end_communication() { count_communication(-1); }

  void happen() override;

 private:
  static constexpr double never_s = std::numeric_limits<double>::infinity();

  struct Computation {
    Strand* strand;
    double left_s;  // of undisturbed computation
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
  int communications_ = 0;                 // in progress
  std::deque<Computation*> computations_;  // the first one is running
  CausalLog::Index begun_because_ = 0;     // the cause of the running one
  double settled_s_ = 0;                   // up to when its left_s is updated
  double end_s_ = 0;                       // when it ends if nothing changes
  double alarm_s_ = never_s;               // the valid agenda entry; earlier ones are ignored
};

}  // namespace starling

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/calibration/line_fit.hpp"
#include "sim/worker.hpp"

namespace starling {

/// Messages of less leave too soon for their sends to be timed.
inline constexpr double least_timed_send_bytes = 64 << 10;

/// What messages cost between two workers.
struct PairCalibration {
  Rank partner = 0;  // of rank 0
  /// From the call of isend() to the end of the receive, by bytes: the time 2·o + α + m·β, in pieces where
  /// one line does not fit. Half a ping-pong, the median over repetitions at each size.
  std::vector<LineFit> one_way;
  /// The same while workers of other hosts do the same, two and two, no host in two pairs, the mean over
  /// repetitions: what many share, such as a switch, or the processors of a testbed, is as busy as in a job.
  /// Empty if there are no other pairs.
  std::vector<LineFit> one_way_beside_others = {};
  /// By how much the mean of these times exceeds the least, over all messages of up to 8 KiB: how long it
  /// takes until a worker notices a message, beyond what it takes at best.
  std::optional<SampleEstimate> wake_up_s = {};
  /// o: what each further message of 8 bytes adds to a row of them.
  SampleEstimate overhead_s;
  /// Messages of more bytes wait for their receiver. Absent if none does, up to the largest size.
  std::optional<double> eager_threshold_bytes;
  /// How much of a large message that does not wait is still to leave when its send is complete, at the
  /// bandwidth of the last line. Absent if sends of all sizes are complete at once, or if that is not known:
  /// !times_sends().
  std::optional<SampleEstimate> send_buffer_bytes = {};
  /// Bytes per second of messages of 1 MiB in a row: one way only, and each way while as many go the other
  /// way.
  double one_sided_Bps = 0;
  double two_sided_Bps = 0;

  /// Whether messages that do not wait are large enough to see how long their sends take, at a bandwidth that
  /// is known.
  bool times_sends() const {
    return eager_threshold_bytes.value_or(least_timed_send_bytes) >= least_timed_send_bytes &&
           one_way.back().s_per_unit.value > 0;
  }
};

/// What a cluster's messages, reductions and timers cost, from what single workers and pairs of them do;
/// never from collectives.
struct Calibration {
  std::optional<PairCalibration> across_hosts;
  std::optional<PairCalibration> within_host;
  /// γ
  SampleEstimate reduction_s_per_byte = {};
  /// How much longer than asked for a millisecond of compute() takes.
  SampleEstimate timer_error_s = {};
  double greatest_timer_error_s = 0;
  /// When all workers of other hosts send to rank 0 at once: the bytes it receives per second. Not used in
  /// any fit.
  std::optional<double> fan_in_Bps = {};
};

/// How much is measured.
struct CalibrationEffort {
  double seconds_per_size = 0.2;
  std::int64_t greatest_bytes = 8 << 20;
};

/// Seconds on a clock that goes on while a worker is late.
using Clock = std::function<double()>;

/// Measures; every rank of the world must call it. Rank 0 gets the result, the others an empty one: they do
/// what rank 0 tells them. The partners are the lowest ranks on another host and on rank 0's. With each that
/// there is it takes up to 8 s and some 130 times as long as the largest message, where there are other pairs
/// 4 s and 30 times more; and twice as long as a message of 8 MiB of every worker on another host takes, one
/// after the other. Timers are judged by `clock`, for to a worker its own are right.
Calibration calibrate(Worker& worker, const Clock& clock, const CalibrationEffort& effort = {});

}  // namespace starling

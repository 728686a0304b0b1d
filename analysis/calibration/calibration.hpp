#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "analysis/calibration/line_fit.hpp"
#include "sim/worker.hpp"

namespace starling {

/// Smaller messages leave too soon for their sends to be timed.
inline constexpr double least_timed_send_bytes = 64 << 10;

/// The costs of messages between two workers.
struct PairCalibration {
  Rank partner = 0;  // of rank 0
  /// The time from the call of isend() to the end of the receive as a function of the bytes m: 2·o + α + m·β,
  /// in pieces where one line does not fit. Half of a ping-pong, the median over repetitions at each size.
  std::vector<LineFit> one_way;
  /// The same while pairs of workers on other hosts do the same, with no host in two pairs; the mean over
  /// repetitions. Shared resources, such as a switch or the processors of a testbed, are then as busy as in a
  /// job. Empty if there are no other pairs.
  std::vector<LineFit> one_way_beside_others = {};
  /// By how much the mean of these times exceeds the least, over all messages of up to 8 KiB: how much longer
  /// than at best it takes a worker to notice a message.
  std::optional<SampleEstimate> wake_up_s = {};
  /// o: the time that each further message of 8 bytes adds to a row of them.
  SampleEstimate overhead_s;
  /// Messages of more bytes wait for their receiver. Absent if none does, up to the largest size.
  std::optional<double> eager_threshold_bytes;
  /// How many bytes of a large eager message have not left yet when its send is complete, at the bandwidth of
  /// the last line. Absent if sends of all sizes are complete at once, or if it cannot be measured:
  /// !times_sends().
  std::optional<SampleEstimate> send_buffer_bytes = {};
  /// Bytes per second of a row of messages of 1 MiB: in one direction only, and in each direction while as
  /// many go the other way.
  double one_sided_Bps = 0;
  double two_sided_Bps = 0;

  /// Whether eager messages are large enough for their sends to be timed, and the bandwidth is known.
  bool times_sends() const {
    return eager_threshold_bytes.value_or(least_timed_send_bytes) >= least_timed_send_bytes &&
           one_way.back().s_per_unit.value > 0;
  }
};

/// The costs of a cluster's messages, reductions and timers, measured with single workers and pairs of them;
/// never with collectives.
struct Calibration {
  std::optional<PairCalibration> across_hosts;
  std::optional<PairCalibration> within_host;
  /// γ.
  SampleEstimate reduction_s_per_byte = {};
  /// How much longer compute() takes than a millisecond that it is called for.
  SampleEstimate timer_error_s = {};
  double greatest_timer_error_s = 0;
  /// The bytes per second that rank 0 receives when all workers of other hosts send to it at once. Not used
  /// in any fit.
  std::optional<double> fan_in_Bps = {};
};

/// The limits of a calibration.
struct CalibrationEffort {
  double seconds_per_size = 0.2;
  std::int64_t greatest_bytes = 8 << 20;
};

/// Returns the seconds of a clock that advances while a worker is late.
using Clock = std::function<double()>;

/// Measures; every rank of the world must call it. Rank 0 gets the result; the others follow its commands and
/// get an empty one. The partners are the lowest rank on another host and the lowest other one on rank 0's.
/// Each of them takes up to 8 s and about 130 times as long as the largest message, and where there are other
/// pairs 4 s and 30 messages more; then come twice the time that messages of 8 MiB from every worker on
/// another host take, one after the other. Timers are compared with `clock`, as a worker's own clock cannot
/// show their errors.
Calibration calibrate(Worker& worker, const Clock& clock, const CalibrationEffort& effort = {});

}  // namespace starling

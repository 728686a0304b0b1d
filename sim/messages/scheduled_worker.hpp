#pragma once

#include <string_view>

#include "sim/messages/request_state.hpp"
#include "sim/messages/serial_resource.hpp"
#include "sim/trace.hpp"
#include "sim/worker.hpp"

namespace starling {

/// What the workers of the simulated and of the native world have in common: strands of a scheduler, which
/// wait for requests and for points in time, an emulated GPU, and a timeline.
class ScheduledWorker : public Worker {
 public:
  void wait(Request& request) final;
  void wait_all(std::span<Request> requests) final;
  double now() const final { return scheduler_.now(); }
  void sleep_until(double time_s) final { scheduler_.sleep_until(time_s, {SpentOn::timer, network_rank_}); }
  void compute(double seconds) override { use_gpu(seconds, SpentOn::compute); }
  bool is_traced() const final { return trace_ != nullptr; }
  using Worker::trace;
  void trace(std::string_view name, double start_s, const SpanDetails& details) final;
  void begin_iteration(std::int64_t iteration) override;
  void end_iteration() override;
  void note(Activity activity) override;

 protected:
  /// `network_rank` is the worker's rank in the network, to which a CausalLog attributes its time.
  ScheduledWorker(Rank rank, Rank network_rank, int world_size, Scheduler& scheduler, TraceSink* trace)
      : Worker(rank, world_size), network_rank_(network_rank), scheduler_(scheduler), trace_(trace) {}

  Scheduler& scheduler() final { return scheduler_; }
  /// Books the GPU for `seconds`, requested at asked_s, behind what was booked before. Returns when the
  /// computation ends.
  double book_gpu(double asked_s, double seconds) { return gpu_.book(asked_s, seconds); }
  /// @throws InvariantError if `seconds` is negative or not a number; std::runtime_error if it is above
  /// 10^15 s, the longest time that a simulation follows.
  void require_followable(double seconds) const;
  /// Blocks the running strand until the GPU has been occupied for `seconds`.
  void use_gpu(double seconds, SpentOn on);
  /// @throws CommunicationError, which names `operation`, if there is no rank `peer`.
  void require_peer(Rank peer, Tag tag, const char* operation) const {
    starling::require_peer(rank(), world_size(), peer, tag, operation);
  }

 private:
  /// Releases a complete request. @throws CommunicationError if it failed.
  void end(Request& request);
  /// Returns the request to its pool.
  virtual void give_back(RequestState& request) = 0;
  /// Records the time of the training strand that no span covers, up to `until_s`, as waiting.
  void trace_waiting(double until_s);
  /// The network rank of the worker that the training strand has waited for until end_s, if that is now and
  /// causes are recorded; else −1.
  Rank awaited_until(double end_s) const;

  Rank network_rank_;
  Scheduler& scheduler_;
  TraceSink* trace_;
  SerialResource gpu_;
  std::int64_t iteration_ = -1;
  const Strand* trains_ = nullptr;  // the training strand, once an iteration has begun
  double shown_until_s_ = 0;        // up to when the timeline covers that strand
};

}  // namespace starling

#pragma once

#include <string_view>

#include "sim/messages/request_state.hpp"
#include "sim/messages/serial_resource.hpp"
#include "sim/trace.hpp"
#include "sim/worker.hpp"

namespace starling {

/// What a worker of the simulated world and one of the native world have in common: strands of a scheduler,
/// which wait for requests and for the time, a GPU that only takes time, and a timeline.
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
  /// `network_rank` is what the network calls it, and Causes blame.
  ScheduledWorker(Rank rank, Rank network_rank, int world_size, Scheduler& scheduler, TraceSink* trace)
      : Worker(rank, world_size), network_rank_(network_rank), scheduler_(scheduler), trace_(trace) {}

  Scheduler& scheduler() final { return scheduler_; }
  /// The GPU is asked at that time to compute for so long, after what it was asked before. Returns when it
  /// is done.
  double book_gpu(double asked_s, double seconds) { return gpu_.book(asked_s, seconds); }
  /// @throws std::runtime_error if that is longer than any sum of times could follow.
  void require_followable(double seconds) const;
  /// Returns when the GPU has spent so long.
  void use_gpu(double seconds, SpentOn on);
  /// @throws CommunicationError that says `operation` if there is no such rank.
  void require_peer(Rank peer, Tag tag, const char* operation) const {
    starling::require_peer(rank(), world_size(), peer, tag, operation);
  }

 private:
  /// Nobody will ask for the request any more. @throws CommunicationError if it failed.
  void end(Request& request);
  /// Nobody will ask for the request any more.
  virtual void give_back(RequestState& request) = 0;
  /// What the training strand did not show until then, it waited.
  void trace_waiting(double until_s);
  /// The worker that the training strand has waited for until then, if it goes on now and Causes know; else
  /// −1.
  Rank awaited_until(double end_s) const;

  Rank network_rank_;
  Scheduler& scheduler_;
  TraceSink* trace_;
  SerialResource gpu_;
  std::int64_t iteration_ = -1;
  const Strand* trains_ = nullptr;  // once an iteration has begun
  double shown_until_s_ = 0;        // of that strand, in the timeline
};

}  // namespace starling

#pragma once

#include <string>

#include "sim/late_timers.hpp"
#include "sim/messages/notification_queue.hpp"
#include "sim/messages/scheduled_worker.hpp"
#include "sim/native/mpi_transport.hpp"

namespace starling {

/// This process's rank of an MPI job, as a Worker.
///
/// As in the simulated world, time stands still for a strand while it runs, and advances when it blocks.
/// Without a device the GPU is emulated: compute() blocks the strand until the time at which a GPU would be
/// done, while the processor is free for messages. A device computes for one strand at a time, in FIFO
/// order; a delay is no computation and leaves the device idle. Sized messages move as many bytes of scratch
/// memory, and real messages that stand for more bytes than they have are padded. accumulate() takes the
/// time that it really takes: real data are added, and for the modeled bytes beyond them scratch memory.
class NativeWorker final : public ScheduledWorker, public TransportListener {
 public:
  NativeWorker(const MpiJob& job, Scheduler& scheduler, MpiTransport& transport, TraceSink* trace);

  int host_of(Rank rank) const override { return job_.host_of_rank()[static_cast<std::size_t>(rank)]; }
  Request isend(Buffer outgoing, Rank destination, Tag tag) override;
  Request irecv(Buffer incoming, Rank source, Tag tag) override;
  void notify(Rank destination, std::int64_t payload) override;
  Notification wait_notification() override { return notifications_.pop(); }
  std::optional<Notification> poll_notification() override;
  void compute(double seconds) override;
  void delay(double seconds) override { emulate(seconds); }
  void accumulate(Buffer into, Buffer from) override;
  /// Blocks until all exchanges are complete and returns true, as stepwise strands have stacks here.
  bool poll_exchanges(ExchangeSequence& sequence, Tag tag) override;
  void spawn(std::string name, std::function<void()> body, StrandKind kind) override;
  void spawn_stepwise(std::string name, std::function<void()> step) override;

  void request_ended(NativeRequest& request) override;
  void notification_arrived(const Notification& notification) override;

  /// When the last foreground strand ended.
  double ended_s() const { return ended_s_; }
  /// Messages and bytes sent, as the simulated world counts them.
  std::uint64_t messages() const { return messages_; }
  double bytes() const { return bytes_; }
  /// How late this worker noticed the timers that emulate its GPU and delays.
  const LateTimers& late_timers() const { return late_timers_; }

 private:
  void give_back(RequestState& request) override;
  void emulate(double seconds);
  NativeRequest& new_request(Buffer buffer, Rank peer, Tag tag);
  void* memory_of(NativeRequest& request, Buffer buffer);
  void reduce_scratch(double bytes);
  void strand_ended();

  const MpiJob& job_;
  MpiTransport& transport_;
  double computed_s_ = 0;  // when the emulated GPU finished last
  double noticed_s_ = 0;   // and when this worker noticed it
  LateTimers late_timers_;
  Pool<NativeRequest> requests_;
  ScratchMemory scratch_;
  NotificationQueue notifications_;
  int foreground_strands_ = 0;
  double ended_s_ = 0;
  std::uint64_t messages_ = 0;
  double bytes_ = 0;
};

}  // namespace starling

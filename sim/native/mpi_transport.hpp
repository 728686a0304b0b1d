#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/buffer.hpp"
#include "sim/messages/pool.hpp"
#include "sim/messages/request_state.hpp"
#include "sim/native/compute_device.hpp"
#include "sim/native/idle_wait.hpp"
#include "sim/native/mpi_job.hpp"
#include "sim/native/scratch_memory.hpp"
#include "sim/strands/scheduler.hpp"
#include "sim/worker.hpp"

namespace starling {

/// A send or receive in progress in MPI; also a barrier or a computation of the device.
struct NativeRequest final : RequestState {
  Buffer incoming;             // where to copy the data of a receive, if it has any
  ScratchMemory::Block block;  // the memory that MPI uses, unless it is the buffer itself
  int bytes = 0;
};

/// Notified of ended requests and arrived notifications once the scheduler has reached their time.
class TransportListener {
 public:
  virtual ~TransportListener() = default;
  virtual void request_ended(NativeRequest& request) = 0;
  virtual void notification_arrived(const Notification& notification) = 0;
};

/// The messages between this process and the others, and the scheduler's source of time in a native world.
///
/// Progress is made only while the scheduler waits or a strand sleeps: one thread polls everything
/// outstanding with MPI_Testsome, and the compute device. Data and notifications use separate communicators
/// made for this run, so that they are confused neither with each other nor with messages of another run.
class MpiTransport final : public TimeSource {
 public:
  /// Collective. Opens a connection to every rank. `device` may be null; it must be idle, and is left idle.
  MpiTransport(const MpiJob& job, ComputeDevice* device);
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  void attach(Scheduler& scheduler, TransportListener& listener);

  /// Sets the scheduler's time 0, and waits until then.
  void start_clock(IdleWait::Clock::time_point start);
  /// Seconds since time 0.
  double clock_s() const;

  /// @throws CommunicationError if the tag exceeds MPI's greatest.
  void send(NativeRequest& request, const void* data);
  void receive(NativeRequest& request, void* data);
  void notify(Rank destination, std::int64_t payload);
  /// Starts a barrier; the request is complete when every rank has called this.
  void barrier(NativeRequest& request);

  bool has_device() const { return device_ != nullptr; }
  /// Queues `seconds` of work for the device; the request is complete when that and all earlier work are
  /// done.
  void compute(NativeRequest& request, double seconds);

  double advance(double limit_s) override;

  /// Collective, once all ranks have passed the last barrier: abandons computations, cancels receives that
  /// no message was sent for, receives and discards messages that were sent and not received, and completes
  /// every send.
  void finish();

  Arrival arrival() const { return idle_.arrival(); }

  /// The number of completed requests, notifications and computations.
  std::uint64_t events() const { return events_; }

 private:
  /// What an entry of requests_ belongs to: a request, or the payload of an outgoing notification.
  struct Owner {
    NativeRequest* request = nullptr;
    std::int64_t* payload = nullptr;
  };

  struct Computation {
    NativeRequest* request;
    double seconds;
  };

  void check(const NativeRequest& request) const;
  void add(MPI_Request handle, Owner owner);
  void poll_some();
  void poll();
  void poll_device();
  void poll_messages();
  void note_time();
  void end(std::size_t index, MPI_Status& status);
  void take_notification(const MPI_Status& status);
  void remove_ended();
  void hand_over(double time_s);
  void give_up_computations();
  void give_up_receives();
  void drain(const std::vector<std::int64_t>& messages, const std::vector<std::int64_t>& notifications);
  void take_unexpected(std::vector<std::int64_t>& missing);
  bool has_sends() const;
  void connect_to_all() const;

  const MpiJob& job_;
  Scheduler* scheduler_ = nullptr;
  TransportListener* listener_ = nullptr;
  IdleWait::Clock::time_point start_{};
  IdleWait idle_;
  ComputeDevice* device_;
  std::deque<Computation> computations_;  // the first one is running
  int largest_tag_ = 0;
  MPI_Comm data_ = MPI_COMM_NULL;
  MPI_Comm notifications_ = MPI_COMM_NULL;

  // The first entry is the persistent receive of notifications.
  std::vector<MPI_Request> requests_;
  std::vector<Owner> owners_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::int64_t incoming_payload_ = 0;
  Pool<std::int64_t> payloads_;

  // Found by poll(), not yet passed to the listener.
  std::vector<NativeRequest*> ended_;
  std::vector<Notification> arrived_;
  double seen_s_ = 0;

  // Numbers of messages and notifications sent and received, by rank.
  std::vector<std::int64_t> sent_;
  std::vector<std::int64_t> received_;
  std::vector<std::int64_t> notified_;
  std::vector<std::int64_t> notified_by_;
  std::uint64_t events_ = 0;
  bool is_finished_ = false;
};

}  // namespace starling

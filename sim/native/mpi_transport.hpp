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

/// A send or receive that MPI knows of.
struct NativeRequest final : RequestState {
  Buffer incoming;             // where the data of a receive belongs, if it has any
  ScratchMemory::Block block;  // what MPI reads or writes, if it is not the buffer itself
  int bytes = 0;
};

/// Told what MPI has done, when the scheduler has reached that time.
class TransportListener {
 public:
  virtual ~TransportListener() = default;
  virtual void request_ended(NativeRequest& request) = 0;
  virtual void notification_arrived(const Notification& notification) = 0;
};

/// All that is under way between this process and the others: the scheduler's time in a native world.
///
/// Nothing moves but when the scheduler waits or a strand sleeps: one thread, MPI_Testsome over everything
/// outstanding, and a look at the device that computes. Data and notifications go through communicators of
/// their own, made for this run, so nothing is taken for something else, nor for something of another run.
class MpiTransport final : public TimeSource {
 public:
  /// Collective. Opens a connection to every rank. The device, if there is one, is idle and left so.
  MpiTransport(const MpiJob& job, ComputeDevice* device);
  ~MpiTransport() override;
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  void attach(Scheduler& scheduler, TransportListener& listener);

  /// The scheduler's time 0; waits for it.
  void start_clock(IdleWait::Clock::time_point start);
  /// Seconds since then.
  double clock_s() const;

  /// @throws CommunicationError for a tag that MPI does not have.
  void send(NativeRequest& request, const void* data);
  void receive(NativeRequest& request, void* data);
  void notify(Rank destination, std::int64_t payload);
  /// Complete when every rank has asked for it.
  void barrier(NativeRequest& request);

  bool has_device() const { return device_ != nullptr; }
  /// Complete when the device has done that many seconds of work, after all that it was asked for before.
  void compute(NativeRequest& request, double seconds);

  double advance(double limit_s) override;

  /// Collective, of ranks that have all passed the last barrier: gives up computations, and receives that
  /// nothing was sent for, takes what was sent and not received, and lets every send end.
  void finish();

  Arrival arrival() const { return idle_.arrival(); }

  /// How often something happened.
  std::uint64_t events() const { return events_; }

 private:
  /// What an entry of requests_ stands for; none for a notification on its way out.
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
  std::deque<Computation> computations_;  // the first one is under way
  int largest_tag_ = 0;
  MPI_Comm data_ = MPI_COMM_NULL;
  MPI_Comm notifications_ = MPI_COMM_NULL;

  // The first is the receive of notifications, always there.
  std::vector<MPI_Request> requests_;
  std::vector<Owner> owners_;
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::int64_t incoming_payload_ = 0;
  Pool<std::int64_t> payloads_;

  // Seen by poll(), not yet handed over.
  std::vector<NativeRequest*> ended_;
  std::vector<Notification> arrived_;
  double seen_s_ = 0;

  // By rank.
  std::vector<std::int64_t> sent_;
  std::vector<std::int64_t> received_;
  std::vector<std::int64_t> notified_;
  std::vector<std::int64_t> notified_by_;
  std::uint64_t events_ = 0;
  bool is_finished_ = false;
};

}  // namespace starling

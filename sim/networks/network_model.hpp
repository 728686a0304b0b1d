#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "sim/activity.hpp"
#include "sim/strands/scheduler.hpp"

namespace starling {

class LinkWatch;

/// A message in transit from one worker to another. The code that starts it must keep it alive until it has
/// arrived.
class Transfer {
 public:
  Transfer() = default;
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Rank source = 0;
  Rank destination = 0;
  double bytes = 0;
  /// left() is called when at most this many bytes of what the connection has to send, up to and including
  /// this transfer, are left to send; within start() if that is so at once. If infinite, left() is not
  /// called.
  double buffered_bytes = std::numeric_limits<double>::infinity();

  /// Called when the sender's buffer has taken the last bytes. A model that does not know when bytes leave
  /// calls left() only for transfers that fit in the buffer as a whole, within start(). No model calls it
  /// after the arrival.
  virtual void left() {}

  /// Called by the network model when the last byte arrives.
  virtual void arrived() = 0;
  /// May be called shortly before arrived(). May only prefetch memory that arrived() will need.
  virtual void prepare() const {}

  /// Whether the message goes by rendezvous; for traces.
  virtual bool is_by_rendezvous() const { return false; }

 private:
  friend class NetworkModel;
  static constexpr std::size_t room_bytes = 64;

  alignas(std::max_align_t) std::array<std::byte, room_bytes> room_;  // for the model's state
};

/// How much a model reports to a LinkWatch: nothing; when links carry how many bytes (carry(), set_rate());
/// or also when each message given to start() is sent and arrives (begin(), end()).
enum class ReportedByModel : std::uint8_t { nothing, carrying, messages_too };

/// Answers one question: a message of m bytes leaves rank a for rank b now; when does it arrive?
class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  /// Called once per run, before the first transfer; the model starts out with an idle network.
  virtual void attach(Scheduler& scheduler) = 0;

  /// Sends the transfer now. source and destination must differ.
  virtual void start(Transfer& transfer) = 0;

  /// start() for a transfer that may overtake others between the same two workers, and for which left() need
  /// not be called.
  virtual void start_unordered(Transfer& transfer) { start(transfer); }

  /// The model to which messages are to be given: this one, or the wrapped one if this one does not need to
  /// see them.
  virtual NetworkModel& carrier() { return *this; }

  /// The model itself as a source of time, for models with a clock of their own; else null.
  virtual TimeSource* time_source() { return nullptr; }

  /// From the next run on, reports to the watch what links carry, as far as this model knows. Returns how
  /// much it will report.
  virtual ReportedByModel report_to(LinkWatch&) { return ReportedByModel::nothing; }

  /// Whether the model itself records in the scheduler's CausalLog why messages leave and arrive. Where
  /// causes are recorded, other models are given CausedTransfers.
  virtual bool explains() const { return false; }

  /// A worker has entered an activity, or begun an iteration. Ignored except by models that pass it on to
  /// observers.
  virtual void note(Rank, Activity) {}
  virtual void note_iteration(Rank, std::int64_t) {}

 protected:
  /// Constructs this model's state of a transfer inside the transfer, which saves a memory access. The state
  /// lasts until the transfer is started again; it is never destroyed, so it must not own anything.
  template <typename State, typename... Arguments>
  static State& make_state(Transfer& transfer, Arguments&&... arguments) {
    static_assert(sizeof(State) <= Transfer::room_bytes && alignof(State) <= alignof(std::max_align_t));
    return *new (transfer.room_.data()) State(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace starling

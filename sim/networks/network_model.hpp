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

/// A message on its way from one worker to another. Whoever starts it keeps it alive until it has arrived.
class Transfer {
 public:
  Transfer() = default;
  virtual ~Transfer() = default;
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Rank source = 0;
  Rank destination = 0;
  double bytes = 0;
  /// How much of what its connection has to send, up to and with it, may be left when left() is called:
  /// within start() if that is no more. Where it is infinite left() is not called.
  double buffered_bytes = std::numeric_limits<double>::infinity();

  /// The sender's buffer has taken the last bytes. Models that do not know when call it of what the buffer
  /// holds alone, within start(), and of nothing else; none does so after the arrival.
  virtual void left() {}

  /// Called by the network model at the moment the last byte arrives.
  virtual void arrived() = 0;
  /// May be called shortly before: asks for memory that it will need, nothing else.
  virtual void prepare() const {}

  /// Whether it has waited for its receiver, for those who tell messages.
  virtual bool is_by_rendezvous() const { return false; }

 private:
  friend class NetworkModel;
  static constexpr std::size_t room_bytes = 64;

  alignas(std::max_align_t) std::array<std::byte, room_bytes> room_;  // for what the model knows of it
};

/// How much a model reports to a LinkWatch: nothing; when links carry what; or also when each message given
/// to start() begins and ends.
enum class Told : std::uint8_t { nothing, carrying, messages_too };

/// Answers one question: a message of m bytes leaves rank a for rank b now; when does it arrive?
class NetworkModel {
 public:
  virtual ~NetworkModel() = default;

  /// Called once per run, before the first transfer; the model starts out with an idle network.
  virtual void attach(Scheduler& scheduler) = 0;

  /// The message leaves now. source and destination must differ.
  virtual void start(Transfer& transfer) = 0;

  /// start() for a transfer that may overtake others between the same two workers, and whose left() need not
  /// be called.
  virtual void start_unordered(Transfer& transfer) { start(transfer); }

  /// The model that messages are to be given to: this one, or the one behind it where this one does not look
  /// at them itself.
  virtual NetworkModel& carrier() { return *this; }

  /// For models that advance time themselves.
  virtual TimeSource* time_source() { return nullptr; }

  /// From the next run on, reports to the watch what its links carry, as far as this model knows; returns how
  /// much it will report.
  virtual Told tell(LinkWatch&) { return Told::nothing; }

  /// Whether it says itself why messages leave and arrive when they do, where the scheduler has Causes; other
  /// models are given CausedTransfers there.
  virtual bool explains() const { return false; }

  /// A worker is at something else now, or has begun an iteration: for models that tell others of it.
  virtual void note(Rank, Activity) {}
  virtual void note_iteration(Rank, std::int64_t) {}

 protected:
  /// Makes what this model keeps of a transfer inside the transfer, where it costs no memory access of its
  /// own. It lasts until the transfer is started again, and is not destroyed.
  template <typename State, typename... Arguments>
  static State& make_state(Transfer& transfer, Arguments&&... arguments) {
    static_assert(sizeof(State) <= Transfer::room_bytes && alignof(State) <= alignof(std::max_align_t));
    return *new (transfer.room_.data()) State(std::forward<Arguments>(arguments)...);
  }
};

}  // namespace starling

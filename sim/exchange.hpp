#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "sim/buffer.hpp"
#include "sim/strands/waits_for.hpp"

namespace starling {

/// One step of a collective as one worker sees it: a message out and a message in, concurrently.
struct Exchange {
  Rank destination = -1;  // −1: sends nothing
  Rank source = -1;       // −1: receives nothing
  Buffer outgoing;
  Buffer incoming;
  /// Where the incoming elements are added once both messages are complete; has the same count as
  /// `incoming`. Used only if is_reducing.
  Buffer sum;
  bool is_reducing = false;
};

/// What the messages of a collective carry: data of GPUs, in a ring of all workers (`ring`) or in any other
/// collective (`data`); or the words of a negotiation between CPUs (`control`).
enum class MessageKind : std::uint8_t { data, ring, control };

/// The exchanges of one worker in a collective, generated one at a time.
class ExchangeSequence {
 public:
  virtual ~ExchangeSequence() = default;

  /// Overwrites `exchange` with the next exchange. Returns false, without one, after the last.
  virtual bool next(Exchange& exchange) = 0;
  virtual MessageKind kind() const { return MessageKind::data; }

  /// The object of the world that runs these exchanges for a stepwise strand; null while none is under way.
  WaitsOnBehalf* runner = nullptr;
};

}  // namespace starling

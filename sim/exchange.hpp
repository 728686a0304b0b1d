#pragma once

#include <cstdint>

#include "base/types.hpp"
#include "sim/buffer.hpp"
#include "sim/strands/waits_for.hpp"

namespace starling {

/// One step of a collective as one of its workers sees it: a message out and a message in, at the same time.
struct Exchange {
  Rank destination = -1;  // −1: sends nothing
  Rank source = -1;       // −1: receives nothing
  Buffer outgoing;
  Buffer incoming;
  /// Where the incoming elements are added when both messages are complete; same count. Only if is_reducing.
  Buffer sum;
  bool is_reducing = false;
};

/// What messages are for: data of a GPU, in a ring of all workers or else; or words that processors exchange
/// to agree on something.
enum class MessageKind : std::uint8_t { data, ring, control };

/// The exchanges of one worker in a collective, produced one at a time.
class ExchangeSequence {
 public:
  virtual ~ExchangeSequence() = default;

  /// Writes the next exchange over `exchange`; returns false if there is none.
  virtual bool next(Exchange& exchange) = 0;
  virtual MessageKind kind() const { return MessageKind::data; }

  /// Who does the exchanges of a stepwise strand while they are under way: the world's.
  WaitsOnBehalf* runner = nullptr;
};

}  // namespace starling

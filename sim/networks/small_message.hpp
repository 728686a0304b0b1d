#pragma once

namespace starling {

/// A message of no more bytes, one Ethernet packet, slips between the packets of others: in the event model
/// it never waits, in the fair model only behind what its own connection sends, and not even there where
/// small messages have a channel of their own.
constexpr double small_message_bytes = 1500;

}  // namespace starling

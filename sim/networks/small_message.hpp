#pragma once

namespace starling {

/// In the event model a message of no more bytes, one Ethernet packet, slips between the packets of others:
/// it never waits.
constexpr double small_message_bytes = 1500;

}  // namespace starling

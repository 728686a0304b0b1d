#pragma once

namespace starling {

/// The greatest message, in bytes, that fits in one Ethernet packet and so passes between the packets of
/// other messages. In the event model such a message never waits. In the fair model it waits only behind the
/// data of its own connection, and not even there where small messages have a channel of their own.
constexpr double small_message_bytes = 1500;

}  // namespace starling

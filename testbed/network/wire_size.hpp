#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace starling {

/// The bytes on the wire of what a TAP device handed over: a virtio_net_hdr and
/// an Ethernet frame. A run of TCP segments in one frame has its headers once, but on the wire once per
/// segment. Counts Ethernet's header, not its preamble, checksum and gap. 0 if it is too short for a frame.
std::int64_t wire_bytes(std::span<const std::byte> content);

}  // namespace starling

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace starling {

/// The bytes on the wire of `content`, a virtio_net_hdr and an Ethernet frame as read from a TAP device. A
/// run of TCP segments in one frame has its headers once, but on the wire once per segment. Counts the
/// Ethernet header, but not preamble, checksum and inter-packet gap. 0 if `content` is too short for a frame.
std::int64_t wire_bytes(std::span<const std::byte> content);

}  // namespace starling

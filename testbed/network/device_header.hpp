#pragma once

#include <cstdint>

namespace starling {

/// The header before every frame of a TAP device: `struct virtio_net_hdr` of <linux/virtio_net.h>, which is
/// not valid C++.
struct DeviceHeader {
  std::uint8_t flags = 0;
  std::uint8_t run_kind = 0;        // gso_type: 0 for a single packet
  std::uint16_t header_bytes = 0;   // hdr_len
  std::uint16_t segment_bytes = 0;  // gso_size: data bytes in each packet of a run
  std::uint16_t checksum_start = 0;
  std::uint16_t checksum_offset = 0;
};
static_assert(sizeof(DeviceHeader) == 10);

}  // namespace starling

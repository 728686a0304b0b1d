#include "testbed/network/wire_size.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "testbed/network/device_header.hpp"

using namespace starling;

namespace {

/// An Ethernet frame with IPv4 and TCP headers of those lengths and so much data, as a TAP device hands it
/// over.
std::vector<std::byte> tcp_content(std::size_t ip_bytes, std::size_t tcp_bytes, std::size_t data_bytes,
                                   std::uint16_t segment_bytes) {
  std::vector<std::byte> content(sizeof(DeviceHeader) + 14 + ip_bytes + tcp_bytes + data_bytes);
  DeviceHeader header;
  header.run_kind = segment_bytes > 0 ? 1 : 0;
  header.segment_bytes = segment_bytes;
  header.header_bytes = 999;  // a hint that must not be believed
  std::memcpy(content.data(), &header, sizeof header);
  content[sizeof header + 14] = std::byte(0x40 | ip_bytes / 4);
  content[sizeof header + 14 + ip_bytes + 12] = std::byte(tcp_bytes / 4 << 4);
  return content;
}

}  // namespace

TEST_CASE("A single packet is as long on the wire as its Ethernet frame") {
  CHECK(wire_bytes(tcp_content(20, 32, 1448, 0)) == 1514);
  CHECK(wire_bytes(tcp_content(20, 32, 0, 0)) == 66);
}

TEST_CASE("A run of segments carries its headers in every packet") {
  CHECK(wire_bytes(tcp_content(20, 32, 4 * 1448, 1448)) == 4 * 1514);
  CHECK(wire_bytes(tcp_content(20, 32, 3 * 1448 + 1, 1448)) == 3 * 1514 + 67);
  CHECK(wire_bytes(tcp_content(20, 20, 2 * 1460, 1460)) == 2 * 1514);
  CHECK(wire_bytes(tcp_content(60, 60, 2000, 1000)) == 2 * (14 + 60 + 60 + 1000));
}

TEST_CASE("Frames cut short are measured without reading beyond their end") {
  const std::vector<std::byte> whole = tcp_content(20, 32, 1448, 1448);
  for (std::size_t bytes = 0; bytes < 90; ++bytes) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    const auto frame_bytes =
        static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(sizeof(DeviceHeader));
    CHECK(wire_bytes(cut) == (frame_bytes >= 14 ? frame_bytes : 0));
  }
}

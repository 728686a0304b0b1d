#include "testbed/network/wire_size.hpp"

#include <net/ethernet.h>
#include <netinet/ip.h>
#include <netinet/tcp.h>

#include <cstring>

#include "testbed/network/device_header.hpp"

namespace starling {
namespace {

template <typename Header>
Header header_at(std::span<const std::byte> content, std::size_t offset) {
  Header header{};
  if (offset + sizeof(Header) <= content.size())
    std::memcpy(&header, content.data() + offset, sizeof(Header));
  return header;
}

/// The size of the headers of Ethernet, IPv4 and TCP. The device's own hdr_len is a hint and may be longer.
std::size_t headers_bytes(std::span<const std::byte> frame) {
  const std::size_t network_bytes = header_at<ip>(frame, sizeof(ether_header)).ip_hl * 4UL;
  const auto transport = header_at<tcphdr>(frame, sizeof(ether_header) + network_bytes);
  return sizeof(ether_header) + network_bytes + transport.th_off * 4UL;
}

}  // namespace

std::int64_t wire_bytes(std::span<const std::byte> content) {
  if (content.size() < sizeof(DeviceHeader) + sizeof(ether_header)) return 0;
  const auto device = header_at<DeviceHeader>(content, 0);
  const std::span<const std::byte> frame = content.subspan(sizeof(DeviceHeader));
  if (device.run_kind == 0 || device.segment_bytes == 0) return static_cast<std::int64_t>(frame.size());

  const std::size_t headers = headers_bytes(frame);
  if (frame.size() <= headers) return static_cast<std::int64_t>(frame.size());
  const std::size_t segments = (frame.size() - headers + device.segment_bytes - 1) / device.segment_bytes;
  return static_cast<std::int64_t>(frame.size() + (segments - 1) * headers);
}

}  // namespace starling

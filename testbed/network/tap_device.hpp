#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "testbed/network/file_descriptor.hpp"

namespace starling {

/// A TAP device: a virtual Ethernet card whose frames this program reads and writes. It disappears with this
/// object.
///
/// Each read or write transfers a virtio_net_hdr and an Ethernet frame. Without `has_segment_runs` every
/// frame is one packet; with it, a frame may hold a run of TCP segments.
class TapDevice {
 public:
  /// Creates the device in the network namespace of the calling thread. @throws std::system_error if the
  /// system refuses.
  TapDevice(const std::string& name, bool has_segment_runs);

  int descriptor() const { return file_.number(); }
  /// Reads a frame and returns its bytes; 0 if there is none.
  std::size_t read(std::span<std::byte> content);
  /// Passes a frame to the kernel as received. False if the kernel does not accept it.
  bool write(std::span<const std::byte> content);

  /// The greatest number of bytes that a read returns, header included.
  static constexpr std::size_t largest_content_bytes = 1 << 17;

 private:
  FileDescriptor file_;
};

}  // namespace starling

#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "testbed/network/file_descriptor.hpp"

namespace starling {

/// A TAP device: an Ethernet card whose cable is this program. It disappears with this object.
///
/// What is read and written is a virtio_net_hdr and an Ethernet frame; without `has_segment_runs` every frame
/// is one packet, with it frames may hold runs of TCP segments.
class TapDevice {
 public:
  /// Creates it in the network namespace that this thread is in. @throws std::system_error.
  TapDevice(const std::string& name, bool has_segment_runs);

  int descriptor() const { return file_.number(); }
  /// The bytes read; 0 if nothing is there.
  std::size_t read(std::span<std::byte> content);
  /// Hands a frame to the kernel as received. False if the kernel does not take it.
  bool write(std::span<const std::byte> content);

  /// The largest frame that can be read.
  static constexpr std::size_t largest_content_bytes = 1 << 17;

 private:
  FileDescriptor file_;
};

}  // namespace starling

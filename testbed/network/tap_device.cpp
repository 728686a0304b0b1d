#include "testbed/network/tap_device.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <sys/ioctl.h>

#include <limits>

#include "testbed/network/device_header.hpp"

namespace starling {

TapDevice::TapDevice(const std::string& name, bool has_segment_runs)
    : file_(checked(::open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC),
                    "cannot open /dev/net/tun, which is needed for TAP devices")) {
  const std::string what = "cannot set up the TAP device " + name;
  ifreq request{};
  request.ifr_flags = IFF_TAP | IFF_NO_PI | IFF_VNET_HDR;
  name.copy(request.ifr_name, sizeof request.ifr_name - 1);
  checked(::ioctl(file_.number(), TUNSETIFF, &request), what);
  const unsigned long offload = TUN_F_CSUM | (has_segment_runs ? TUN_F_TSO4 : 0U);
  checked(::ioctl(file_.number(), TUNSETOFFLOAD, offload), what);
  int header_bytes = sizeof(DeviceHeader);
  checked(::ioctl(file_.number(), TUNSETVNETHDRSZ, &header_bytes), what);
  int buffer_bytes = std::numeric_limits<int>::max();  // writes never block
  checked(::ioctl(file_.number(), TUNSETSNDBUF, &buffer_bytes), what);
}

std::size_t TapDevice::read(std::span<std::byte> content) {
  const ssize_t count = ::read(file_.number(), content.data(), content.size());
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

bool TapDevice::write(std::span<const std::byte> content) {
  return ::write(file_.number(), content.data(), content.size()) == static_cast<ssize_t>(content.size());
}

}  // namespace starling

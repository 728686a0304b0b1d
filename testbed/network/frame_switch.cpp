#include "testbed/network/frame_switch.hpp"

#include <net/ethernet.h>
#include <sys/epoll.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <utility>

#include "testbed/network/address_plan.hpp"
#include "testbed/network/device_header.hpp"
#include "testbed/network/file_descriptor.hpp"
#include "testbed/network/wire_size.hpp"

namespace starling {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
/// The most frames read from one device before other devices and due frames get a turn.
constexpr int most_frames_per_turn = 8;

std::int64_t clock_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * ns_per_s + time.tv_nsec;
}

/// The time to wait as a timespec; 0 if it is negative.
timespec interval(double wait_s) {
  const auto wait_ns = static_cast<std::int64_t>(std::ceil(std::fmax(wait_s, 0) * 1e9));
  return {.tv_sec = wait_ns / ns_per_s, .tv_nsec = wait_ns % ns_per_s};
}

void watch(const FileDescriptor& poll, int descriptor, std::uint64_t key) {
  epoll_event event{.events = EPOLLIN, .data = {.u64 = key}};
  checked(::epoll_ctl(poll.number(), EPOLL_CTL_ADD, descriptor, &event), "cannot wait for devices");
}

/// The destination of the frame after a virtio_net_hdr; −1 if that is not one of the hosts.
int destination_of(std::span<const std::byte> content) {
  if (content.size() < sizeof(DeviceHeader) + sizeof(ether_header)) return -1;
  return address_plan::host_of_hardware_address(content.subspan(sizeof(DeviceHeader), ETH_ALEN));
}

}  // namespace

FrameSwitch::FrameSwitch(const HostRoutes& routes, const PacketNetworkOptions& options,
                         std::vector<SwitchPort> ports)
    : origin_ns_(clock_ns()),
      ports_(std::move(ports)),
      network_(routes, options, [this](double due_s, const Frame& frame) { deliver(due_s, frame); }) {}

double FrameSwitch::now_s() const { return static_cast<double>(clock_ns() - origin_ns_) * 1e-9; }

int FrameSwitch::run_until_readable(const std::vector<int>& descriptors) {
  const FileDescriptor poll(checked(::epoll_create1(EPOLL_CLOEXEC), "cannot wait for devices"));
  std::vector<std::pair<int, TapDevice*>> devices;
  for (std::size_t host = 0; host < ports_.size(); ++host)
    for (TapDevice& device : ports_[host].devices) {
      watch(poll, device.descriptor(), devices.size());
      devices.emplace_back(static_cast<int>(host), &device);
    }
  for (std::size_t i = 0; i < descriptors.size(); ++i) watch(poll, descriptors[i], devices.size() + i);

  std::array<epoll_event, 64> events{};
  while (true) {
    network_.advance(now_s());
    const std::optional<double> next_s = network_.next_time_s();
    const timespec timeout = interval(next_s ? *next_s - now_s() : 0);
    const int count = ::epoll_pwait2(poll.number(), events.data(), static_cast<int>(events.size()),
                                     next_s ? &timeout : nullptr, nullptr);
    if (count < 0 && errno != EINTR) checked(count, "cannot wait for devices");
    for (int i = 0; i < count; ++i) {
      const std::uint64_t key = events[static_cast<std::size_t>(i)].data.u64;
      if (key >= devices.size()) return descriptors[key - devices.size()];
      read_some(devices[key].first, *devices[key].second);
    }
  }
}

void FrameSwitch::read_some(int host, TapDevice& device) {
  for (int turn = 0; turn < most_frames_per_turn; ++turn) {
    Frame& frame = network_.spare_frame();
    frame.content.resize(TapDevice::largest_content_bytes);
    frame.content_bytes = device.read(frame.content);
    if (frame.content_bytes == 0) return;
    ++counters_.received;

    const std::span<const std::byte> content(frame.content.data(), frame.content_bytes);
    frame.source_host = host;
    frame.destination_host = destination_of(content);
    if (frame.destination_host < 0 || frame.destination_host == host ||
        frame.destination_host >= static_cast<int>(ports_.size())) {
      ++counters_.strays;
      continue;
    }
    frame.wire_bytes = wire_bytes(content);
    network_.send_spare(now_s());
  }
}

void FrameSwitch::deliver(double due_s, const Frame& frame) {
  lateness_.add(now_s() - due_s);
  TapDevice& device = ports_[static_cast<std::size_t>(frame.destination_host)].devices.front();
  if (!device.write({frame.content.data(), frame.content_bytes})) {
    ++counters_.refused;
    return;
  }
  ++counters_.delivered;
  counters_.delivered_bytes += frame.wire_bytes;
}

}  // namespace starling

#include "sim/native/gemm_device.hpp"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>

#include "base/errors.hpp"

namespace starling {
namespace {

/// Seconds that this process has spent on a core: other programs on it do not add to them.
double spent_s() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Waits until the device is done, without occupying its core.
void compute(ComputeDevice& device, double seconds) {
  device.begin(seconds);
  pollfd end{.fd = device.descriptor(), .events = POLLIN, .revents = 0};
  while (!device.is_done()) {
    poll(&end, 1, -1);
    eventfd_t times = 0;
    eventfd_read(device.descriptor(), &times);
  }
}

// Cores were seen to vary by 4 % from one measurement to the next, and to lose some percent to interrupts and
// to the caches of other programs.
constexpr double tolerance = 0.1;

/// The relative difference between the core time of the fastest of several works and the time it is to take.
double error_of(ComputeDevice& device) {
  constexpr double work_s = 0.005;
  double least_s = std::numeric_limits<double>::infinity();
  for (int attempts = 0; attempts < 20; ++attempts) {
    const double start_s = spent_s();
    compute(device, work_s);
    least_s = std::min(least_s, spent_s() - start_s);
  }
  return std::abs(least_s / work_s - 1);
}

// Who shares the core may slow it by half, for seconds, while its speed is measured or after. A device that
// is wrong is so at every attempt.
constexpr int patience = 200;

TEST_CASE("matrix products take a core for the time they are to take") {
  double least_error = std::numeric_limits<double>::infinity();
  for (int devices = 0; devices < patience && least_error >= tolerance; ++devices)
    least_error = std::min(least_error, error_of(*make_gemm_device()));
  CHECK(least_error < tolerance);
}

TEST_CASE("work of less than a product is carried to the next, not lost") {
  constexpr int pieces = 20'000;
  constexpr double all_s = 0.02;
  double most_s = 0;
  for (int devices = 0; devices < patience && most_s <= (1 - tolerance) * all_s; ++devices) {
    const auto device = make_gemm_device();
    const double start_s = spent_s();
    for (int i = 0; i < pieces; ++i) compute(*device, all_s / pieces);
    most_s = std::max(most_s, spent_s() - start_s);
  }
  CHECK(most_s > (1 - tolerance) * all_s);
}

TEST_CASE("the end of every work is signaled on the descriptor") {
  const auto device = make_gemm_device();
  const int watch = epoll_create1(EPOLL_CLOEXEC);
  epoll_event event{.events = EPOLLIN | EPOLLET, .data = {}};
  REQUIRE(epoll_ctl(watch, EPOLL_CTL_ADD, device->descriptor(), &event) == 0);
  for (int i = 0; i < 3; ++i) {
    CHECK(epoll_wait(watch, &event, 1, 0) == 0);
    device->begin(0.001);
    constexpr int patience_ms = 60'000;
    CHECK(epoll_wait(watch, &event, 1, patience_ms) == 1);
    CHECK(device->is_done());
  }
  close(watch);
}

TEST_CASE("work can be abandoned, and other work begun") {
  const auto device = make_gemm_device();
  device->begin(1e6);
  CHECK(!device->is_done());
  CHECK_THROWS_AS(device->begin(1), InvariantError);
  device->abandon();
  CHECK(device->is_done());
  compute(*device, 0.001);
  device->begin(1e6);  // ends with the device
}

}  // namespace
}  // namespace starling

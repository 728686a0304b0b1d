#include "sim/native/gemm_device.hpp"

#include <cblas.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <limits>
#include <mutex>
#include <stop_token>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/errors.hpp"

namespace starling {
namespace {

// Three such matrices fit in a core's private cache, and a product takes some tens of microseconds.
constexpr int rows = 96;
constexpr double flops_of_product = 2.0 * rows * rows * rows;

/// Multiplies two matrices in single precision, by OpenBLAS in the calling thread.
class Multiplication {
 public:
  Multiplication() { openblas_set_num_threads(1); }

  void run() {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, rows, rows, 1, left_.data(), rows,
                right_.data(), rows, 0, product_.data(), rows);
  }

  /// The speed in the fastest of many short intervals within 0.1 s. They are shorter than a time slice of
  /// the kernel, so that some are not interrupted even if ranks share the core.
  double products_per_s() {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds lasts(100);
    constexpr int products_of_slice = 8;
    double shortest_s = std::numeric_limits<double>::infinity();
    Clock::time_point start = Clock::now();
    for (const Clock::time_point end = start + lasts; start < end; start = Clock::now()) {
      for (int i = 0; i < products_of_slice; ++i) run();
      shortest_s = std::min(shortest_s, std::chrono::duration<double>(Clock::now() - start).count());
    }
    return products_of_slice / shortest_s;
  }

 private:
  std::vector<float> left_ = std::vector<float>(rows * rows, 1);
  std::vector<float> right_ = left_;
  std::vector<float> product_ = left_;
};

class OpenBlasDevice final : public GemmDevice {
 public:
  OpenBlasDevice();
  ~OpenBlasDevice() override;
  OpenBlasDevice(const OpenBlasDevice&) = delete;
  OpenBlasDevice& operator=(const OpenBlasDevice&) = delete;

  double flops_per_s() const override { return products_per_s_ * flops_of_product; }
  void begin(double seconds) override;
  bool is_done() override { return is_done_.load(std::memory_order_acquire); }
  void abandon() override;
  int descriptor() const override { return descriptor_; }

 private:
  void serve(const std::stop_token& stop);

  int descriptor_;
  double products_per_s_ = 0;
  double carried_products_ = 0;
  std::atomic<bool> is_done_{false};
  std::atomic<bool> is_abandoned_{false};
  std::mutex mutex_;
  std::condition_variable_any has_work_;
  std::int64_t products_ = 0;  // to be begun by the thread; guarded by mutex_
  std::jthread thread_;        // last, so that it ends before the members that it uses
};

/// The thread first measures its speed, which the constructor waits for.
OpenBlasDevice::OpenBlasDevice() : descriptor_(eventfd(0, EFD_CLOEXEC)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
  is_done_.wait(false);
}

OpenBlasDevice::~OpenBlasDevice() {
  thread_.request_stop();
  thread_.join();
  close(descriptor_);
}

/// A fraction of a product is carried over to the next work, so that the total is exact.
void OpenBlasDevice::begin(double seconds) {
  STARLING_INVARIANT(is_done());
  constexpr double most = 1e18;
  const double products = std::min(seconds * products_per_s_ + carried_products_, most);
  carried_products_ = products - std::floor(products);
  if (products < 1) return;
  is_done_.store(false, std::memory_order_relaxed);
  {
    const std::lock_guard lock(mutex_);
    products_ = static_cast<std::int64_t>(products);
  }
  has_work_.notify_one();
}

void OpenBlasDevice::abandon() {
  is_abandoned_ = true;
  while (!is_done()) std::this_thread::yield();
  is_abandoned_ = false;
}

void OpenBlasDevice::serve(const std::stop_token& stop) {
  Multiplication multiplication;
  products_per_s_ = multiplication.products_per_s();
  is_done_ = true;
  is_done_.notify_one();

  std::unique_lock lock(mutex_);
  while (has_work_.wait(lock, stop, [this] { return products_ > 0; })) {
    std::int64_t left = std::exchange(products_, 0);
    lock.unlock();
    for (; left > 0 && !is_abandoned_ && !stop.stop_requested(); --left) multiplication.run();
    is_done_.store(true, std::memory_order_release);
    eventfd_write(descriptor_, 1);
    lock.lock();
  }
}

}  // namespace

bool has_gemm_device() { return true; }

std::unique_ptr<GemmDevice> make_gemm_device() { return std::make_unique<OpenBlasDevice>(); }

}  // namespace starling

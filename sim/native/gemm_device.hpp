#pragma once

#include <memory>

#include "sim/native/compute_device.hpp"

namespace starling {

/// A thread that multiplies matrices on a core of this machine.
///
/// The speed of an undisturbed core is measured when the device is made. Seconds of work are converted into
/// a number of products, which take longer where other threads, of this rank or of others, compete for the
/// core.
class GemmDevice : public ComputeDevice {
 public:
  /// The measured speed, in floating-point operations per second.
  virtual double flops_per_s() const = 0;
};

/// Whether this build has OpenBLAS.
bool has_gemm_device();

/// Makes a device, in 0.1 s on any number of ranks at once. Null without OpenBLAS.
std::unique_ptr<GemmDevice> make_gemm_device();

}  // namespace starling

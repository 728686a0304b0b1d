#pragma once

#include <memory>

#include "sim/native/compute_device.hpp"

namespace starling {

/// A thread that multiplies matrices on a core of this machine.
///
/// How fast an undisturbed core does that is measured when the device is made: seconds of work are so many
/// products, which take longer where other threads, of this rank or of others, need the core as well.
class GemmDevice : public ComputeDevice {
 public:
  /// Floating-point operations per second, as measured.
  virtual double flops_per_s() const = 0;
};

/// Whether this build has OpenBLAS.
bool has_gemm_device();

/// Takes 0.1 s, on any number of ranks at a time. Null without OpenBLAS.
std::unique_ptr<GemmDevice> make_gemm_device();

}  // namespace starling

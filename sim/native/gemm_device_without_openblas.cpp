#include "sim/native/gemm_device.hpp"

namespace starling {

bool has_gemm_device() { return false; }

std::unique_ptr<GemmDevice> make_gemm_device() { return nullptr; }

}  // namespace starling

#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "sim/buffer.hpp"

namespace starling {

/// Arithmetic on models and gradients that takes no simulated time. Does nothing if buffers are sized, as
/// these have no data. Both buffers of a call must have equally many elements.

inline void copy_model(Buffer from, Buffer to) { std::ranges::copy(from.data(), to.data().begin()); }

inline void scale_model(Buffer model, double factor) {
  for (float& parameter : model.data()) parameter = static_cast<float>(parameter * factor);
}

/// other := (other − own) / 2, which, added to `own`, moves it half-way to `other`.
inline void halve_difference(Buffer other, Buffer own) {
  const std::span<float> far = other.data();
  const std::span<const float> near = own.data();
  for (std::size_t i = 0; i < far.size(); ++i) far[i] = (far[i] - near[i]) / 2;
}

/// model += share·(target − model); for a share of 1 an exact copy.
inline void move_model(Buffer model, Buffer target, double share) {
  if (share == 1) return copy_model(target, model);
  const std::span<float> moved = model.data();
  const std::span<const float> to = target.data();
  for (std::size_t i = 0; i < moved.size(); ++i)
    moved[i] += static_cast<float>(share * static_cast<double>(to[i] - moved[i]));
}

/// model += after − before: applies to `model` a step that was computed on another copy.
inline void add_step(Buffer model, Buffer before, Buffer after) {
  const std::span<float> moved = model.data();
  const std::span<const float> from = before.data();
  const std::span<const float> to = after.data();
  for (std::size_t i = 0; i < moved.size(); ++i) moved[i] += to[i] - from[i];
}

}  // namespace starling

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace starling {

/// What eager-SGD does with a gradient that comes too late for its operation.
enum class LateGradients {
  accumulate,  // adds it to the next one (the paper)
  drop,        // forgets it (the published code)
};

/// eager-SGD: gradients are summed by partial collectives, which do not wait for everyone.
struct EagerOptions {
  static constexpr std::string_view solo = "eager_solo";
  static constexpr std::string_view majority = "eager_majority";
  /// solo: whoever calls first starts an operation; majority: one random rank per iteration does.
  std::string_view kind = solo;
  /// Of the model synchronization.
  std::string collective = "ring";
  /// After that many iterations that wait for nobody comes one in which every rank must arrive; 0: none does.
  /// The published code of solo has 32. Not negative.
  std::int64_t limiter = 0;
  LateGradients late_gradients = LateGradients::accumulate;
  /// All workers average their models at the end of every so many iterations; 0: never. Not negative.
  std::int64_t model_sync_iterations = 0;
  /// A bucket closes with the tensor that brings it to this many bytes; 0: one operation per tensor, as
  /// published. Not negative.
  double bucket_bytes = 0;
  /// One operation after the other, as published; else side by side.
  bool serialized = true;
};

/// WAGMA-SGD: models are averaged in changing groups that do not wait for everyone.
struct WagmaOptions {
  static constexpr std::string_view kind = "wagma";
  /// Of the synchronous average.
  std::string collective = "recursive_doubling";
  /// S, a power of two up to P. 0: √P, or the next power of two above. 1: no group collective at all, which
  /// is local SGD.
  int group_size = 0;
  /// τ: every so many iterations everyone's models are averaged, and all wait. At least 1.
  std::int64_t sync_period = 10;
  /// The groups of iteration 0 in every iteration.
  bool fixed_groups = false;
  /// What the released program does where it differs from the paper: every group average is (Wsum + W)/(S+1),
  /// stale or not; models are averaged before the update, W_{t+1} = average of W + U(gradient at W); and
  /// groups do not wrap around, iteration t takes the butterfly's dimensions from log₂S·(t mod ⌊log₂P/log₂S⌋)
  /// on. Its sync_period is 11, and it runs one operation per tensor.
  bool published_code = false;
  /// As in EagerOptions.
  double bucket_bytes = 25.0 * 1024 * 1024;
  bool serialized = true;
};

}  // namespace starling

#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "base/option_visitor.hpp"
#include "workloads/compute/compute_times.hpp"

namespace starling {

/// Measured times of every layer, from a file.
struct ProfileOptions {
  static constexpr std::string_view name = "profile";
  static constexpr std::string_view summary = "measured times of every layer";
  std::string file = {};
};

/// Where the times of the layers come from; told apart by their keys.
using ComputeForm = std::variant<TotalTimes, ProfileOptions, RooflineTimes>;

/// What computes where a scenario is run for real: a timer in place of a GPU, or matrix products on a core.
enum class ComputeKind { emulated, gemm };

/// What a scenario's `compute` says.
struct ComputeOptions {
  ComputeKind kind = ComputeKind::emulated;
  ComputeForm form = {};
};

void describe(ComputeOptions& options, OptionVisitor& visitor);

}  // namespace starling

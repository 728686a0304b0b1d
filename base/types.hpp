#pragma once

#include <cstddef>
#include <cstdint>

namespace starling {

/// The number of a worker in its job, 0 … P−1. One worker is one GPU.
using Rank = int;

/// Distinguishes messages between two workers: a receive takes the oldest message with its source and tag.
using Tag = int;

/// Converts a number counted from 0, such as a rank or a link, to an index. It must not be negative.
constexpr std::size_t index_of(std::int64_t number) { return static_cast<std::size_t>(number); }

inline constexpr double kibibyte = 1024;
inline constexpr double mebibyte = 1024 * kibibyte;

}  // namespace starling

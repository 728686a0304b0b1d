#pragma once

#include <cstddef>
#include <cstdint>

namespace starling {

/// A worker's number in its job, 0 … P−1. One worker is one GPU.
using Rank = int;

/// Tells apart the messages between two workers: a receive takes the oldest message with its source and tag.
using Tag = int;

/// Where something that has a number from 0 up, such as a rank or a link, stands in a list.
constexpr std::size_t index_of(std::int64_t number) { return static_cast<std::size_t>(number); }

inline constexpr double kibibyte = 1024;
inline constexpr double mebibyte = 1024 * kibibyte;

}  // namespace starling

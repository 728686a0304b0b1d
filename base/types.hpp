#pragma once

#include <cstdint>

namespace starling {

/// A worker's number in its job, 0 … P−1. One worker is one GPU.
using Rank = int;

/// Tells apart the messages between two workers: a receive takes the oldest message with its source and tag.
using Tag = int;

}  // namespace starling

#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace starling {

/// Memory for messages without data of their own: reusable blocks whose sizes are powers of two. A block
/// holds whatever was last written to it.
class ScratchMemory {
 public:
  struct Block {
    std::byte* data = nullptr;
    std::size_t capacity = 0;
  };

  /// A block of at least `bytes`, aligned for floats.
  Block take(std::size_t bytes);
  void give_back(const Block& block);

 private:
  static constexpr int sizes = 48;

  std::deque<std::unique_ptr<std::byte[]>> memory_;
  std::array<std::vector<std::byte*>, sizes> unused_;  // by log₂ of their capacity
};

}  // namespace starling

#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <memory>
#include <vector>

namespace starling {

/// Memory for messages that have no data of their own: blocks that are taken and given back, whose sizes are
/// powers of two, with whatever they held last.
class ScratchMemory {
 public:
  struct Block {
    std::byte* data = nullptr;
    std::size_t capacity = 0;
  };

  /// A block of at least so many bytes, aligned for floats.
  Block take(std::size_t bytes);
  void give_back(const Block& block);

 private:
  static constexpr int sizes = 48;

  std::deque<std::unique_ptr<std::byte[]>> memory_;
  std::array<std::vector<std::byte*>, sizes> unused_;  // by log₂ of their capacity
};

}  // namespace starling

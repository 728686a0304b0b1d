#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace starling {

/// The size of a log, or of a set of values, above which it is kept on disk.
inline constexpr std::size_t most_bytes_in_memory = std::size_t{512} << 20;

/// The folder of the files on disk: the one that TMPDIR names, else /var/tmp.
std::string folder_of_large_memory();

/// A block of memory, zero at first. If it is larger than `most_in_memory` bytes, it is mapped to an unnamed
/// file, which vanishes with the object; the system writes its pages to disk and reads them back when needed.
class LargeMemory {
 public:
  LargeMemory() = default;
  /// Allocates the disk space at once. @throws std::bad_alloc if there is no memory; std::runtime_error,
  /// which names the folder, if there is no disk space.
  explicit LargeMemory(std::size_t bytes, std::size_t most_in_memory = most_bytes_in_memory);
  ~LargeMemory();
  LargeMemory(LargeMemory&& other) noexcept { *this = std::move(other); }
  LargeMemory& operator=(LargeMemory&& other) noexcept;

  void* data() const { return data_; }
  bool is_on_disk() const { return is_on_disk_; }

  /// Notes that `bytes` bytes were read or written. Whenever the sum of these is more than half of what may
  /// stay in memory, the pages of a file are removed from the process's memory.
  void touched(std::size_t bytes) {
    if (is_on_disk_ && (touched_ += bytes) > most_in_memory_ / 2) leave_memory();
  }

 private:
  void leave_memory();

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  std::size_t most_in_memory_ = 0;
  std::size_t touched_ = 0;
  bool is_on_disk_ = false;
};

/// An array in LargeMemory, zero at first.
template <typename Value>
class LargeArray {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  explicit LargeArray(std::size_t count = 0, std::size_t most_in_memory = most_bytes_in_memory)
      : memory_(count * sizeof(Value), most_in_memory), count_(count) {}

  std::span<Value> values() { return {static_cast<Value*>(memory_.data()), count_}; }

 private:
  LargeMemory memory_;
  std::size_t count_;
};

}  // namespace starling

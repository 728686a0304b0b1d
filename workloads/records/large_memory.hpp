#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace starling {

/// How much of one log, or of one set of values, stays in memory: what is larger goes to disk.
inline constexpr std::size_t most_bytes_in_memory = std::size_t{512} << 20;

/// Where the rest goes: the folder that TMPDIR names, else /var/tmp.
std::string folder_of_large_memory();

/// Zeros to write on. Beyond `most_in_memory` bytes they lie in a file without a name, which goes away with
/// the object: the system writes them to disk and reads them back where they are asked for.
class LargeMemory {
 public:
  LargeMemory() = default;
  /// Takes the room on disk at once. @throws std::bad_alloc if there is no memory; std::runtime_error, which
  /// names the folder, if there is no room.
  explicit LargeMemory(std::size_t bytes, std::size_t most_in_memory = most_bytes_in_memory);
  ~LargeMemory();
  LargeMemory(LargeMemory&& other) noexcept { *this = std::move(other); }
  LargeMemory& operator=(LargeMemory&& other) noexcept;

  void* data() const { return data_; }
  bool is_on_disk() const { return is_on_disk_; }

  /// So many bytes were read or written. What is on disk leaves the memory of the process whenever they are
  /// half of what may stay there.
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

/// An array in LargeMemory, of zeros at first.
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

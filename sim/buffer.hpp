#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/errors.hpp"

namespace starling {

/// A view of elements that are either real (float data) or sized (a count without data).
///
/// The cost of a message follows from bytes(), its *modeled* bytes. A real buffer may stand for a larger
/// message than its data, so that a small learning task runs under the traffic of a large model. Copying a
/// Buffer copies the view, not the data.
class Buffer {
 public:
  static constexpr double bytes_per_float = 4.0;

  Buffer() = default;

  /// A sized buffer: `count` elements without data.
  static Buffer sized(std::int64_t count, double bytes_per_element = bytes_per_float) {
    return Buffer(nullptr, count, bytes_per_element);
  }

  /// A view of `data`, which stands for data.size() · bytes_per_element bytes on the wire.
  static Buffer real(std::span<float> data, double bytes_per_element = bytes_per_float) {
    return Buffer(data.data(), static_cast<std::int64_t>(data.size()), bytes_per_element);
  }

  std::int64_t count() const { return count_; }
  double bytes() const { return static_cast<double>(count_) * bytes_per_element_; }
  double bytes_per_element() const { return bytes_per_element_; }

  /// True if there is data; an empty buffer has none.
  bool is_real() const { return data_ != nullptr; }
  std::span<float> data() const { return {data_, data_ ? static_cast<std::size_t>(count_) : 0}; }

  /// Elements offset … offset+count−1 of this view. @throws InvariantError if they are not all inside.
  Buffer slice(std::int64_t offset, std::int64_t count) const {
    STARLING_INVARIANT(offset >= 0 && count >= 0 && offset <= count_ - count);
    return Buffer(data_ ? data_ + offset : nullptr, count, bytes_per_element_);
  }
  Buffer first(std::int64_t count) const { return slice(0, count); }

 private:
  Buffer(float* data, std::int64_t count, double bytes_per_element)
      : data_(data), count_(count), bytes_per_element_(bytes_per_element) {}

  float* data_ = nullptr;
  std::int64_t count_ = 0;
  double bytes_per_element_ = bytes_per_float;
};

/// Adds `addend` to `sum`, element by element. Both must have the same length.
void add_elements(std::span<float> sum, std::span<const float> addend);

/// Adds `from` to `into`, element by element. @throws InvariantError unless both have the same count and
/// kind.
void add_elements(Buffer into, Buffer from);

/// A buffer that owns its memory: real if the buffer that it is modeled on is real, else sized.
class OwnedBuffer {
 public:
  /// What the memory holds initially. Zeroing costs a pass over the memory, which a buffer that is received
  /// into does not need.
  enum class Contents { zeros, anything };

  OwnedBuffer(const Buffer& like, std::int64_t count, Contents contents = Contents::zeros);

  /// Implicit, so that an OwnedBuffer can be passed wherever a Buffer is expected.
  operator Buffer() const { return view_; }
  Buffer view() const { return view_; }
  Buffer first(std::int64_t count) const { return view_.first(count); }

 private:
  std::unique_ptr<float[]> data_;
  Buffer view_;
};

}  // namespace starling

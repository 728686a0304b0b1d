#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/errors.hpp"

namespace starling {

/// A view of elements that are real (float data) or sized (a count and no data).
///
/// What a message costs follows from bytes(), the *modeled* bytes: a real buffer may stand for a larger
/// message than its data, so that a small learning task runs under the traffic of a large model. Copying a
/// Buffer copies the view.
class Buffer {
 public:
  static constexpr double bytes_per_float = 4.0;

  Buffer() = default;

  /// A view of nothing but a size.
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

/// sum += addend, element by element; equally long.
void add_elements(std::span<float> sum, std::span<const float> addend);

/// into += from. @throws InvariantError unless both have the same count and kind.
void add_elements(Buffer into, Buffer from);

/// Memory of the same kind as another buffer if that one is real, a size only if it is sized.
class OwnedBuffer {
 public:
  /// What memory holds at first. Zeros must be written; what is received into anyway can do without.
  enum class Contents { zeros, anything };

  OwnedBuffer(const Buffer& like, std::int64_t count, Contents contents = Contents::zeros);

  /// Implicit, as a buffer is used as its view.
  operator Buffer() const { return view_; }
  Buffer view() const { return view_; }
  Buffer first(std::int64_t count) const { return view_.first(count); }

 private:
  std::unique_ptr<float[]> data_;
  Buffer view_;
};

}  // namespace starling

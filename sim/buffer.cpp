#include "sim/buffer.hpp"

#include "base/errors.hpp"

namespace starling {

void add_elements(std::span<float> sum, std::span<const float> addend) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += addend[i];
}

void add_elements(Buffer into, Buffer from) {
  STARLING_INVARIANT(into.count() == from.count() && (into.is_real() == from.is_real() || into.count() == 0));
  add_elements(into.data(), from.data());
}

OwnedBuffer::OwnedBuffer(const Buffer& like, std::int64_t count, Contents contents)
    : view_(Buffer::sized(count, like.bytes_per_element())) {
  if (!like.is_real() || count == 0) return;
  const auto size = static_cast<std::size_t>(count);
  data_ = contents == Contents::zeros ? std::make_unique<float[]>(size)
                                      : std::make_unique_for_overwrite<float[]>(size);
  view_ = Buffer::real({data_.get(), size}, like.bytes_per_element());
}

}  // namespace starling

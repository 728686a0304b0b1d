#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace starling {

/// A pool of objects that are taken and given back many times. Its memory grows to the maximum in use at
/// once.
///
/// Objects lie contiguously in slabs, each twice as large as the one before, up to 2 MiB. From that size on
/// a slab is one huge page, so that visiting the objects of 100,000 workers does not miss the TLB at each of
/// them.
template <typename Object>
class Pool {
 public:
  Pool() = default;
  Pool(Pool&& other) noexcept
      : slabs_(std::exchange(other.slabs_, {})),
        unused_(std::exchange(other.unused_, {})),
        made_of_last_(std::exchange(other.made_of_last_, 0)) {}
  Pool& operator=(Pool&& other) noexcept {
    std::swap(slabs_, other.slabs_);
    std::swap(unused_, other.unused_);
    std::swap(made_of_last_, other.made_of_last_);
    return *this;
  }
  ~Pool() {
    for (const std::span<Object> slab : slabs_) {
      const bool is_last = slab.data() == slabs_.back().data();
      std::destroy_n(slab.data(), is_last ? made_of_last_ : slab.size());
      ::operator delete(slab.data(), alignment_of(slab.size()));
    }
  }

  /// Returns an object in the state in which it was given back, or a new one.
  Object& take() {
    if (unused_.empty()) return make();
    Object& object = *unused_.back();
    unused_.pop_back();
    return object;
  }
  void give_back(Object& object) { unused_.push_back(&object); }

 private:
  static constexpr std::size_t huge_page_bytes = std::size_t{2} << 20;
  static constexpr std::size_t least_objects = 8;
  static constexpr std::size_t most_objects = std::max(least_objects, huge_page_bytes / sizeof(Object));

  static std::align_val_t alignment_of(std::size_t objects) {
    return std::align_val_t{objects == most_objects ? huge_page_bytes : alignof(Object)};
  }

  Object& make() {
    if (slabs_.empty() || made_of_last_ == slabs_.back().size()) add_slab();
    return *new (&slabs_.back()[made_of_last_++]) Object();
  }

  void add_slab() {
    const std::size_t objects =
        slabs_.empty() ? least_objects : std::min(2 * slabs_.back().size(), most_objects);
    slabs_.reserve(slabs_.size() + 1);
    void* memory = ::operator new(objects * sizeof(Object), alignment_of(objects));
    // An error is ignored: without huge pages the pool is merely slower.
    if (objects == most_objects) madvise(memory, huge_page_bytes, MADV_HUGEPAGE);
    slabs_.emplace_back(static_cast<Object*>(memory), objects);
    made_of_last_ = 0;
  }

  std::vector<std::span<Object>> slabs_;
  std::vector<Object*> unused_;
  std::size_t made_of_last_ = 0;  // constructed objects of the last slab
};

}  // namespace starling

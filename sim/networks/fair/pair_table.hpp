#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/numbers/pair_of.hpp"
#include "base/types.hpp"

namespace starling {

/// A table from ordered pairs of workers to objects: a flat hash table of pointers, at most half full, in
/// which a look-up reads one or two adjacent places.
///
/// Objects are not removed one by one. When the table is full, keep_if() drops those that are no longer
/// needed, so its size is O(objects needed at once).
template <typename Object>
class PairTable {
 public:
  /// `places`, a power of two, is the initial size: the table is first full when half of that is used.
  explicit PairTable(std::size_t places = least_places) : entries_(places) {}

  /// The object of the pair; null if there is none.
  Object* find(Rank source, Rank destination) const {
    const std::uint64_t key = pair_of(source, destination);
    for (std::size_t i = first_place(key);; i = (i + 1) & (entries_.size() - 1)) {
      const Entry& entry = entries_[i];
      if (entry.object == nullptr || entry.key == key) return entry.object;
    }
  }

  bool is_full() const { return 2 * (size_ + 1) > entries_.size(); }

  /// Adds the object of a pair that has none yet. The table must not be full.
  void add(Rank source, Rank destination, Object& object) {
    put({pair_of(source, destination), &object});
    ++size_;
  }

  /// Keeps the objects that `is_needed`, and passes all others to `drop`. Doubles the table unless at most a
  /// quarter of it is then used.
  template <typename IsNeeded, typename Drop>
  void keep_if(const IsNeeded& is_needed, const Drop& drop) {
    std::vector<Entry> kept;
    for (const Entry& entry : entries_) {
      if (entry.object == nullptr) continue;
      if (is_needed(*entry.object))
        kept.push_back(entry);
      else
        drop(*entry.object);
    }
    const std::size_t places = 4 * kept.size() > entries_.size() ? 2 * entries_.size() : entries_.size();
    entries_.assign(places, {});
    size_ = kept.size();
    for (const Entry& entry : kept) put(entry);
  }

  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const Entry& entry : entries_)
      if (entry.object != nullptr) visit(*entry.object);
  }

 private:
  static constexpr std::size_t least_places = 16;
  struct Entry {
    std::uint64_t key = 0;
    Object* object = nullptr;
  };
  /// Multiplicative hashing, whose upper bits are well mixed (Knuth, "The Art of Computer Programming",
  /// volume 3, section 6.4).
  std::size_t first_place(std::uint64_t key) const {
    return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15U) >> 32U) & (entries_.size() - 1);
  }
  void put(const Entry& entry) {
    std::size_t i = first_place(entry.key);
    while (entries_[i].object != nullptr) i = (i + 1) & (entries_.size() - 1);
    entries_[i] = entry;
  }

  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace starling

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/routes.hpp"

namespace starling {

/// A priority queue of links by the time at which something is due on them; among links of equal time, the
/// least index first. An indexed binary heap: updates O(log links), the earliest O(1).
class EarliestLinks {
 public:
  static constexpr double never_s = std::numeric_limits<double>::infinity();

  bool is_empty() const { return heap_.empty(); }
  LinkIndex earliest() const { return heap_.front().link; }
  double earliest_s() const { return heap_.empty() ? never_s : heap_.front().time_s; }
  double time_s(LinkIndex link) const {
    const std::int32_t place = place_of(link);
    return place == absent ? never_s : heap_[static_cast<std::size_t>(place)].time_s;
  }

  /// Sets the time of a link, in place of its earlier one; never_s removes the link.
  void set(LinkIndex link, double time_s) {
    std::int32_t place = place_of(link);
    if (time_s == never_s) return remove(place);
    if (place == absent) {
      if (static_cast<std::size_t>(link) >= places_.size())
        places_.resize(static_cast<std::size_t>(link) + 1, absent);
      place = static_cast<std::int32_t>(heap_.size());
      heap_.emplace_back();
    }
    settle({time_s, link}, place);
  }

 private:
  struct Due {
    double time_s = 0;
    LinkIndex link = 0;
    bool operator<(const Due& other) const {
      return time_s < other.time_s || (time_s == other.time_s && link < other.link);
    }
  };
  static constexpr std::int32_t absent = -1;

  std::int32_t place_of(LinkIndex link) const {
    return static_cast<std::size_t>(link) < places_.size() ? places_[static_cast<std::size_t>(link)] : absent;
  }

  void remove(std::int32_t place) {
    if (place == absent) return;
    places_[static_cast<std::size_t>(heap_[static_cast<std::size_t>(place)].link)] = absent;
    const Due last = heap_.back();
    heap_.pop_back();
    if (static_cast<std::size_t>(place) < heap_.size()) settle(last, place);
  }

  void put(const Due& due, std::size_t place) {
    heap_[place] = due;
    places_[static_cast<std::size_t>(due.link)] = static_cast<std::int32_t>(place);
  }

  /// Moves `due` from a free place up or down to its own.
  void settle(const Due& due, std::int32_t free_place) {
    auto place = static_cast<std::size_t>(free_place);
    while (place > 0 && due < heap_[(place - 1) / 2]) {
      put(heap_[(place - 1) / 2], place);
      place = (place - 1) / 2;
    }
    while (2 * place + 1 < heap_.size()) {
      std::size_t child = 2 * place + 1;
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < due)) break;
      put(heap_[child], place);
      place = child;
    }
    put(due, place);
  }

  std::vector<Due> heap_;
  std::vector<std::int32_t> places_;  // by link
};

}  // namespace starling

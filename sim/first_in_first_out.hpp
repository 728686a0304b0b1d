#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <utility>

namespace starling {

/// What is taken in the order in which it came, amortized O(1) each way. Two items need no memory of their
/// own, where a std::deque takes 600 bytes even while it is empty: every worker has some.
template <typename Item>
class FirstInFirstOut {
 public:
  bool is_empty() const { return next_ == items_.size(); }

  void push(Item item) {
    if (is_empty()) clear();
    items_.push_back(std::move(item));
  }

  /// Removes and returns the oldest. Must not be empty.
  Item take() {
    Item item = std::move(items_[next_++]);
    if (2 * next_ > items_.size() + least_taken) drop_taken();
    return item;
  }

 private:
  static constexpr std::size_t least_taken = 32;

  void clear() {
    items_.clear();
    next_ = 0;
  }
  void drop_taken() {
    items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
  }

  boost::container::small_vector<Item, 2> items_;
  std::size_t next_ = 0;  // those before it are taken
};

}  // namespace starling

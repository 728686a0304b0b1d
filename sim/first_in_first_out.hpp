#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <utility>

namespace starling {

/// A FIFO queue with amortized O(1) push and take. Up to two items need no allocation, and an empty queue is
/// small, whereas an empty std::deque takes 600 bytes; every worker has several queues.
template <typename Item>
class FirstInFirstOut {
 public:
  bool is_empty() const { return next_ == items_.size(); }

  void push(Item item) {
    if (is_empty()) clear();
    items_.push_back(std::move(item));
  }

  /// Removes and returns the oldest item. The queue must not be empty.
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
  std::size_t next_ = 0;  // the oldest item; those before it have been taken
};

}  // namespace starling

#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "sim/event.hpp"

namespace starling {

/// A first-in first-out queue between strands of one worker: how a communication strand is fed.
template <typename Item>
class Queue {
 public:
  explicit Queue(Worker& worker, const char* name = "a queue") : not_empty_(worker, name) {}

  void push(Item item) {
    items_.push_back(std::move(item));
    not_empty_.set();
  }

  /// No more items will come: pop() returns nothing once the queue is empty.
  void close() {
    is_closed_ = true;
    not_empty_.set();
  }

  bool is_empty() const { return items_.empty(); }

  /// The oldest item; waits for one. Nothing if the queue is closed and empty.
  std::optional<Item> pop() {
    while (items_.empty()) {
      if (is_closed_) return std::nullopt;
      not_empty_.reset();
      not_empty_.wait();
    }
    std::optional<Item> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }

 private:
  std::deque<Item> items_;
  Event not_empty_;
  bool is_closed_ = false;
};

}  // namespace starling

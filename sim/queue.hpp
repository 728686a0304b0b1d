#pragma once

#include <optional>
#include <utility>

#include "sim/event.hpp"
#include "sim/first_in_first_out.hpp"

namespace starling {

/// A FIFO queue between strands of one worker, for instance from the training strand to a communication
/// strand.
template <typename Item>
class Queue {
 public:
  explicit Queue(Worker& worker, const char* name = "a queue") : not_empty_(worker, name) {}

  void push(Item item) {
    items_.push(std::move(item));
    not_empty_.set();
  }

  /// No more items will come: pop() returns nothing once the queue is empty.
  void close() {
    is_closed_ = true;
    not_empty_.set();
  }

  bool is_empty() const { return items_.is_empty(); }

  /// Removes and returns the oldest item; blocks while the queue is empty. Returns nothing once the queue is
  /// closed and empty.
  std::optional<Item> pop() {
    while (items_.is_empty()) {
      if (is_closed_) return std::nullopt;
      not_empty_.reset();
      not_empty_.wait();
    }
    return items_.take();
  }

  /// pop() for a stepwise strand; the queue must never be closed. Returns nothing if the queue is empty; the
  /// strand's next step then runs once an item is pushed.
  std::optional<Item> poll() {
    if (!items_.is_empty()) return items_.take();
    not_empty_.reset();
    not_empty_.poll();
    return std::nullopt;
  }

 private:
  FirstInFirstOut<Item> items_;
  Event not_empty_;
  bool is_closed_ = false;
};

}  // namespace starling

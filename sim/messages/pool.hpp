#pragma once

#include <deque>
#include <vector>

namespace starling {

/// Objects that are taken and given back many times; memory grows to the most that were out at once.
template <typename Object>
class Pool {
 public:
  /// An object as it was given back, or a new one.
  Object& take() {
    if (unused_.empty()) return all_.emplace_back();
    Object& object = *unused_.back();
    unused_.pop_back();
    return object;
  }
  void give_back(Object& object) { unused_.push_back(&object); }

 private:
  std::deque<Object> all_;
  std::vector<Object*> unused_;
};

}  // namespace starling

#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace starling {

/// One value of some options is wrong: `place` leads to it from these, as a JSON pointer.
class RejectedValue : public std::invalid_argument {
 public:
  RejectedValue(std::string place, const std::string& problem)
      : std::invalid_argument(problem), place_(std::move(place)) {}

  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// Calls `make`; what it rejects by std::invalid_argument is then about the value at that place.
template <typename Make>
auto rejecting_value(const std::string& place, const Make& make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw RejectedValue(place, error.what());
  }
}

}  // namespace starling

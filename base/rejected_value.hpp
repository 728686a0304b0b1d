#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace starling {

/// One value among some options is wrong; `place` is a JSON pointer to it, relative to the object with these
/// options.
class RejectedValue : public std::invalid_argument {
 public:
  RejectedValue(std::string place, const std::string& problem)
      : std::invalid_argument(problem), place_(std::move(place)) {}

  const std::string& place() const { return place_; }

 private:
  std::string place_;
};

/// Returns make(). A std::invalid_argument that it throws is turned into a RejectedValue at `place`.
template <typename Make>
auto rejecting_value(const std::string& place, const Make& make) {
  try {
    return make();
  } catch (const std::invalid_argument& error) {
    throw RejectedValue(place, error.what());
  }
}

}  // namespace starling

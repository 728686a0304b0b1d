#pragma once

#include <stdexcept>

namespace starling {

/// Why a published entry has no prediction; the text is for the user.
class NotComparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace starling

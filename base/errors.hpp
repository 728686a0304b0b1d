#pragma once

#include <stdexcept>
#include <string>

namespace starling {

/// The run cannot proceed: every strand waits, and neither a message nor a timer is pending. The text lists
/// who waits for whom.
class DeadlockError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A message does not match its receive. The text names both ranks, the tag and the sizes.
class CommunicationError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An invariant of Starling itself is broken. The text contains the expression, the file and the line.
class InvariantError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void invariant_failed(const char* expression, const char* file, int line);

}  // namespace starling

/// An assertion that is checked in every build; throws InvariantError if the expression is false.
#define STARLING_INVARIANT(expression) \
  ((expression) ? static_cast<void>(0) : ::starling::invariant_failed(#expression, __FILE__, __LINE__))

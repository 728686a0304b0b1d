#include "base/errors.hpp"

#include <fmt/format.h>

namespace starling {

void invariant_failed(const char* expression, const char* file, int line) {
  throw InvariantError(fmt::format("broken invariant: {} ({}:{})", expression, file, line));
}

}  // namespace starling

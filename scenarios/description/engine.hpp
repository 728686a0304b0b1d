#pragma once

#include <string>
#include <vector>

namespace starling {

/// Which network model answers when a message arrives.
enum class Engine { event, simgrid, tcp, fair };

/// As users write them, in the order of Engine.
inline const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names{"event", "simgrid", "tcp", "fair"};
  return names;
}

inline const std::string& engine_name(Engine engine) {
  return engine_names()[static_cast<std::size_t>(engine)];
}

/// Whether a collective may be evaluated at once where that is exact, or always runs message by message.
enum class CollectiveExecution { automatic, messages };

}  // namespace starling

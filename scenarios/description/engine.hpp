#pragma once

#include <string>
#include <vector>

namespace starling {

/// The network model, which computes when each message arrives.
enum class Engine { event, simgrid, tcp, fair };

/// The names of the engines in scenarios, in the order of Engine.
inline const std::vector<std::string>& engine_names() {
  static const std::vector<std::string> names{"event", "simgrid", "tcp", "fair"};
  return names;
}

inline const std::string& engine_name(Engine engine) {
  return engine_names()[static_cast<std::size_t>(engine)];
}

/// Whether collectives are evaluated at once where that is exact, or always run message by message.
enum class CollectiveExecution { automatic, messages };

}  // namespace starling

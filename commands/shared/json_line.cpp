#include "commands/shared/json_line.hpp"

#include <string>

#include "io/terminal/terminal.hpp"
#include "io/version.hpp"

namespace starling {

void print_json_line(const nlohmann::ordered_json& object) {
  nlohmann::ordered_json line{{"starling", std::string(version())}};
  line.update(object);
  print_json(line.dump() + "\n");
}

}  // namespace starling

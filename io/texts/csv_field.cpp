#include "io/texts/csv_field.hpp"

#include <fmt/format.h>

#include <cmath>

namespace starling {

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char character : text) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

std::string csv_field(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? fmt::format("{}", *number) : "";
}

}  // namespace starling

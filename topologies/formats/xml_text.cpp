#include "topologies/formats/xml_text.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/reject.hpp"

namespace starling {

XmlText::XmlText(const std::string& text, std::string name) : name_(std::move(name)) {
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
    line_ends_.push_back(static_cast<std::ptrdiff_t>(end));
  const pugi::xml_parse_result result = document_.load_buffer(text.data(), text.size());
  if (!result) reject("{}:{}: not XML: {}", name_, line_at(result.offset), result.description());
}

std::size_t XmlText::line_at(std::ptrdiff_t offset) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(line_ends_, offset) - line_ends_.begin()) + 1;
}

std::string XmlText::place(pugi::xml_node element) const {
  return fmt::format("{}:{}", name_, line_at(element.offset_debug()));
}

std::string XmlText::needed_attribute(pugi::xml_node element, const char* attribute) const {
  const pugi::xml_attribute found = element.attribute(attribute);
  if (!found) reject("{}: <{}> has no {}", place(element), element.name(), attribute);
  return found.value();
}

std::string xml_escaped(std::string_view text) {
  static const std::unordered_map<char, std::string> entities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string escaped;
  for (const char character : text) {
    const auto entity = entities.find(character);
    escaped += entity == entities.end() ? std::string(1, character) : entity->second;
  }
  return escaped;
}

}  // namespace starling

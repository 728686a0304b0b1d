#include "topologies/formats/xml_text.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/byte_order_mark.hpp"
#include "base/reject.hpp"

namespace starling {

XmlText::XmlText(const std::string& text, std::string name) : name_(std::move(name)) {
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 1))
    line_ends_.push_back(static_cast<std::ptrdiff_t>(end));
  // The parser would take the first zero byte for the end of the text.
  if (const std::size_t zero = text.find('\0'); zero != std::string::npos && !is_utf_16(text))
    reject("{}:{}: not XML: it contains a zero byte", name_, line_at(static_cast<std::ptrdiff_t>(zero)));
  const pugi::xml_parse_result result =
      document_.load_buffer(text.data(), text.size(), pugi::parse_default | pugi::parse_fragment);
  if (!result) reject("{}:{}: not XML: {}", name_, line_at(result.offset), result.description());
  check_one_element();
}

/// Parsed as a fragment, a document may have several root elements, none, or text around them; without
/// parse_fragment the parser would silently drop such text.
void XmlText::check_one_element() const {
  if (!root()) reject("{}:1: not XML: there is no element", name_);
  for (const pugi::xml_node node : document_.children())
    if (node != root())
      reject("{}: not XML: {} beside <{}>, which must contain everything", place(node), shown(node),
             root().name());
}

std::size_t XmlText::line_at(std::ptrdiff_t offset) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(line_ends_, offset) - line_ends_.begin()) + 1;
}

std::string XmlText::place(pugi::xml_node element) const {
  // The value of a text node includes the line breaks before it.
  const std::size_t blanks = std::string_view(element.value()).find_first_not_of(" \t\r\n");
  const std::ptrdiff_t begin = blanks == std::string_view::npos ? 0 : static_cast<std::ptrdiff_t>(blanks);
  return fmt::format("{}:{}", name_, line_at(element.offset_debug() + begin));
}

std::string XmlText::needed_attribute(pugi::xml_node element, const char* attribute) const {
  const pugi::xml_attribute found = element.attribute(attribute);
  if (!found) reject("{}: <{}> has no {}", place(element), element.name(), attribute);
  return found.value();
}

std::string shown(pugi::xml_node node) {
  return node.type() == pugi::node_element ? fmt::format("<{}>", node.name()) : "text";
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

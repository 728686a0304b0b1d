#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// An XML document that knows the lines of its elements.
class XmlText {
 public:
  /// `name` is what errors call the text. @throws std::invalid_argument with the line where it is no XML, or
  /// goes on after its one element.
  XmlText(const std::string& text, std::string name);

  const std::string& name() const { return name_; }
  /// The element at the top.
  pugi::xml_node root() const { return document_.document_element(); }
  /// "net.graphml:12".
  std::string place(pugi::xml_node element) const;
  /// An attribute that must be there. @throws std::invalid_argument if it is not.
  std::string needed_attribute(pugi::xml_node element, const char* attribute) const;

 private:
  std::size_t line_at(std::ptrdiff_t offset) const;
  void check_one_element() const;

  std::string name_;
  std::vector<std::ptrdiff_t> line_ends_;
  pugi::xml_document document_;
};

/// "<node>", or "text" between elements.
std::string shown(pugi::xml_node node);

/// The text with the characters that mean something in XML as entities.
std::string xml_escaped(std::string_view text);

}  // namespace starling

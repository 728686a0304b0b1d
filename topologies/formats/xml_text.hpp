#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace starling {

/// An XML document that knows the line number of each element.
class XmlText {
 public:
  /// `name` is what errors call the text. @throws std::invalid_argument with the line if it is not
  /// well-formed XML with a single root element.
  XmlText(const std::string& text, std::string name);

  const std::string& name() const { return name_; }
  /// The root element.
  pugi::xml_node root() const { return document_.document_element(); }
  /// File and line of an element, as in "net.graphml:12".
  std::string place(pugi::xml_node element) const;
  /// The value of a required attribute. @throws std::invalid_argument if it is absent.
  std::string needed_attribute(pugi::xml_node element, const char* attribute) const;

 private:
  std::size_t line_at(std::ptrdiff_t offset) const;
  void check_one_element() const;

  std::string name_;
  std::vector<std::ptrdiff_t> line_ends_;
  pugi::xml_document document_;
};

/// A node as errors show it: "<node>" for an element, else "text".
std::string shown(pugi::xml_node node);

/// The text with XML's special characters replaced by entities.
std::string xml_escaped(std::string_view text);

}  // namespace starling

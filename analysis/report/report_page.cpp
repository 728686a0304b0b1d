#include "analysis/report/report_page.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "base/errors.hpp"
#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"

namespace starling {
namespace {

/// The file of a module of Vega: beside Starling's data if it is there, else in the system's folder.
std::filesystem::path vega_module(const std::string& name) {
  const std::string file = name + ".min.js";
  for (const std::filesystem::path& folder :
       {data_directory() / "javascript" / "vega", std::filesystem::path(STARLING_VEGA_DIRECTORY)})
    if (std::filesystem::exists(folder / file)) return folder / file;
  throw std::runtime_error(fmt::format(
      "a report's charts are drawn by Vega, and {} is neither in {} nor in {}; Debian's package is "
      "libjs-vega",
      file, (data_directory() / "javascript" / "vega").string(), STARLING_VEGA_DIRECTORY));
}

/// A script that defines a module, whose code runs when another module first requires it.
std::string vega_script(const std::string& name) {
  return fmt::format("define_module('{}', function (exports, module, require) {{\n{}\n}});\n", name,
                     read_text_file(vega_module(name)));
}

std::filesystem::path page_directory() { return data_directory() / "analysis" / "report" / "page"; }

std::string script_text(const std::string& source) {
  std::string text =
      source.starts_with("vega-") ? vega_script(source) : read_text_file(page_directory() / source);
  STARLING_INVARIANT(text.find("</script") == std::string::npos);
  return fmt::format("<script>\n{}</script>\n", text);
}

/// The part of a line between two texts; empty if it does not have both.
std::string between(std::string_view line, std::string_view before, std::string_view after) {
  const std::size_t start = line.find(before);
  if (start == std::string_view::npos) return "";
  const std::size_t end = line.find(after, start + before.size());
  if (end == std::string_view::npos) return "";
  return std::string(line.substr(start + before.size(), end - start - before.size()));
}

/// A line of the page, in which a named style sheet or script, or the data, is replaced by its content.
std::string filled_in(std::string_view line, const nlohmann::json& data) {
  if (const std::string source = between(line, "<script src=\"", "\"></script>"); !source.empty())
    return script_text(source);
  if (const std::string source = between(line, "<link rel=\"stylesheet\" href=\"", "\">"); !source.empty())
    return fmt::format("<style>\n{}</style>\n", read_text_file(page_directory() / source));
  if (line.starts_with("<script id=\"data\""))
    return fmt::format("<script id=\"data\" type=\"application/json\">{}</script>\n", embedded_json(data));
  return std::string(line) + '\n';
}

}  // namespace

std::string page_text(const nlohmann::json& data) {
  const std::string page = read_text_file(page_directory() / "page.html");
  std::string text;
  for (std::size_t start = 0; start < page.size();) {
    const std::size_t end = std::min(page.find('\n', start), page.size());
    text += filled_in(std::string_view(page).substr(start, end - start), data);
    start = end + 1;
  }
  return text;
}

std::string embedded_json(const nlohmann::json& data) {
  const std::string plain = data.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  std::string text;
  for (const char character : plain) {
    if (character == '<')
      text += "\\u003c";
    else
      text += character;
  }
  return text;
}

}  // namespace starling

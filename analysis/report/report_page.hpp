#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace starling {

/// A self-contained HTML page: page/page.html with the style sheets and scripts that it names, the modules of
/// Vega (whose names begin with vega-), and the data. It opens from a file without a network. @throws
/// ScenarioError that names a file that cannot be read; std::runtime_error if Vega is not installed.
std::string page_text(const nlohmann::json& data);

/// JSON that is safe inside a script element: nothing in it ends the element, opens a comment or breaks a
/// line.
std::string embedded_json(const nlohmann::json& data);

}  // namespace starling

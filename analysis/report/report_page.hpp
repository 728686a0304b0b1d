#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace starling {

/// A page of HTML that holds all it needs: page/page.html with the style sheets and scripts that it names,
/// the modules of Vega (their names begin with vega-), and the data. Opens without a network from a file.
/// @throws ScenarioError that names the file if one of them cannot be read; std::runtime_error if Vega is not
/// installed.
std::string page_text(const nlohmann::json& data);

/// JSON that may stand in a script element: nothing in it ends the element, opens a comment or breaks a line.
std::string embedded_json(const nlohmann::json& data);

}  // namespace starling

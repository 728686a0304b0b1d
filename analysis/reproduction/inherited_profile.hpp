#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "io/scenario_error.hpp"

namespace starling {

/// The folder of the cluster profiles that come with Starling.
std::filesystem::path shipped_profiles();

using ProfileCheck = std::function<void(const std::filesystem::path& file)>;

/// A cluster profile's document, merged with what it inherits from the profile that its `base` names; the
/// document itself if it names none. The base is looked for in the same folder, then among the shipped
/// profiles, and may have a base of its own.
///
/// The cluster is merged into the base's (JSON merge patch, RFC 7386). Compute times replace those of the
/// base for the same match, model and batch size; software comes after the base's, and so takes precedence; a
/// roofline and a seed replace the base's. Parameters of the base remain only for values that the cluster
/// does not change: changed values need a source of their own. The document must meet the schema of cluster
/// profiles; `check` is called with the file of the base, and must throw if that is not valid, its own base
/// included. @throws ScenarioError if there is no such profile, or profiles inherit from each other in a
/// circle.
nlohmann::json with_inherited(const nlohmann::json& document, const std::filesystem::path& file,
                              const ProfileCheck& check);

/// Translates an error about `whole`, the document of a file merged with what it inherits: if it is about an
/// entry of a list, returns the same error with the file, and the place in it, in which that entry stands.
/// Else returns the error itself.
ScenarioError naming_source(const ScenarioError& error, const nlohmann::json& whole,
                            const nlohmann::json& document, const std::filesystem::path& file);

}  // namespace starling

#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "io/scenario_error.hpp"

namespace starling {

/// The folder of the cluster profiles that come with Starling.
std::filesystem::path shipped_profiles();

using ProfileCheck = std::function<void(const std::filesystem::path& file)>;

/// A cluster profile's document together with what it inherits from the profile that its `base` names, which
/// lies in the same folder, or else is a shipped one, and may have a base of its own; the same document if it
/// names none.
///
/// The cluster is merged into the base's (JSON merge patch, RFC 7386). Compute times replace those of the
/// base for the same match, model and batch size; software comes after the base's, so that it wins; a
/// roofline and a seed replace the base's. Of the base's parameters, those stay that say where values come
/// from that are still what they were: whatever the cluster changes needs a source of its own.
/// The document must meet the schema of cluster profiles; `check` is called for the file of the base, and
/// throws if that is not right, its own base included. @throws ScenarioError if there is no such profile, or
/// profiles inherit from each other in a circle.
nlohmann::json with_inherited(const nlohmann::json& document, const std::filesystem::path& file,
                              const ProfileCheck& check);

/// An error about that document of a file together with what it inherits, `whole`, whose lists begin with
/// what is inherited: the same of the file, and the place in it, where the entry of a list stands that it is
/// about.
ScenarioError naming_source(const ScenarioError& error, const nlohmann::json& whole,
                            const nlohmann::json& document, const std::filesystem::path& file);

}  // namespace starling

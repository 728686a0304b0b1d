#pragma once

#include <filesystem>

#include "io/json/json_reader.hpp"
#include "workloads/compute/compute_times.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// Reads a model file: layers in forward order with their tensors and floating-point work. Totals that the
/// file states must agree with its layers. @throws ScenarioError.
Model read_model_file(const std::filesystem::path& file);

/// Reads the model that the value at `place` names: a shipped one, or the path of a model file. @throws
/// ScenarioError.
Model read_model(const JsonPlace& place);

/// A reader of the keys of a profile. @throws ScenarioError for other keys.
ObjectReader profile_object(const nlohmann::json& document, const std::filesystem::path& file);

/// Reads a profile: measured seconds of every layer of `model`, in forward order. @throws ScenarioError, also
/// if the profile is one of another model or batch size.
MeasuredTimes read_profile_file(const std::filesystem::path& file, const Model& model, int batch_size);

/// Reads the profile that the value at `place` names: a shipped one, or the path of a profile file. @throws
/// ScenarioError.
MeasuredTimes read_profile(const JsonPlace& place, const Model& model, int batch_size);

}  // namespace starling

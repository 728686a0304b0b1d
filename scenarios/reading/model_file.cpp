#include "scenarios/reading/model_file.hpp"

#include <fmt/core.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "io/data_directory.hpp"
#include "io/json/input_file.hpp"
#include "io/json/json_text.hpp"
#include "io/json/schema.hpp"
#include "io/scenario_error.hpp"

namespace starling {

namespace {

/// More than any model has, and few enough that sums and byte counts stay exact in a double.
constexpr std::int64_t most_parameters = std::int64_t{1} << 46;
constexpr double most_flops = 1e24;

Tensor read_tensor(const JsonPlace& place, std::int64_t& parameters) {
  ObjectReader object(place, {"name", "elements"});
  Tensor tensor;
  tensor.name = object.text("name");
  tensor.elements = object.integer("elements", {1, most_parameters});
  parameters += tensor.elements;
  if (parameters > most_parameters)
    object.at("elements")
        .fail("the model has too many parameters", fmt::format("at most {} in all", most_parameters));
  return tensor;
}

Layer read_layer(const JsonPlace& place, Model& model, std::int64_t& parameters) {
  ObjectReader object(place, {"name", "type", "tensors", "forward_flops_per_sample"});
  Layer layer;
  layer.name = object.text("name");
  layer.type = object.has("type") ? object.text("type") : "";
  layer.first_tensor = static_cast<int>(model.tensors.size());
  for (const JsonPlace& tensor : object.at("tensors").elements())
    model.tensors.push_back(read_tensor(tensor, parameters));
  layer.tensors = static_cast<int>(model.tensors.size()) - layer.first_tensor;
  layer.forward_flops_per_sample =
      object.number("forward_flops_per_sample", {.least = 0, .greatest = most_flops});
  return layer;
}

/// Totals are documentation; one that contradicts the layers suggests that a layer is missing or wrong.
void check_totals(ObjectReader& object, const Model& model, std::int64_t parameters) {
  const auto tensors = static_cast<std::int64_t>(model.tensors.size());
  if (object.has("parameters") && object.integer("parameters", {1, most_parameters}) != parameters)
    object.at("parameters")
        .fail("does not agree with the layers", fmt::format("{}, the sum of their elements", parameters));
  if (object.has("tensors") && object.integer("tensors", {1, most_parameters}) != tensors)
    object.at("tensors").fail("does not agree with the layers",
                              fmt::format("{}, the number of their tensors", tensors));
  const auto flops = object.optional_number("forward_flops_per_sample", {.least = 0, .greatest = most_flops});
  const double sum = model.forward_flops_per_sample;
  constexpr double rounding = 1e-9;  // of sums in another order
  if (flops && std::abs(*flops - sum) > rounding * sum)
    object.at("forward_flops_per_sample")
        .fail("does not agree with the layers", fmt::format("{}, their sum", sum));
}

/// Parses a model file. Errors of syntax say that a model file is JSON, for users who name a file of another
/// format, such as CSV.
nlohmann::json parse_model(const std::string& text, const std::string& file) {
  try {
    return parse_json(text, file);
  } catch (const ScenarioError& error) {
    ScenarioError::Description description = error.description();
    if (description.place.starts_with('/')) throw;  // it is JSON, but a key appears twice
    description.problem =
        fmt::format("a model file is JSON, see \"Files that a scenario names\" in scenarios/reference.md: {}",
                    description.problem);
    throw ScenarioError(description);
  }
}

/// The model of a file with this text.
Model model_of(const std::string& text, const std::string& file) {
  const nlohmann::json document = parse_model(text, file);
  ObjectReader object(JsonPlace(document, file),
                      {"name", "source", "input", "parameters", "tensors", "forward_flops_per_sample",
                       "forward_macs_per_sample", "flops_rule", "notes", "layers"});
  Model model;
  model.name = object.text("name");
  model.source = object.has("source") ? object.text("source") : "";
  std::int64_t parameters = 0;
  for (const JsonPlace& layer : object.at("layers").elements(1)) {
    model.layers.push_back(read_layer(layer, model, parameters));
    model.forward_flops_per_sample += model.layers.back().forward_flops_per_sample;
  }
  if (model.tensors.empty()) object.at("layers").fail("no layer has a tensor", "at least one tensor in all");
  check_totals(object, model, parameters);
  validate_against_schema(document, "model", file);
  return model;
}

}  // namespace

Model read_model_file(const std::filesystem::path& file) {
  // Studies read the same model for every run; parsing it each time would take longer than many of the runs.
  struct ReadModel {
    std::filesystem::path file;
    std::string text;
    Model model;
  };
  thread_local ReadModel last;
  std::string text = read_text_file(file);
  if (last.file != file || last.text != text) {
    Model model = model_of(text, file.string());
    last = {file, std::move(text), std::move(model)};
  }
  return last.model;
}

Model read_model(const JsonPlace& place) {
  return read_model_file(shipped_or_own_file(place, model_directory(), "model"));
}

ObjectReader profile_object(const nlohmann::json& document, const std::filesystem::path& file) {
  return {JsonPlace(document, file.string()), {"model", "batch_size", "source", "notes", "layers"}};
}

MeasuredTimes read_profile_file(const std::filesystem::path& file, const Model& model, int batch_size) {
  const nlohmann::json document = parse_json(read_text_file(file), file.string());
  ObjectReader object = profile_object(document, file);
  if (object.text("model") != model.name)
    object.at("model").fail("profile of another model", fmt::format("\"{}\"", model.name));
  if (object.small_integer("batch_size", {1}) != batch_size)
    object.at("batch_size")
        .fail("profile at another batch size", fmt::format("{}, the workload's batch_size", batch_size));

  const auto layers = object.at("layers").elements();
  if (layers.size() != model.layers.size())
    throw ScenarioError({file.string(), "/layers", "wrong number of layers", fmt::format("{}", layers.size()),
                         fmt::format("{}, those of model {}", model.layers.size(), model.name)});
  MeasuredTimes times;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    ObjectReader layer(layers[i], {"name", "forward", "backward"});
    if (layer.text("name") != model.layers[i].name)
      layer.at("name").fail("not the model's layer at this place",
                            fmt::format("\"{}\"", model.layers[i].name));
    times.forward_s.push_back(layer.quantity("forward", Dimension::time));
    times.backward_s.push_back(layer.quantity("backward", Dimension::time));
  }
  validate_against_schema(document, "profile", file.string());
  return times;
}

MeasuredTimes read_profile(const JsonPlace& place, const Model& model, int batch_size) {
  return read_profile_file(shipped_or_own_file(place, profile_directory(), "profile"), model, batch_size);
}

}  // namespace starling

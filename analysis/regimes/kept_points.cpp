#include "analysis/regimes/kept_points.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<Sampling>& sampling) {
  if (!sampling) return nullptr;
  const std::optional<Drift>& drift_s = sampling->drift_s;
  return {{"value", sampling->mean_s.value},
          {"standard_error", sampling->mean_s.standard_error},
          {"degrees_of_freedom", sampling->mean_s.degrees_of_freedom},
          {"sample_s", sampling->sample_s.values},
          {"period", sampling->sample_s.period},
          {"least_batch", sampling->sample_s.least_length},
          {"iterations", sampling->sample_s.iterations},
          {"are_independent", sampling->sample_s.are_independent},
          {"drift_s", drift_s ? Json::array({drift_s->first, drift_s->last}) : Json(nullptr)}};
}

/// Reads a count. @throws std::out_of_range if keep() cannot have written it.
std::size_t count_of(const Json& document, const char* key) {
  constexpr std::int64_t most = std::int64_t{1} << 41;
  const auto count = document.at(key).get<std::int64_t>();
  if (count < 1 || count > most) throw std::out_of_range(key);
  return static_cast<std::size_t>(count);
}

/// Reads a mean iteration time. @throws std::out_of_range if keep() cannot have written it.
SampleEstimate kept_mean(const Json& document) {
  const SampleEstimate mean_s{.value = document.at("value").get<double>(),
                              .standard_error = document.at("standard_error").get<double>(),
                              .degrees_of_freedom = document.at("degrees_of_freedom").get<int>()};
  if (!(mean_s.value > 0)) throw std::out_of_range("value");
  if (!(mean_s.standard_error >= 0)) throw std::out_of_range("standard_error");
  if (mean_s.degrees_of_freedom < 0) throw std::out_of_range("degrees_of_freedom");
  return mean_s;
}

std::optional<Drift> kept_drift(const Json& document) {
  if (document.is_null()) return std::nullopt;
  return Drift{.first = document.at(0).get<double>(), .last = document.at(1).get<double>()};
}

std::optional<Sampling> kept_sampling(const Json& document) {
  if (document.is_null()) return std::nullopt;
  return Sampling{.mean_s = kept_mean(document),
                  .sample_s = {.values = document.at("sample_s").get<std::vector<double>>(),
                               .period = count_of(document, "period"),
                               .least_length = count_of(document, "least_batch"),
                               .iterations = count_of(document, "iterations"),
                               .are_independent = document.at("are_independent").get<bool>()},
                  .drift_s = kept_drift(document.at("drift_s"))};
}

/// The validity of that name. @throws std::out_of_range if there is none.
ModelValidity validity_of(const std::string& name) {
  for (const auto validity : {ModelValidity::exact, ModelValidity::estimate, ModelValidity::lower_bound})
    if (name_of(validity) == name) return validity;
  throw std::out_of_range(name);
}

Json json_of(const RegimeTime& time) {
  return {{"label", time.label},
          {"model_s", json_of(time.model)},
          {"validity", name_of(time.validity)},
          {"simulated_s", json_of(time.simulated)}};
}

RegimeTime time_of(const Json& document) {
  return {.label = document.at("label").get<std::string>(),
          .model = kept_sampling(document.at("model_s")),
          .validity = validity_of(document.at("validity").get<std::string>()),
          .simulated = kept_sampling(document.at("simulated_s"))};
}

}  // namespace

std::optional<std::vector<RegimeTime>> KeptPoints::find(const std::string& key) const {
  const Json found = lines_.find(key);
  if (!found.is_array()) return std::nullopt;
  try {
    std::vector<RegimeTime> times;
    for (const Json& time : found) times.push_back(time_of(time));
    return times;
  } catch (const Json::exception&) {
  } catch (const std::out_of_range&) {
  }
  return std::nullopt;
}

void KeptPoints::keep(const std::string& key, const std::vector<RegimeTime>& times) {
  Json found = Json::array();
  for (const RegimeTime& time : times) found.push_back(json_of(time));
  lines_.keep(key, found);
}

}  // namespace starling

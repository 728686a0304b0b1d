#include "analysis/regimes/kept_points.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace starling {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<SampleEstimate>& estimate) {
  if (!estimate) return nullptr;
  return {{"value", estimate->value},
          {"standard_error", estimate->standard_error},
          {"degrees_of_freedom", estimate->degrees_of_freedom}};
}

std::optional<SampleEstimate> estimate_of(const Json& document) {
  if (document.is_null()) return std::nullopt;
  return SampleEstimate{.value = document.at("value").get<double>(),
                        .standard_error = document.at("standard_error").get<double>(),
                        .degrees_of_freedom = document.at("degrees_of_freedom").get<int>()};
}

/// @throws std::out_of_range if it is none.
ModelValidity validity_of(const std::string& name) {
  for (const auto validity : {ModelValidity::exact, ModelValidity::estimate, ModelValidity::lower_bound})
    if (name_of(validity) == name) return validity;
  throw std::out_of_range(name);
}

Json json_of(const RegimeTime& time) {
  return {{"label", time.label},
          {"model_s", json_of(time.model_s)},
          {"validity", name_of(time.validity)},
          {"simulated_s", json_of(time.simulated_s)}};
}

RegimeTime time_of(const Json& document) {
  return {.label = document.at("label").get<std::string>(),
          .model_s = estimate_of(document.at("model_s")),
          .validity = validity_of(document.at("validity").get<std::string>()),
          .simulated_s = estimate_of(document.at("simulated_s"))};
}

}  // namespace

KeptPoints::KeptPoints(const std::optional<std::filesystem::path>& file) {
  if (!file) return;
  const bool is_whole = read(*file);
  lines_ = OutputFile::appending(*file);
  if (!is_whole) lines_->write("\n");
}

/// False if the last line was not written to its end.
bool KeptPoints::read(const std::filesystem::path& file) {
  bool is_whole = true;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    is_whole = !lines.eof();
    try {
      const Json document = Json::parse(line);
      std::vector<RegimeTime> times;
      for (const Json& time : document.at("algorithms")) times.push_back(time_of(time));
      times_[document.at("point").get<std::string>()] = std::move(times);
    } catch (const Json::exception&) {
      continue;
    } catch (const std::out_of_range&) {
      continue;
    }
  }
  return is_whole;
}

std::optional<std::vector<RegimeTime>> KeptPoints::find(const std::string& key) const {
  const auto found = times_.find(key);
  return found == times_.end() ? std::nullopt : std::optional(found->second);
}

void KeptPoints::keep(const std::string& key, const std::vector<RegimeTime>& times) {
  if (!lines_) return;
  Json document = {{"point", key}, {"algorithms", Json::array()}};
  for (const RegimeTime& time : times) document["algorithms"].push_back(json_of(time));
  const std::lock_guard lock(mutex_);
  lines_->write(document.dump() + "\n");
  lines_->flush();
}

}  // namespace starling

#include "analysis/reproduction/inherited_profile.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "io/data_directory.hpp"
#include "io/json_reader.hpp"
#include "io/json_text.hpp"

namespace starling {

using nlohmann::json;

namespace {

/// The base that a document names.
std::filesystem::path base_of(const json& document, const std::filesystem::path& file) {
  const JsonPlace base(document.at("base"), file.string(), "/base");
  const std::filesystem::path folder = file.parent_path();
  return folder / (read_choice(base, json_names(folder), "cluster profile") + ".json");
}

bool has_base(const json& document) { return document.is_object() && document.contains("base"); }

json read(const std::filesystem::path& file) { return parse_json(read_text_file(file), file.string()); }

void refuse_circle(json document, std::filesystem::path file) {
  std::set<std::filesystem::path> heirs;
  while (has_base(document)) {
    heirs.insert(file);
    const std::filesystem::path base = base_of(document, file);
    if (heirs.contains(base))
      JsonPlace(document.at("base"), file.string(), "/base")
          .fail("profiles inherit from each other in a circle", "a profile that stands on its own");
    file = base;
    document = read(file);
  }
}

bool is_same_work(const json& one, const json& other) {
  return std::ranges::all_of(std::vector<std::string>{"match", "model", "batch_size"}, [&](const auto& key) {
    return one.value(key, json()) == other.value(key, json());
  });
}

json joined(json all, const json& own) {
  all.insert(all.end(), own.begin(), own.end());
  return all;
}

json without_replaced(const json& inherited, const json& own) {
  json kept = json::array();
  for (const json& compute : inherited)
    if (std::ranges::none_of(own, [&](const json& mine) { return is_same_work(compute, mine); }))
      kept.push_back(compute);
  return kept;
}

/// Those parameters whose values the cluster has not changed.
json still_true(const json& parameters, const json& before, const json& after) {
  json kept = json::array();
  for (const json& parameter : parameters) {
    const json::json_pointer pointer(parameter.at("pointer").get<std::string>());
    if (after.contains(pointer) && after.at(pointer) == before.at(pointer)) kept.push_back(parameter);
  }
  return kept;
}

json inherit(const json& base, const json& own) {
  json whole = base;
  whole["cluster"].merge_patch(own.value("cluster", json::object()));
  for (const auto& [key, value] : own.items())
    if (key != "cluster" && key != "base") whole[key] = value;
  const json compute = own.value("compute", json::array());
  whole["compute"] = joined(without_replaced(base.value("compute", json::array()), compute), compute);
  whole["software"] = joined(base.value("software", json::array()), own.value("software", json::array()));
  whole["parameters"] = joined(still_true(base.value("parameters", json::array()), base, whole),
                               own.value("parameters", json::array()));
  return whole;
}

json merged(const json& document, const std::filesystem::path& file, const ProfileCheck& check) {
  if (!has_base(document)) return document;
  const std::filesystem::path base = base_of(document, file);
  check(base);
  return inherit(merged(read(base), base, check), document);
}

}  // namespace

json with_inherited(const json& document, const std::filesystem::path& file, const ProfileCheck& check) {
  refuse_circle(document, file);
  return merged(document, file, check);
}

}  // namespace starling

#include "analysis/reproduction/inherited_profile.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "io/data_directory.hpp"
#include "io/json_reader.hpp"
#include "io/json_text.hpp"

namespace starling {

using nlohmann::json;

namespace {

/// A profile's file and what it says itself.
struct Source {
  std::filesystem::path file;
  json document;
};

bool has_base(const json& document) { return document.is_object() && document.contains("base"); }

/// Where a profile of that name is: in the folder, or among those shipped.
std::filesystem::path base_of(const JsonPlace& base, const std::filesystem::path& folder) {
  const std::filesystem::path shipped = shipped_profiles();
  const std::vector<std::string> own = json_names(folder);
  std::vector<std::string> names = own;
  if (std::filesystem::is_directory(shipped))
    std::ranges::copy(json_names(shipped), std::back_inserter(names));
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  const std::string name = read_choice(base, names, "cluster profile");
  return (std::ranges::find(own, name) != own.end() ? folder : shipped) / (name + ".json");
}

/// A profile, its base, the base of that, and so on.
std::vector<Source> chain_of(const json& document, const std::filesystem::path& file) {
  std::vector<Source> chain{{file, document}};
  while (has_base(chain.back().document)) {
    const Source& heir = chain.back();
    const JsonPlace base(heir.document.at("base"), heir.file.string(), "/base");
    const auto found = base_of(base, heir.file.parent_path());
    if (std::ranges::find(chain, found, &Source::file) != chain.end())
      base.fail("profiles inherit from each other in a circle", "a profile that stands on its own");
    json inherited = parse_json(read_text_file(found), found.string());
    chain.push_back({found, std::move(inherited)});
  }
  return chain;
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

}  // namespace

std::filesystem::path shipped_profiles() { return data_directory() / "scenarios" / "clusters"; }

json with_inherited(const json& document, const std::filesystem::path& file, const ProfileCheck& check) {
  const std::vector<Source> chain = chain_of(document, file);
  if (chain.size() > 1) check(chain[1].file);
  json whole = chain.back().document;
  for (std::size_t i = chain.size() - 1; i > 0; --i) whole = inherit(whole, chain[i - 1].document);
  return whole;
}

}  // namespace starling

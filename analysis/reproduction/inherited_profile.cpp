#include "analysis/reproduction/inherited_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/data_directory.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/json_text.hpp"
#include "io/options/reader.hpp"

namespace starling {

using nlohmann::json;

namespace {

/// A profile's file and its own document.
struct Source {
  std::filesystem::path file;
  json document;
};

bool has_base(const json& document) { return document.is_object() && document.contains("base"); }

/// The file of the profile with that name: in the folder, or else among the shipped ones.
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

/// A profile, its base, the base of its base, and so on.
std::vector<Source> chain_of(const json& document, const std::filesystem::path& file) {
  std::vector<Source> chain{{file, document}};
  while (has_base(chain.back().document)) {
    const Source& heir = chain.back();
    const JsonPlace base(heir.document.at("base"), heir.file.string(), "/base");
    const auto found = base_of(base, heir.file.parent_path());
    if (std::ranges::find(chain, found, &Source::file) != chain.end())
      base.fail("profiles inherit from each other in a cycle",
                "a profile that does not inherit from this one");
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

/// Adds a parameter to `kept` if the cluster has not changed its values. Of an object that has changed in
/// part, adds a parameter for each unchanged part.
void add_still_true(json parameter, const json& before, const json& after, json& kept) {
  const std::string pointer = parameter.at("pointer");
  const json old = value_at(before, pointer);
  const json now = value_at(after, pointer);
  if (now == old) return kept.push_back(std::move(parameter));
  if (!old.is_object() || !now.is_object() || is_uncertain(old)) return;
  for (const auto& item : old.items()) {
    if (!now.contains(item.key())) continue;
    parameter["pointer"] = pointer_to(pointer, item.key());
    add_still_true(parameter, before, after, kept);
  }
}

json still_true(const json& parameters, const json& before, const json& after) {
  json kept = json::array();
  for (const json& parameter : parameters) add_still_true(parameter, before, after, kept);
  return kept;
}

/// A place in an entry of one of a profile's lists: "/parameters", "4" and "/pointer".
struct EntryPlace {
  std::string list;
  std::string number;
  std::string inside;
};

std::optional<EntryPlace> entry_place_of(const std::string& place) {
  for (const std::string list : {"/compute", "/software", "/parameters"}) {
    if (!place.starts_with(list + "/")) continue;
    const std::size_t number = list.size() + 1;
    const std::size_t end = std::min(place.find('/', number), place.size());
    return EntryPlace{list, place.substr(number, end - number), place.substr(end)};
  }
  return std::nullopt;
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

ScenarioError naming_source(const ScenarioError& error, const json& whole, const json& document,
                            const std::filesystem::path& file) {
  ScenarioError::Description description = error.description();
  const std::optional<EntryPlace> place = entry_place_of(description.place);
  if (!has_base(document) || description.file != file.string() || !place) return error;
  const json entry = value_at(whole, place->list + "/" + place->number);
  for (const Source& source : chain_of(document, file)) {
    const json list = value_at(source.document, place->list);
    const auto found = std::find(list.begin(), list.end(), entry);
    if (found == list.end()) continue;
    description.file = source.file.string();
    description.place =
        pointer_to(place->list, static_cast<std::size_t>(found - list.begin())) + place->inside;
    if (source.file != file)
      description.problem += fmt::format(", inherited by {}", file.filename().string());
    return ScenarioError(description);
  }
  return error;
}

}  // namespace starling

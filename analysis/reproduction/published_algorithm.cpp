#include "analysis/reproduction/published_algorithm.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "analysis/reproduction/not_comparable.hpp"
#include "io/json/json_reader.hpp"
#include "scenarios/description/algorithm_description.hpp"

namespace starling {

using nlohmann::json;

namespace {

/// Published options without an influence on time: they choose a program or an optimizer's arithmetic, or
/// something so rare that its time does not count.
const std::set<std::string> options_without_time = {"library", "optimizer", "model_sync_epochs"};

struct Renamed {
  std::string_view kind;
  std::string_view published;
  std::string_view key;
};

constexpr std::array<Renamed, 5> renamed_options{{{"wagma", "S", "group_size"},
                                                  {"wagma", "tau", "sync_period"},
                                                  {"local_sgd", "tau", "period"},
                                                  {"dpsgd", "topology", "graph"},
                                                  {"sgp", "neighbors", "neighbors"}}};

json with_kind(const std::string& kind) {
  static const std::map<std::string, std::string> graphs = {
      {"decentralized_adam_complete", "complete"},
      {"decentralized_adam_ring", "one_peer_ring"},
      {"decentralized_adam_exp", "one_peer_exponential"},
      {"decentralized_adam_aer", "alternating_exponential_ring"},
  };
  const auto graph = graphs.find(kind);
  const std::string known_as = graph == graphs.end() ? kind : "decentralized_adam";
  json algorithm{{"kind", known_as}};
  if (graph != graphs.end()) algorithm["graph"] = graph->second;
  const auto& known = algorithm_kinds();
  if (std::find(known.begin(), known.end(), known_as) == known.end())
    throw NotComparable(fmt::format("Starling has no algorithm {}", kind));
  return algorithm;
}

/// Whether the option has the value that the algorithm implies anyway.
bool goes_without_saying(const std::string& kind, const std::string& option, const json& value) {
  if (kind == "dpsgd")
    return (option == "neighbors" && value == 2) || (option == "communication_steps" && value == 1);
  return kind == "sgp" && option == "topology" && value == "one_peer_exponential";
}

void translate(const std::string& kind, const std::string& option, const json& value, json& algorithm) {
  if (option == "kind" || options_without_time.contains(option) || goes_without_saying(kind, option, value))
    return;
  for (const Renamed& renamed : renamed_options) {
    if (renamed.kind != kind || renamed.published != option) continue;
    algorithm[std::string(renamed.key)] = value;
    return;
  }
  if (option == "sync_every" && value.is_number_integer() && value >= 1)
    algorithm["limiter"] = value.get<std::int64_t>() - 1;
  else if (option == "groups" && value == "fixed")
    algorithm["fixed_groups"] = true;
  else if (option_keys(algorithm.at("kind").get<std::string>()).contains(option))
    algorithm[option] = value;  // scenarios call it the same
  else
    throw NotComparable(fmt::format("{} with \"{}\": {} is not modeled", kind, option, shown(value)));
}

}  // namespace

json scenario_algorithm(const json& published) {
  const auto kind = published.at("kind").get<std::string>();
  json algorithm = with_kind(kind);
  for (const auto& [option, value] : published.items()) translate(kind, option, value, algorithm);
  return algorithm;
}

}  // namespace starling

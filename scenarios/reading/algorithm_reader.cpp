#include "scenarios/reading/algorithm_reader.hpp"

#include <fmt/core.h>

#include <set>

#include "io/options/reader.hpp"

namespace starling {

namespace {

/// "ddp", or if that is taken "ddp-2", "ddp-3" …
std::string free_label(std::string_view kind, const std::set<std::string>& taken) {
  std::string label(kind);
  for (int number = 2; taken.contains(label); ++number) label = fmt::format("{}-{}", kind, number);
  return label;
}

/// The labels that the scenario gives. @throws ScenarioError if one appears twice.
std::set<std::string> given_labels(const std::vector<ScenarioAlgorithm>& algorithms, const JsonPlace& place) {
  std::set<std::string> given;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    if (algorithms[i].label.empty() || given.insert(algorithms[i].label).second) continue;
    place.elements()[i].inside("label").fail("this label appears twice", "a label of its own");
  }
  return given;
}

void require_even_hosts(const JsonPlace& place, const nlohmann::ordered_json& as_read) {
  if (as_read.value("collective", "") == "hierarchical")
    place.inside("collective")
        .fail("needs equally many workers on every host",
              "another collective, or \"workers\" a multiple of \"workers_per_host\"");
}

}  // namespace

void complete_algorithms(std::vector<ScenarioAlgorithm>& algorithms, const JsonPlace& place,
                         nlohmann::ordered_json& as_read, bool workers_are_even) {
  std::set<std::string> taken = given_labels(algorithms, place);
  const auto places = place.elements();
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    ScenarioAlgorithm& algorithm = algorithms[i];
    if (algorithm.label.empty()) algorithm.label = free_label(algorithm.options.kind(), taken);
    taken.insert(algorithm.label);
    complete_algorithm(algorithm, places[i], as_read.at(i), workers_are_even);
  }
}

void complete_algorithm(ScenarioAlgorithm& algorithm, const JsonPlace& place, nlohmann::ordered_json& as_read,
                        bool workers_are_even) {
  if (!workers_are_even) require_even_hosts(place, as_read);
  if (algorithm.label.empty()) algorithm.label = algorithm.options.kind();
  as_read.at("label") = algorithm.label;
  algorithm.as_read = as_read;
}

ScenarioAlgorithm read_algorithm(const JsonPlace& place, std::uint64_t seed, bool workers_are_even) {
  ScenarioAlgorithm algorithm;
  algorithm.as_read =
      read_options(place, [&](OptionVisitor& visitor) { describe(algorithm, visitor); }, {.seed = &seed});
  if (!workers_are_even) require_even_hosts(place, algorithm.as_read);
  return algorithm;
}

}  // namespace starling

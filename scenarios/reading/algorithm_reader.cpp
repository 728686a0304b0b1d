#include "scenarios/reading/algorithm_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <utility>

#include "algorithms/training/registry.hpp"
#include "io/options/reader.hpp"

namespace starling {

namespace {

constexpr std::size_t longest_label = 80;
constexpr std::size_t most_algorithms = 1000;

std::string read_label(const JsonPlace& place) {
  std::string label = place.text();
  const bool has_control =
      std::any_of(label.begin(), label.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (has_control || label.size() > longest_label)
    place.fail("not a label", fmt::format("at most {} bytes on one line", longest_label));
  return label;
}

ScenarioAlgorithm read_algorithm(const JsonPlace& place, const std::string& label,
                                 const AlgorithmContext& context, std::vector<std::string>& warnings) {
  ScenarioAlgorithm algorithm{label, registered_algorithms().front().defaults, {}};
  algorithm.as_read = read_options(place, [&](OptionVisitor& visitor) { describe(algorithm, visitor); },
                                   {.seed = context.seed, .warnings = &warnings});
  if (!context.workers_are_even && algorithm.as_read.value("collective", "") == "hierarchical")
    JsonPlace(place.value().at("collective"), place.file(), place.pointer() + "/collective")
        .fail("needs as many workers on every host",
              "another collective, or \"workers\" a multiple of \"workers_per_host\"");
  return algorithm;
}

/// The labels that are given, at their places; empty where there is none.
std::vector<std::string> given_labels(const std::vector<JsonPlace>& places) {
  std::vector<std::string> labels;
  std::set<std::string> seen;
  for (const JsonPlace& place : places) {
    labels.emplace_back();
    if (!place.value().is_object() || !place.value().contains("label")) continue;
    const JsonPlace label(place.value().at("label"), place.file(), place.pointer() + "/label");
    labels.back() = read_label(label);
    if (!seen.insert(labels.back()).second) label.fail("this label appears twice", "a label of its own");
  }
  return labels;
}

/// "ddp", or if that is taken "ddp-2", "ddp-3" …
std::string free_label(const std::string& kind, const std::set<std::string>& taken) {
  std::string label = kind;
  for (int number = 2; taken.contains(label); ++number) label = fmt::format("{}-{}", kind, number);
  return label;
}

}  // namespace

void describe(ScenarioAlgorithm& algorithm, OptionVisitor& visitor) {
  Kinds kinds{
      .noun = "algorithm",
      .all = {},
      .current = [&] { return std::string(algorithm.options.kind()); },
      .become =
          [&](std::string_view kind) {
            algorithm.options =
                std::ranges::find(registered_algorithms(), kind, &RegisteredAlgorithm::kind)->defaults;
          },
      .describe =
          [&](OptionVisitor& inner) {
            inner.text({"label", "how results call it; at most 80 bytes, unique",
                        "the kind, with -2, -3 … where that is taken"},
                       algorithm.label);
            algorithm.options.describe_options(inner);
          }};
  for (const RegisteredAlgorithm& known : registered_algorithms())
    kinds.all.push_back({std::string(known.kind()), known.summary});
  visitor.kind(kinds);
}

std::vector<std::string> algorithm_kinds() {
  std::vector<std::string> kinds;
  for (const RegisteredAlgorithm& known : registered_algorithms()) kinds.emplace_back(known.kind());
  return kinds;
}

std::vector<ScenarioAlgorithm> read_algorithms(const JsonPlace& place, const AlgorithmContext& context,
                                               std::vector<std::string>& warnings) {
  if (place.value().size() > most_algorithms)
    place.fail("too many", fmt::format("at most {}", most_algorithms));
  const auto places = place.elements(1);
  const auto labels = given_labels(places);
  std::set<std::string> taken(labels.begin(), labels.end());
  std::vector<ScenarioAlgorithm> algorithms;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string kind = read_kind(places[i], "algorithm", algorithm_kinds());
    const std::string label = labels[i].empty() ? free_label(kind, taken) : labels[i];
    taken.insert(label);
    algorithms.push_back(read_algorithm(places[i], label, context, warnings));
  }
  return algorithms;
}

}  // namespace starling

#include "scenarios/description/algorithm_description.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/texts/plain_text.hpp"

namespace starling {
namespace {

constexpr std::size_t longest_label = 80;
constexpr std::size_t most_algorithms = 1000;

/// An empty label is allowed: it is not known yet, and is given later.
bool is_label(const std::string& label) { return label.size() <= longest_label && !has_control_bytes(label); }

}  // namespace

void describe_algorithms(std::vector<ScenarioAlgorithm>& algorithms, OptionVisitor& visitor) {
  visitor.list({"algorithms", "algorithms to compare; speedups are relative to the first",
                "none where there are `jobs`"},
               algorithms, {.least = 1, .greatest = most_algorithms, .noun = "algorithms"});
}

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
            inner.text({"label", "name in results; at most 80 bytes, unique",
                        "the kind, with -2, -3 … where that is taken"},
                       algorithm.label);
            inner.require(is_label(algorithm.label), "label", "not a label",
                          fmt::format("at most {} bytes on one line", longest_label));
            algorithm.options.describe_options(inner);
          }};
  for (const RegisteredAlgorithm& known : registered_algorithms())
    kinds.all.push_back({std::string(known.kind()), known.summary});
  visitor.kind(kinds);
}

std::set<std::string> option_keys(std::string_view kind) {
  class KeyLister final : public OptionVisitor {
   public:
    std::set<std::string> keys;

   protected:
    void on_option(const Option& option) override { keys.emplace(option.key); }
  };
  TrainingOptions options =
      std::ranges::find(registered_algorithms(), kind, &RegisteredAlgorithm::kind)->defaults;
  KeyLister lister;
  options.describe_options(lister);
  return lister.keys;
}

std::vector<std::string> algorithm_kinds() {
  std::vector<std::string> kinds;
  for (const RegisteredAlgorithm& known : registered_algorithms()) kinds.emplace_back(known.kind());
  return kinds;
}

}  // namespace starling

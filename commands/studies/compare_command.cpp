#include "commands/studies/compare_command.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "analysis/comparison/comparison_text.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

SavedResult read_comparable(const std::string& folder) {
  SavedResult result = read_result(folder);
  if (result.has_jobs())
    throw ScenarioError({result.file.string(), "/jobs", "results of several jobs cannot be compared", "",
                         "results of scenarios with algorithms"});
  if (const std::string text = other_version_text(result.document); !text.empty())
    warn(fmt::format("{}: {}: results of two versions may differ for other reasons than their scenarios",
                     result.file.string(), text));
  return result;
}

}  // namespace

void add_compare(CommandLine& line) {
  const auto arguments = std::make_shared<CompareArguments>();
  Command compare = line.add_command("compare", "Compare results: what differs, and why");
  compare.add_words("DIR", &arguments->results,
                    "Two results or more, simulated or measured; the first is the base");
  compare.add_flag("--json", arguments->is_json, "Print JSON in place of tables");
  compare.set_footer(
      "Differences are between means over iterations. Where both results count the same iterations of one "
      "seed, or have runs of the same seeds, these are compared in pairs, so that what they have in common "
      "does not widen the interval.\n"
      "Example:\n"
      "  starling compare results/predicted results/measured");
  compare.does(arguments, compare_command);
}

void compare_command(const CompareArguments& arguments) {
  if (arguments.results.size() < 2) throw UsageError("compare needs two results or more");
  std::vector<SavedResult> results;
  for (const std::string& folder : arguments.results) results.push_back(read_comparable(folder));
  const Comparison comparison = compare_results(results);
  if (arguments.is_json)
    print_json(comparison_json(comparison).dump(2) + "\n");
  else
    print_out(comparison_table(comparison));
}

}  // namespace starling

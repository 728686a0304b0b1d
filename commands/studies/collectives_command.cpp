#include "commands/studies/collectives_command.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>

#include "analysis/collectives/allreduce_times.hpp"
#include "analysis/collectives/allreduce_times_text.hpp"
#include "base/texts/near_key.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/json_line.hpp"
#include "commands/studies/study_options.hpp"
#include "io/json/json_reader.hpp"
#include "io/json/overrides.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {
namespace {

constexpr const char* default_sizes = "1KiB,4KiB,16KiB,64KiB,256KiB,1MiB,4MiB,16MiB,64MiB,256MiB,1GiB";

std::vector<std::string> words_between_commas(const std::string& text) {
  std::istringstream rest(text + ",");
  std::vector<std::string> words;
  for (std::string word; std::getline(rest, word, ',');) words.push_back(word);
  return words;
}

std::vector<std::int64_t> allreduce_sizes(const std::string& text) {
  constexpr Range range{.least = bytes_of_float, .greatest = 1e15};
  std::vector<std::int64_t> sizes;
  for (const std::string& word : words_between_commas(text)) {
    const nlohmann::json value = json_or_text(word, "--bytes");
    const JsonPlace place(value, "--bytes");
    const double bytes = place.quantity(Dimension::size, range);
    if (std::fmod(bytes, bytes_of_float) != 0)
      place.fail("no whole number of floats", fmt::format("a multiple of {} bytes", bytes_of_float));
    const auto size = static_cast<std::int64_t>(bytes);
    if (std::ranges::find(sizes, size) != sizes.end()) place.fail("a size appears twice", "each size once");
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<std::string> chosen_collectives(const std::string& text) {
  const std::vector<std::string> all = allreduce_collectives();
  std::vector<std::string> words = words_between_commas(text);
  for (const std::string& word : words)
    if (std::ranges::find(all, word) == all.end())
      throw UsageError(fmt::format("--collectives: there is no collective \"{}\"{}; there are {}", word,
                                   suggestion(word, all), fmt::join(all, ", ")));
  for (const std::string& word : words)
    if (std::ranges::count(words, word) > 1)
      throw UsageError(fmt::format("--collectives: \"{}\" appears twice; give each collective once", word));
  return words;
}

}  // namespace

void add_collectives(CommandLine& line) {
  const auto arguments = std::make_shared<CollectivesArguments>();
  Command collectives = line.add_command(
      "collectives", "Predict the time of a cluster's all-reduces by size, as all_reduce_perf prints it");
  add_scenario(collectives, arguments->file, "FILE", "or a file with a cluster, ");
  add_engine(collectives, arguments->engine, "Network model", "the scenario's");
  collectives.add_option("--bytes", "SIZE,SIZE", &arguments->sizes,
                         fmt::format("Sizes of the summed arrays (default: {})", default_sizes));
  collectives.add_option("--collectives", "NAME,NAME", &arguments->collectives,
                         fmt::format("Some of {} (default: all that fit the cluster)",
                                     fmt::join(allreduce_collectives(), ", ")));
  add_jobs(collectives, arguments->jobs);
  collectives.add_flag("--json", arguments->prints_lines,
                       "In place of the table, print a line of JSON for every size and collective");
  add_overrides(collectives, arguments->overrides, "file");
  add_quiet(collectives, arguments->is_quiet);
  collectives.set_footer(
      "Only cluster, engine and seed of a scenario are used; workload and algorithms may be missing.\nEach "
      "time is that of a single all-reduce of floats, which all workers begin at the same moment, until the\n"
      "last one has the sum.\n"
      "Examples:\n"
      "  starling collectives scenarios/oversubscribed.json\n"
      "  starling collectives cluster.json --bytes 8,64KiB,1MiB --collectives ring,double_tree");
  collectives.does(arguments, collectives_command);
}

void collectives_command(const CollectivesArguments& arguments) {
  warn_of_other_processes("collectives");
  AllreduceQuestion question{.sizes_bytes = allreduce_sizes(arguments.sizes.value_or(default_sizes)),
                             .jobs = checked_jobs(arguments.jobs)};
  if (arguments.collectives) question.collectives = chosen_collectives(*arguments.collectives);
  const Scenario scenario =
      read_network_scenario(arguments.file, arguments.overrides, with_engine({}, arguments.engine));
  for (const std::string& warning : scenario.warnings) warn(warning);
  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  const Interruption interruption("nothing is kept");
  const AllreduceTimes times = allreduce_times(scenario, question, progress);
  progress.clear();
  if (!arguments.prints_lines) return print_out(allreduce_table(scenario, times));
  for (const nlohmann::ordered_json& line : allreduce_json(times)) print_json_line(line);
}

}  // namespace starling

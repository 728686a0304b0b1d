#include "commands/commands.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "analysis/results/result_table.hpp"
#include "analysis/results/results_folder.hpp"
#include "analysis/running/runner.hpp"
#include "base/near_key.hpp"
#include "io/progress_line.hpp"
#include "io/scenario_error.hpp"
#include "io/schema.hpp"
#include "io/terminal.hpp"
#include "io/text_table.hpp"
#include "scenarios/reading/catalog.hpp"
#include "scenarios/reading/scenario_reader.hpp"

namespace starling {
namespace {

struct Listing {
  const char* what;
  std::vector<CatalogEntry> (*entries)();
};

constexpr std::array<Listing, 6> listings{{{"models", list_models},
                                           {"algorithms", list_algorithms},
                                           {"topologies", list_topologies},
                                           {"gpus", list_gpus},
                                           {"distributions", list_distributions},
                                           {"tasks", list_tasks}}};

/// Simulates under a progress line; what is finished is saved at once. The folder and the timeline may be
/// absent.
Result simulate_and_save(const Scenario& scenario, bool is_quiet, ResultsFolder* folder, TraceJson* trace) {
  ProgressLine progress(stderr, !is_quiet && ::isatty(STDERR_FILENO) == 1);
  const auto run_finished = [&](const Result& result, const IterationLog& log) {
    progress.clear();
    if (folder != nullptr) folder->save(result, log, scenario.warmup_iterations);
    if (trace != nullptr) report_cut_off(*trace, result.runs.back().label);
  };
  try {
    return simulate(scenario, {.progress = &progress, .trace = trace, .run_finished = run_finished});
  } catch (...) {
    progress.clear();
    if (folder != nullptr && folder->has_results())
      warn("what was finished before the error is in " + folder->partial_result_path().string());
    throw;
  }
}

}  // namespace

void check_trace_has_folder(bool is_traced, bool has_folder) {
  if (is_traced && !has_folder)
    throw UsageError("--trace needs --out DIR: the timeline is written to DIR/trace.json");
}

void report_cut_off(const TraceJson& trace, const std::string& label) {
  if (!trace.cut_off_s()) return;
  warn(
      fmt::format("the timeline of {} stops at {} after {} spans, more than viewers can show; simulate fewer "
                  "iterations or "
                  "workers to see all of it",
                  label, time_text(*trace.cut_off_s()), trace.max_spans_per_run()));
}

void run_command(const RunArguments& arguments) {
  check_trace_has_folder(arguments.is_traced, arguments.out.has_value());
  std::vector<std::string> overrides = arguments.overrides;
  if (arguments.engine) overrides.push_back(engine_override(*arguments.engine));
  const Scenario scenario = read_scenario(arguments.scenario, overrides);
  for (const std::string& warning : scenario.warnings) warn(warning);

  std::optional<ResultsFolder> folder;
  if (arguments.out) folder.emplace(*arguments.out);
  TraceJson* const trace =
      arguments.is_traced ? &folder->add_trace(static_cast<int>(scenario.algorithms.size())) : nullptr;
  const Result result = simulate_and_save(scenario, arguments.is_quiet, folder ? &*folder : nullptr, trace);
  if (folder) folder->finish(result);
  print_out(result_table(result));
  if (folder && !arguments.is_quiet) print_error(fmt::format("\nWritten to {}\n", folder->path().string()));
}

std::vector<std::string> listable() {
  std::vector<std::string> names;
  names.reserve(listings.size());
  for (const Listing& listing : listings) names.emplace_back(listing.what);
  return names;
}

void list_command(const std::string& what) {
  const auto listing = std::find_if(listings.begin(), listings.end(),
                                    [&](const Listing& known) { return known.what == what; });
  if (listing == listings.end())
    throw UsageError(fmt::format("cannot list \"{}\"{}; can list {}", what, suggestion(what, listable()),
                                 fmt::join(listable(), ", ")));
  const std::vector<CatalogEntry> entries = listing->entries();
  std::size_t width = 0;
  for (const CatalogEntry& entry : entries) width = std::max(width, entry.name.size());
  std::string text;
  for (const CatalogEntry& entry : entries)
    text += fmt::format("{:<{}}  {}\n", entry.name, width, entry.description);
  print_out(text);
}

std::vector<std::string> schemas() {
  return {"scenario",  "result",          "model",      "profile",         "distribution",
          "published", "cluster_profile", "validation", "validation_study"};
}

void schema_command(const std::string& what) {
  const std::vector<std::string> known = schemas();
  if (std::find(known.begin(), known.end(), what) == known.end())
    throw UsageError(fmt::format("there is no schema \"{}\"{}; there are {}", what, suggestion(what, known),
                                 fmt::join(known, ", ")));
  print_out(schema_text(what));
}

std::string engine_override(const std::string& engine) {
  const std::vector<std::string>& engines = engine_names();
  if (std::find(engines.begin(), engines.end(), engine) == engines.end())
    throw UsageError(fmt::format("--engine: there is no engine \"{}\"{}; there are {}", engine,
                                 suggestion(engine, engines), fmt::join(engines, ", ")));
  return fmt::format("/engine=\"{}\"", engine);
}

}  // namespace starling

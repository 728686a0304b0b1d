#include "commands/studies/study_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "io/json/json_reader.hpp"
#include "io/json/overrides.hpp"
#include "io/pictures/gnuplot.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"

namespace starling {

void add_seeds(Command& command, std::optional<int>& seeds, std::string_view what) {
  command.add_option("--seeds", "N", &seeds,
                     fmt::format("Run each {} with N seeds (default: the study's, or 1)", what));
}

void add_jobs(Command& command, std::optional<int>& jobs) {
  command.add_option("--jobs", "N", &jobs, "Number of runs at the same time (default: the number of cores)");
}

void add_confirmation(Command& command, bool& is_confirmed) {
  command.add_flag("--yes", is_confirmed, fmt::format("Allow more than {} runs", most_unconfirmed_runs));
}

void add_run_limit(Command& command, std::optional<std::string>& limit) {
  command.add_option("--run-limit", "TIME", &limit,
                     "End a run that takes longer (such as 10min or 1.5h) and record it as failed; the same "
                     "command runs it again; each run is then a process of its own (default: no limit)");
}

std::optional<RunLimit> checked_run_limit(const std::optional<std::string>& limit) {
  if (!limit) return std::nullopt;
  const nlohmann::json value = json_or_text(*limit, "--run-limit");
  return RunLimit{.most_s = JsonPlace(value, "--run-limit").quantity(Dimension::time, Range::above(0)),
                  .text = *limit};
}

int checked_jobs(const std::optional<int>& jobs) {
  constexpr int most = 1024;
  const int number = jobs.value_or(std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  if (number < 1 || number > most)
    throw UsageError(fmt::format("--jobs: {} is not from 1 to {}", number, most));
  return number;
}

void draw_or_warn(const std::string& script, const std::filesystem::path& picture) {
  try {
    run_gnuplot(script, picture);
  } catch (const std::runtime_error& error) {
    warn(error.what());
    remove_older(picture);
  }
}

void remove_older(const std::filesystem::path& picture) {
  std::error_code error;
  if (std::filesystem::is_regular_file(picture, error)) std::filesystem::remove(picture, error);
}

StudyWarnings::StudyWarnings(ProgressLine& progress)
    : decided_by_ties_(
          progress,
          "further means that depend on the order of simultaneous events (starling run shows by how much)"),
      unchecked_ties_(progress, "further runs that were not checked for ties"),
      of_partial_periods_(progress, "further means over iterations that are not whole periods"),
      of_uneven_traffic_(progress),
      unsettled_(progress, "further means over iteration times that still drift while counted") {}

void StudyWarnings::add(const RunWarning& warning, const std::string& conditions) {
  switch (warning.kind) {
    case WarningKind::decided_by_ties:
      return decided_by_ties_.add(warning.sentence, conditions);
    case WarningKind::unchecked_ties:
      return unchecked_ties_.add(warning.sentence, conditions);
    case WarningKind::partial_periods:
      return of_partial_periods_.add(warning.sentence, conditions);
    case WarningKind::uneven_traffic:
      return of_uneven_traffic_.add(warning.sentence, conditions);
    case WarningKind::unsettled:
      return unsettled_.add(warning.sentence, conditions);
  }
}

void StudyWarnings::end() const {
  decided_by_ties_.end();
  unchecked_ties_.end();
  of_partial_periods_.end();
  unsettled_.end();
}

ReportedTransports::ReportedTransports(ProgressLine& progress)
    : of_hosts_(progress, "further combinations in which hosts use less than the bandwidth of a cable") {}

void ReportedTransports::add(const SweepRun& run, const std::string& conditions) {
  if (!run.is_done() || run.replication > 0) return;
  if (!run.taken_transport.empty()) {
    Taken& taken = taken_.try_emplace(run.taken_transport, Taken{run.combination, conditions}).first->second;
    if (run.combination < taken.first) taken = {run.combination, conditions, taken.combinations};
    ++taken.combinations;
  }
  const nlohmann::json transport = run.result.value("transport", nlohmann::json());
  if (transport.is_object() && transport.contains("host_rate_Bps"))
    of_hosts_.add(
        fmt::format("hosts transfer at most {}/s per cable, less than its bandwidth (cluster.host_rate "
                    "of {}): faster cables change nothing",
                    bytes_text(transport.at("host_rate_Bps").get<double>()),
                    transport.at("name").get<std::string>()),
        conditions);
}

void ReportedTransports::end() const { of_hosts_.end(); }

std::string ReportedTransports::text() const {
  if (taken_.empty()) return "";
  if (taken_.size() == 1)
    return fmt::format("transport {}, chosen as none is given\n", taken_.begin()->first);
  std::vector<std::string> texts;
  for (const auto& [name, taken] : taken_)
    texts.push_back(fmt::format("{} in {}, the first with {}", name,
                                counted(taken.combinations, "combination"), taken.conditions));
  return fmt::format("transport, chosen as none is given: {}\n", fmt::join(texts, "; "));
}

}  // namespace starling

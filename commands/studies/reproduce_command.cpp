#include "commands/studies/reproduce_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/predicate.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "analysis/reproduction/inherited_profile.hpp"
#include "analysis/reproduction/prediction_intervals.hpp"
#include "analysis/reproduction/prediction_picture.hpp"
#include "analysis/reproduction/reproduction_text.hpp"
#include "analysis/results/files/file_name.hpp"
#include "analysis/results/files/folder_lock.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "commands/shared/output_place.hpp"
#include "commands/studies/study_options.hpp"
#include "io/data_directory.hpp"
#include "io/json/json_text.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {

namespace {

bool holds(const PublishedEntry& entry, const std::string& filter) {
  using boost::algorithm::icontains;
  return icontains(entry.id, filter) || icontains(entry.paper, filter) || icontains(entry.cluster, filter);
}

std::vector<PublishedEntry> wanted_entries(const ReproduceArguments& arguments) {
  auto entries =
      read_published_file(arguments.file.value_or(data_directory() / "scenarios" / "published.json"));
  std::erase_if(entries, [&](const PublishedEntry& entry) { return !holds(entry, arguments.filter); });
  if (entries.empty() && !arguments.filter.empty())
    throw UsageError(
        fmt::format("--filter: no entry's id, paper or cluster contains \"{}\"", arguments.filter));
  return entries;
}

/// Adds the profiles of a folder that entries name and that are not known yet. Reads only files of the
/// folder, so that a strange name in an entry cannot lead elsewhere.
void read_profiles(const std::filesystem::path& folder, const std::vector<PublishedEntry>& entries,
                   ClusterProfiles& profiles) {
  const auto is_wanted = [&](const std::string& name) {
    return std::ranges::find(entries, name, &PublishedEntry::cluster) != entries.end();
  };
  for (const std::string& name : json_names(folder))
    if (is_wanted(name) && !profiles.contains(name))
      profiles.emplace(name, read_cluster_profile(folder / (name + ".json")));
}

ClusterProfiles wanted_profiles(const ReproduceArguments& arguments,
                                const std::vector<PublishedEntry>& entries) {
  ClusterProfiles profiles;
  if (arguments.clusters) {
    std::error_code error;
    if (!std::filesystem::is_directory(*arguments.clusters, error))
      throw UsageError(fmt::format("--clusters: there is no folder {}", arguments.clusters->string()));
    read_profiles(*arguments.clusters, entries, profiles);
  }
  read_profiles(shipped_profiles(), entries, profiles);
  return profiles;
}

/// The file name, without extension, for the scenario of each run: that of the first entry that needs the
/// run, with a number if ids of several entries give the same file name.
std::vector<std::string> scenario_names(const std::vector<PublishedEntry>& entries,
                                        const ReproductionPlan& plan) {
  std::vector<std::string> names(plan.runs.size());
  for (std::size_t i = 0; i < entries.size(); ++i)
    for (const std::size_t run : plan.entries[i].runs) {
      if (!names[run].empty()) continue;
      const bool is_baseline = run != plan.entries[i].runs.front();
      const std::string name = file_name_of(entries[i].id) + (is_baseline ? "-baseline" : "");
      std::string own = name;
      for (int number = 2; std::ranges::find(names, own) != names.end(); ++number)
        own = fmt::format("{}-{}", name, number);
      names[run] = own;
    }
  return names;
}

/// The folder of a reproduction: DIR/reproduce.json, DIR/scenarios and pictures.
class ReproductionFolder {
 public:
  /// Creates and locks the folder, and saves all scenarios. @throws ScenarioError if the folder cannot be
  /// created, another command writes to it or has results there, or it has a finished reproduction or, unless
  /// `may_replace`, an unfinished one of other entries.
  ReproductionFolder(const std::filesystem::path& folder, const std::vector<PublishedEntry>& entries,
                     const ReproductionPlan& plan, bool may_replace)
      : file_(folder / "reproduce.json"),
        scenarios_(folder / "scenarios"),
        names_(scenario_names(entries, plan)),
        lock_(lock_output_folder(folder)) {
    refuse_results_of_others(folder, {"reproduce.json"});
    refuse_there(entries, may_replace);
    make_output_folder(scenarios_);
    for (std::size_t run = 0; run < names_.size(); ++run) save_scenario(run, plan.scenarios[run]);
  }

  /// Saves the scenario of a run, if any entry needs the run.
  void save_scenario(std::size_t run, const std::string& scenario) const {
    if (!names_[run].empty()) write_atomically(scenarios_ / (names_[run] + ".json"), scenario);
  }

  void save(const std::vector<EntryOutcome>& outcomes, bool is_finished) const {
    write_atomically(file_, reproduction_json(outcomes, is_finished).dump(2) + "\n");
  }

  void draw(const std::vector<EntryOutcome>& outcomes) const {
    const bool is_empty =
        std::ranges::find(outcomes, EntryStatus::compared, &EntryOutcome::status) == outcomes.end();
    const std::filesystem::path picture = std::filesystem::path(file_).replace_extension("svg");
    if (is_empty)
      remove_older(picture);
    else
      draw_or_warn(reproduction_plot(outcomes, picture), picture);
  }

  const std::filesystem::path& file() const { return file_; }
  /// The file to which the figures of each run are appended when it ends.
  std::filesystem::path kept_runs() const { return file_.parent_path() / "reproduce_runs.jsonl"; }

 private:
  /// The reproduce.json of an interrupted command, with "finished": false; null for any other file.
  nlohmann::json unfinished() const {
    try {
      const auto document = parse_json(read_text_file(file_), file_.string());
      if (document.is_object() && document.value("finished", nlohmann::json(true)) == false) return document;
    } catch (const ScenarioError&) {  // not a file that this command has written
    }
    return nullptr;
  }

  /// An unfinished reproduction may be replaced if all its entries are among these.
  void refuse_there(const std::vector<PublishedEntry>& entries, bool may_replace) const {
    std::error_code error;
    if (!std::filesystem::exists(std::filesystem::symlink_status(file_, error))) return;
    const nlohmann::json left = unfinished();
    if (left.is_null())
      return refuse_existing(file_, "a finished result is here already, and is never replaced",
                             "another folder, or this one after you have moved its files away");
    if (may_replace) return;
    for (const nlohmann::json& entry : left.value("entries", nlohmann::json::array())) {
      const nlohmann::json id = value_at(entry, "/id");
      const auto has_it = [&](const PublishedEntry& known) { return nlohmann::json(known.id) == id; };
      if (std::ranges::any_of(entries, has_it)) continue;
      throw ScenarioError({.file = "--out",
                           .place = "",
                           .problem = "an unfinished reproduction of other entries is in this folder",
                           .got = file_.string(),
                           .expected = "the earlier --filter, another folder, or --force to replace it"});
    }
  }

  std::filesystem::path file_;
  std::filesystem::path scenarios_;
  std::vector<std::string> names_;  // of the scenario of each run; empty if no entry needs it
  std::unique_ptr<const FolderLock> lock_;
};

}  // namespace

void add_reproduce(CommandLine& line) {
  const auto arguments = std::make_shared<ReproduceArguments>();
  Command reproduce = line.add_command("reproduce", "Predict published measurements and report the errors");
  reproduce.add_word("PUBLISHED.json", &arguments->file,
                     "Published measurements (default: the file shipped with Starling)");
  reproduce.add_option("--filter", "TEXT", &arguments->filter,
                       "Only entries whose id, paper or cluster contains this");
  add_out(
      reproduce, arguments->out,
      "Folder for reproduce.json, reproduce.svg and the scenarios that were run, and reproduce_runs.jsonl, "
      "where each run is kept as it ends: an interrupted reproduction continues there");
  add_jobs(reproduce, arguments->jobs);
  reproduce.add_option("--clusters", "DIR", &arguments->clusters,
                       "Folder of cluster profiles, which take precedence over those shipped");
  reproduce.add_flag("--model", arguments->is_modeled,
                     "Predict by the runtime model, without messages, in place of simulating");
  reproduce.add_flag(
      "--force", arguments->is_forced,
      "Replace an interrupted reproduction of other entries in DIR; its runs stay in reproduce_runs.jsonl");
  add_quiet(reproduce, arguments->is_quiet);
  reproduce.set_footer(
      "Examples:\n"
      "  starling reproduce --out results/published\n"
      "  starling reproduce --filter eager-fig9\n"
      "Exit codes: 0 done, 1 a run failed, 2 the input is wrong. Finished results are never replaced.");
  reproduce.does(arguments, reproduce_command);
}

void reproduce_command(const ReproduceArguments& arguments) {
  warn_of_other_processes("reproduce");
  const int jobs = checked_jobs(arguments.jobs);
  // Before scenarios are written, since that takes seconds on slow disks.
  Interruption interruption(arguments.out ? "the same command continues from here" : nothing_kept(false));
  const auto entries = wanted_entries(arguments);
  ReproductionPlan plan = plan_reproduction(entries, wanted_profiles(arguments, entries));
  if (arguments.is_modeled) leave_out_unmodeled(plan);
  std::optional<ReproductionFolder> folder;
  if (arguments.out) folder.emplace(*arguments.out, entries, plan, arguments.is_forced);

  ProgressLine progress = progress_on_terminal(arguments.is_quiet);
  std::int64_t steps = 0;
  for (const PublishedRun& run : plan.runs) steps += size_of(run);
  progress.expect(steps);
  const Predictor predictor = arguments.is_modeled ? Predictor::model : Predictor::simulation;
  KeptRuns kept(folder ? std::optional(folder->kept_runs()) : std::nullopt, predictor);
  std::vector<std::optional<RunOutcome>> outcomes(plan.runs.size());
  std::size_t done = 0;
  execute_all(
      plan.runs, jobs,
      [&](std::size_t run, RunOutcome outcome) {
        outcomes[run] = std::move(outcome);
        progress.go_on(fmt::format("{} of {} runs", ++done, plan.runs.size()));
        progress.advance(size_of(plan.runs[run]));
        if (!folder) return;
        if (const auto* figures = std::get_if<RunFigures>(&*outcomes[run])) {
          plan.scenarios[run] = with_length(plan.scenarios[run], *figures);
          folder->save_scenario(run, plan.scenarios[run]);
        }
        folder->save(entry_outcomes(entries, plan, outcomes), false);
        interruption.keeps(finished_is_in(folder->file()) + "; the same command continues from there");
      },
      predictor, &kept);
  progress.clear();

  auto decided = entry_outcomes(entries, plan, outcomes);
  add_intervals(decided);
  if (folder) {
    folder->draw(decided);
    folder->save(decided, true);  // last, since a finished reproduction is not resumed
  }
  print_out(reproduction_table(decided));
  if (folder) report_written(folder->file(), arguments.is_quiet);
  const auto failed = std::ranges::count(decided, EntryStatus::failed, &EntryOutcome::status);
  if (failed > 0) throw std::runtime_error(fmt::format("{} of {} entries failed", failed, decided.size()));
}

}  // namespace starling

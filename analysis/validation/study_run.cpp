#include "analysis/validation/study_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/wait.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "analysis/explanation/explained_simulation.hpp"
#include "analysis/results/files/file_name.hpp"
#include "analysis/results/files/result_json.hpp"
#include "analysis/validation/required_measurement.hpp"
#include "base/module.hpp"
#include "io/output_file.hpp"
#include "io/processes/child_process.hpp"
#include "scenarios/reading/scenario_hash.hpp"

namespace starling {

namespace {

/// A case of the study, its folder and its state.
struct Task {
  const StudyCase* what = nullptr;
  std::filesystem::path folder;
  int workers = 0;
  double predicted_s = 0;  // how long its measurement is predicted to take, start included
  RequiredMeasurement asked;
  int attempts = 1;
  std::vector<ValidationCase> cases = {};  // one for each algorithm, once measured

  std::filesystem::path predicted() const { return folder / "predicted"; }
  /// The folder of the last attempt.
  std::filesystem::path measured() const {
    return folder / (attempts == 1 ? "measured" : fmt::format("measured-{}", attempts));
  }
  std::string name() const { return folder.filename().string(); }
  bool is_measured() const { return std::filesystem::exists(measured() / "result.json"); }
};

/// What starting MPI, and perhaps a testbed, takes.
constexpr double start_up_s = 3;

/// @throws ScenarioError, as by naming_case().
Result predicted_result(const StudyCase& one, const Scenario& scenario) {
  try {
    return simulate_and_explain(scenario);
  } catch (const ScenarioError& error) {
    throw naming_case(error, one);
  }
}

Task predict(const StudyCase& one, std::size_t index, const ValidationStudy& study,
             const std::filesystem::path& folder, const std::vector<std::string>& overrides) {
  const Scenario scenario = read_scenario(one, overrides);
  const Scenario to_measure = read_scenario(one);
  Task task{
      .what = &one,
      .folder = folder / study_cases_folder / fmt::format("{:03}-{}", index, file_name_of(scenario.name)),
      .workers = scenario.cluster.workers,
      .asked = required_measurement(to_measure, study.repetitions)};
  const Result result = predicted_result(one, scenario);
  std::filesystem::create_directories(task.predicted());
  write_atomically(task.predicted() / "result.json", result_json_text(result, ScenarioHash().of(scenario)));
  for (const RunResult& run : result.runs) task.predicted_s += run.makespan_s;
  task.predicted_s = task.predicted_s * study.repetitions + start_up_s;
  return task;
}

/// The seconds that the measurement will take, each a step of the progress line; 0 if it is finished.
std::int64_t steps_left(const Task& task) {
  return task.is_measured() ? 0 : static_cast<std::int64_t>(std::ceil(task.predicted_s));
}

/// Runs a program until it ends, with stdout and stderr going to a file. @throws std::runtime_error if it
/// cannot be started or fails.
void run_program(const std::vector<std::string>& words, const std::filesystem::path& log) {
  const int status = run_child_that_ends_first(words, {.log = log});
  constexpr int timed_out = 124;
  constexpr int was_killed = 128 + SIGKILL;  // by `timeout`, or a process of the job by something else
  constexpr int not_found = 127;             // by `timeout`
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_found)
    throw std::runtime_error(fmt::format("a program was not found; see {}", log.string()));
  if (WIFEXITED(status) && WEXITSTATUS(status) == timed_out)
    throw std::runtime_error("exceeded its time limit (case_timeout)");
  if (WIFEXITED(status) && WEXITSTATUS(status) == was_killed)
    throw std::runtime_error(
        fmt::format("was killed, perhaps by its time limit (case_timeout); see {}", log.string()));
  if (status != 0) throw std::runtime_error(fmt::format("failed; see {}", log.string()));
}

/// Lets mpirun start more processes than cores, and run as root, which testbeds need. These are variables of
/// Open MPI, which other implementations ignore; values that the user has set stay.
void permit_mpirun() {
  for (const char* name :
       {"OMPI_MCA_rmaps_base_oversubscribe", "OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"})
    ::setenv(name, "1", 0);
}

std::filesystem::path log_of(const Task& task) { return task.measured().string() + ".log"; }

void measure(const ValidationStudy& study, const Task& task) {
  std::filesystem::remove_all(task.measured());
  run_program(measuring_command(study, *task.what, task.workers, this_program().string(),
                                std::filesystem::absolute(task.measured())),
              log_of(task));
}

/// The warnings of a testbed's switch in the log, which cannot be seen from measured times.
std::vector<std::string> warnings_of_switch(const Task& task) {
  constexpr std::string_view warning = "warning: ";
  std::vector<std::string> warnings;
  std::ifstream log(log_of(task));
  for (std::string line; std::getline(log, line);)
    if (line.starts_with(warning)) warnings.push_back(line.substr(warning.size()));
  return warnings;
}

/// How to have a failed case measured anew; empty if it is not known.
std::string remedy(const Task& task) {
  return task.is_measured() ? fmt::format("; to measure it again, remove {} and repeat the command",
                                          task.measured().string())
                            : "";
}

/// The cases of a study, measured one after the other.
class StudyRun {
 public:
  /// Predicts all cases.
  StudyRun(const ValidationStudy& study, const std::filesystem::path& folder,
           const std::vector<std::string>& overrides, ProgressLine& progress)
      : study_(study), progress_(progress) {
    for (std::size_t i = 0; i < study.cases.size(); ++i)
      tasks_.push_back(predict(study.cases[i], i, study, folder, overrides));
  }

  /// Measures all cases, and compares.
  Validation measured();

 private:
  void attempt_again(Task& task, const ErrorBand& band);
  std::optional<std::string> problem_of_measuring(Task& task);
  void check_what_is_there(const Task& task);
  void add_comparison(Task& task);
  void warn_of(const Task& task, const std::string& what) {
    validation_.warnings.push_back(fmt::format("{}: {}", task.name(), what));
  }

  const ValidationStudy& study_;
  ProgressLine& progress_;
  std::vector<Task> tasks_;
  Validation validation_;
};

/// Checks that the finished measurement is that of the task, and warns of what cannot be told. @throws
/// std::runtime_error that says what it is a measurement of, if it is not the task's.
void StudyRun::check_what_is_there(const Task& task) {
  const SavedResult measured = read_result(task.measured());
  const MeasurementFit fit = fit_of(measured, task.asked);
  for (const std::string& warning : fit.warnings) warn_of(task, warning);
  if (fit.is_the_same()) return;
  std::string whose = "a case that the study no longer has";
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    if (fit_of(measured, tasks_[i].asked).is_the_same())
      whose = fmt::format("the present case {} of the study", i + 1);
  throw std::runtime_error(
      fmt::format("its folder has the measurement of {}: {}", whose, fmt::join(fit.contradictions, "; ")));
}

/// Compares the last measurement with the prediction. Of an algorithm that was measured before, the faster
/// measurement counts.
void StudyRun::add_comparison(Task& task) {
  Validation own = compare(read_result(task.predicted()), read_result(task.measured()));
  for (ValidationCase& one : own.cases) {
    if (task.what->network) one.network = *task.what->network;
    if (task.what->imbalance) one.imbalance = *task.what->imbalance;
    const auto before = std::ranges::find(task.cases, one.label, &ValidationCase::label);
    if (before == task.cases.end())
      task.cases.push_back(std::move(one));
    else if (one.measured_s < before->measured_s)
      *before = std::move(one);
  }
  for (const std::string& warning : own.warnings) warn_of(task, warning);
  for (const std::string& warning : warnings_of_switch(task)) warn_of(task, warning);
}

/// Measures unless that is done, and compares. Returns the problem if either fails.
std::optional<std::string> StudyRun::problem_of_measuring(Task& task) {
  const std::int64_t steps = steps_left(task);
  std::optional<std::string> problem;
  try {
    if (task.is_measured())
      check_what_is_there(task);
    else
      measure(study_, task);
    add_comparison(task);
  } catch (const std::runtime_error& error) {
    problem = error.what() + remedy(task);
  }
  if (steps > 0) progress_.advance(steps);
  return problem;
}

/// Measures a case again while its errors are outside of the band, as delays by other jobs of the machine
/// rarely recur. As the faster measurement counts, this slightly favors predictions that are too short.
void StudyRun::attempt_again(Task& task, const ErrorBand& band) {
  const ValidationGroup first = summary_of(task.cases);
  while (task.attempts < band.attempts && !band.holds(summary_of(task.cases))) {
    ++task.attempts;
    progress_.expect_more(steps_left(task));
    if (const auto problem = problem_of_measuring(task))
      warn_of(task, fmt::format("attempt {}: {}", task.attempts, *problem));
  }
  if (task.attempts > 1)
    warn_of(task, fmt::format("measured {} times, as the first errors (mean {:.1f} %, worst {:.1f} %) "
                              "exceeded the study's band; the fastest measurement of each algorithm counts",
                              task.attempts, 100 * first.mean_abs_error, 100 * first.worst_abs_error));
}

Validation StudyRun::measured() {
  std::int64_t steps = 0;
  for (const Task& task : tasks_) steps += steps_left(task);
  progress_.expect(steps);
  permit_mpirun();
  std::string first_failure;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Task& task = tasks_[i];
    progress_.go_on(fmt::format("case {} of {}", i + 1, tasks_.size()));
    if (const auto problem = problem_of_measuring(task)) {
      if (validation_.failed_cases++ == 0) first_failure = fmt::format("{}: {}", task.name(), *problem);
      warn_of(task, *problem);
    } else if (study_.band) {
      attempt_again(task, *study_.band);
    }
    std::ranges::move(task.cases, std::back_inserter(validation_.cases));
  }
  progress_.clear();
  if (validation_.cases.empty())
    throw std::runtime_error(fmt::format("no case could be measured; the first error: {}", first_failure));
  add_intervals(validation_);
  return std::move(validation_);
}

}  // namespace

Validation run_study(const ValidationStudy& study, const std::filesystem::path& folder,
                     const std::vector<std::string>& overrides, ProgressLine& progress) {
  return StudyRun(study, folder, overrides, progress).measured();
}

}  // namespace starling

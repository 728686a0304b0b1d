#include "commands/running/run_output.hpp"

#include <fmt/format.h>

#include "analysis/results/files/result_json.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/json_line.hpp"
#include "io/terminal/terminal.hpp"
#include "io/texts/text_table.hpp"

namespace starling {

void print_lines(const Result& result) {
  for (const RunResult& run : result.runs) print_json_line(run_json(run));
}

RunOutput::RunOutput(ResultsFolder* folder, bool prints_lines, ProgressLine& progress)
    : folder_(folder),
      prints_lines_(prints_lines),
      progress_(progress),
      interruption_(nothing_kept(folder != nullptr)) {
  if (folder != nullptr) outlive_reader();
}

template <typename Save>
void RunOutput::keep(const Save& save) {
  if (folder_ == nullptr) return;
  const InterruptsWait wait;
  save();
  interruption_.keeps(finished_is_in(folder_->partial_result_path()));
}

void RunOutput::add(const Result& result, const IterationLog& log, std::int64_t warmup_iterations) {
  progress_.clear();
  keep([&] { folder_->save(result, log, warmup_iterations); });
  if (prints_lines_)
    print_json_line(run_json(result.runs.back()));
  else
    progress_.end(fmt::format("{} an iteration", time_text(result.runs.back().iteration_time_s.mean)));
}

void RunOutput::add(const Result& result, const JobResult& job, const IterationLog& log) {
  progress_.clear();
  keep([&] { folder_->save(result, job, log); });
  if (prints_lines_) print_json_line(result_json(result).at("jobs").back());
}

void RunOutput::add_iterations(const RunResult& run, const IterationLog& log,
                               std::int64_t warmup_iterations) {
  progress_.clear();
  if (folder_ != nullptr) folder_->save_iterations(run, log, warmup_iterations);
}

void RunOutput::end_seeds(const Result& result, double taken_s) {
  const RunResult& run = result.runs.back();
  if (prints_lines_)
    print_json_line(run_json(run));
  else
    progress_.end(run.label,
                  fmt::format("{} an iteration, mean of {} seeds", time_text(run.iteration_time_s.mean),
                              run.replications.size()),
                  taken_s);
}

void RunOutput::add_result(const Result& result) {
  keep([&] { folder_->save_result(result); });
}

void RunOutput::finish(const Result& result) {
  if (folder_ == nullptr) return;
  const InterruptsWait wait;
  folder_->finish(result);
  interruption_.keeps(finished_is_in(folder_->result_path()));
}

void RunOutput::failed() {
  progress_.clear();
  if (folder_ != nullptr && folder_->has_results())
    warn("results finished before the error are in " + folder_->partial_result_path().string());
}

}  // namespace starling

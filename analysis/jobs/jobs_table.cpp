#include "analysis/jobs/jobs_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/results/result_table.hpp"
#include "io/texts/text_table.hpp"

namespace starling {
namespace {

std::string ratio_text(std::optional<double> ratio) { return ratio ? fmt::format("{:.3f}", *ratio) : "–"; }

std::string slowed_by_text(const JobResult& job) {
  std::string text;
  for (const JobResult::Without& without : job.slowed_by)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", without.job, ratio_text(without.slowdown));
  return text.empty() ? "–" : text;
}

bool is_uncertain(const JobResult& job) { return job.run.sampling.mean_s.standard_error > 0; }

TableRow row_of(const JobResult& job) {
  return {job.run.label,
          job.run.algorithm.value("kind", ""),
          std::to_string(job.run.workers),
          time_text(job.start_s),
          time_text(job.run.iteration_time_s.mean, job.run.sampling.mean_s.standard_error),
          time_text(job.alone_iteration_time_s.mean),
          ratio_text(job.slowdown),
          slowed_by_text(job),
          time_text(job.run.breakdown_s.exposed_communication),
          bytes_text(job.run.traffic.bytes_per_worker_per_iteration)};
}

/// The data type of gradients: one name if all jobs have the same, else that of each job.
std::string dtypes_text(const Result& result) {
  const nlohmann::ordered_json::json_pointer pointer("/workload/gradient_dtype");
  std::vector<std::string> dtypes;
  std::vector<std::string> of_each;
  for (std::size_t i = 0; i < result.jobs.size(); ++i) {
    dtypes.push_back(result.scenario.at("jobs").at(i).at(pointer).get<std::string>());
    of_each.push_back(fmt::format("{} of {}", dtypes.back(), result.jobs[i].run.label));
  }
  if (std::ranges::count(dtypes, dtypes.front()) == std::ssize(dtypes)) return dtypes.front();
  return fmt::format("{}", fmt::join(of_each, ", "));
}

}  // namespace

std::string jobs_table(const Result& result) {
  std::vector<TableRow> rows{{"job", "algorithm", "workers", "start", "iteration", "alone", "slow-down",
                              "by whom", "exposed comm.", "sent/worker"}};
  for (const JobResult& job : result.jobs) rows.push_back(row_of(job));
  std::string text = fmt::format("{}: {} on one network, {} engine, gradients in {}",
                                 result.scenario.value("name", "scenario"),
                                 counted(result.jobs.size(), "job"), result.engine, dtypes_text(result));
  text += conditions_text(result) + "\n\n" + aligned(rows);
  if (std::ranges::any_of(result.jobs, is_uncertain)) text += note_of_errors(1);
  text += notes_of_means(result);
  text += "slow-downs hold for these start times: jobs that start at other times contend at other moments\n";
  if (result.links) text += links_table(*result.links, "all jobs", std::nullopt) + links_note(false);
  for (const JobResult& job : result.jobs)
    if (job.run.critical_path) text += critical_path_table(*job.run.critical_path, job.run.label);
  return result.jobs.front().run.critical_path ? text + critical_path_note(false) : text;
}

}  // namespace starling

#include "analysis/running/demand.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <vector>

#include "io/scenario_error.hpp"
#include "io/text_table.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

// The least that was measured; most runs take several times as much.
constexpr double s_per_iteration_of_worker = 5e-7;
constexpr double s_per_modeled_iteration = 1e-7;
constexpr double s_per_message = 5e-8;
constexpr double bytes_of_program = 6e6;
constexpr double bytes_per_worker = 1e3;
constexpr double bytes_per_message_under_way = 400;
constexpr double bytes_per_row = 100;

// Graphs of fewer workers need little memory even if everyone is joined with everyone, of more they have few
// edges for each: see most_weights.
constexpr int least_workers_of_dense_graph = 2048;
constexpr int most_workers_of_dense_graph = 1 << 16;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// Of one algorithm's iteration: messages that cannot be avoided by evaluating collectives.
double messages_of(const ScenarioJob& job, std::size_t index) {
  const int workers = job.workers();
  if (workers < least_workers_of_dense_graph || workers > most_workers_of_dense_graph) return 0;
  const std::optional<MixingMatrix> matrix = job.options(index).mixing_matrix(job.facts());
  double messages = 0;
  if (matrix)
    for (Rank rank = 0; rank < workers; ++rank) messages += matrix->graph().out_degree(rank, 0);
  return messages;
}

double on_disk(double bytes) { return bytes > static_cast<double>(most_bytes_in_memory) ? bytes : 0; }

/// Of that process group, where there is a limit.
double cgroup_limit_bytes() {
  std::ifstream file("/sys/fs/cgroup/memory.max");
  double bytes = 0;
  return file >> bytes ? bytes : unlimited;
}

double memory_of_process_bytes() {
  const double all =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  rlimit limit{};
  const bool is_limited = ::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return std::min({all, cgroup_limit_bytes(), is_limited ? static_cast<double>(limit.rlim_cur) : unlimited});
}

/// The folder, or of those above it the first that there is.
std::filesystem::path existing(std::filesystem::path folder) {
  std::error_code error;
  folder = std::filesystem::absolute(folder, error);
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) folder = folder.parent_path();
  return folder;
}

/// Where no file has room at all, as below /proc, room is not what is missing.
double free_bytes(const std::filesystem::path& folder) {
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error || space.capacity == 0 ? unlimited : static_cast<double>(space.available);
}

bool are_on_one_disk(const std::filesystem::path& one, const std::filesystem::path& other) {
  struct stat of_one {};
  struct stat of_other {};
  return ::stat(one.c_str(), &of_one) == 0 && ::stat(other.c_str(), &of_other) == 0 &&
         of_one.st_dev == of_other.st_dev;
}

std::string duration_text(double seconds) {
  constexpr double hour_s = 3600;
  constexpr double day_s = 24 * hour_s;
  constexpr double year_s = 365 * day_s;
  if (seconds < hour_s) return time_text(seconds);
  if (seconds < 2 * day_s) return fmt::format("{:.1f} hours", seconds / hour_s);
  if (seconds < 2 * year_s) return fmt::format("{:.0f} days", seconds / day_s);
  return fmt::format("{:.0f} years", seconds / year_s);
}

/// What of it is too much, and how many times there is as much as what grows with the iterations.
struct Shortage {
  std::vector<std::string> texts;
  double greatest = 0;

  void compare(double needed, double available, const std::string& text) {
    if (needed <= available) return;
    texts.push_back(text);
    greatest = std::max(greatest, needed / available);
  }
};

Shortage shortage(const JobDemand& demand, const MachineSupply& supply) {
  Shortage found;
  found.compare(demand.time_s, supply.time_s,
                fmt::format("more than {} is refused", duration_text(supply.time_s)));
  found.compare(
      demand.records_bytes, supply.records_bytes,
      fmt::format("{} has room for {}", folder_of_large_memory(), bytes_text(supply.records_bytes)));
  found.compare(demand.files_bytes + (supply.is_one_disk ? demand.records_bytes : 0), supply.files_bytes,
                fmt::format("the disk of --out has room for {}", bytes_text(supply.files_bytes)));
  return found;
}

std::string demand_text(const JobDemand& demand) {
  std::string text = fmt::format("at least {} and {} of memory", duration_text(demand.time_s),
                                 bytes_text(demand.memory_bytes));
  if (demand.records_bytes > 0)
    text += fmt::format(", {} on disk for records", bytes_text(demand.records_bytes));
  return text + fmt::format(", and {} of files with --out", bytes_text(demand.files_bytes));
}

/// What is asked for, in words.
struct Asked {
  const Scenario& scenario;
  std::string what;   // that would take too much
  std::string place;  // where there are too many iterations
  Forcing forcing = Forcing::impossible;
};

/// What would do where it takes so many times too much.
std::string accepted_text(const Scenario& scenario, double times_too_much) {
  if (!scenario.jobs.empty()) return "fewer iterations, workers or jobs";
  const auto most = static_cast<std::int64_t>(static_cast<double>(scenario.iterations) / times_too_much);
  return most > 0 ? fmt::format("at most {} iterations, fewer workers or algorithms", most)
                  : "fewer workers or algorithms";
}

[[noreturn]] void refuse(const Asked& asked, const JobDemand& demand, const std::string& place,
                         const std::string& missing, const std::string& accepted) {
  throw ScenarioError(
      {.file = asked.scenario.file.string(),
       .place = asked.scenario.place + place,
       .problem = fmt::format("{} would take {}, but {}", asked.what, demand_text(demand), missing),
       .got = "",
       .expected = accepted + (asked.forcing == Forcing::possible ? ", or --force" : "")});
}

Asked iterations_of(const ScenarioJob& job) {
  const Scenario& scenario = job.scenario();
  return {.scenario = scenario,
          .what = fmt::format("{} iterations of {} workers", scenario.iterations, job.workers()),
          .place = "/iterations"};
}

void refuse_shortage(const Asked& asked, const JobDemand& demand, const MachineSupply& supply) {
  if (demand.memory_bytes > supply.memory_bytes)
    refuse(asked, demand, "/cluster/workers",
           fmt::format("there are {} of memory", bytes_text(supply.memory_bytes)),
           "fewer workers, or fewer neighbors for each");
  const Shortage found = shortage(demand, supply);
  if (found.texts.empty()) return;
  refuse(asked, demand, asked.place, fmt::format("{}", fmt::join(found.texts, ", and ")),
         accepted_text(asked.scenario, found.greatest));
}

}  // namespace

JobDemand demand_of(const ScenarioJob& job) {
  const double workers = job.workers();
  const auto iterations = static_cast<double>(job.scenario().iterations);
  const double rows = workers * iterations;
  const double records_bytes = rows * sizeof(IterationRecord);
  const double durations_bytes = rows * sizeof(double);
  JobDemand demand{.records_bytes = on_disk(records_bytes) + on_disk(durations_bytes)};
  for (std::size_t i = 0; i < job.scenario().algorithms.size(); ++i) {
    const double messages = messages_of(job, i);
    demand.time_s += rows * s_per_iteration_of_worker + iterations * messages * s_per_message;
    demand.memory_bytes =
        std::max(demand.memory_bytes, workers * bytes_per_worker + messages * bytes_per_message_under_way);
    demand.files_bytes += rows * bytes_per_row;
  }
  demand.memory_bytes += bytes_of_program + records_bytes + durations_bytes - demand.records_bytes;
  return demand;
}

MachineSupply supply_of_machine(const std::optional<std::filesystem::path>& folder) {
  constexpr double most_time_s = 30 * 24 * 3600;
  const std::filesystem::path of_records = existing(folder_of_large_memory());
  const std::filesystem::path of_files = existing(folder.value_or("/"));
  return {.time_s = most_time_s,
          .memory_bytes = memory_of_process_bytes(),
          .records_bytes = free_bytes(of_records),
          .files_bytes = folder ? free_bytes(of_files) : unlimited,
          .is_one_disk = folder && are_on_one_disk(of_records, of_files)};
}

JobDemand demand_of_measuring(const ScenarioJob& job, int repetitions) {
  const JobDemand simulated = demand_of(job);
  const Scenario& scenario = job.scenario();
  const double runs = static_cast<double>(scenario.algorithms.size()) * repetitions;
  return {.time_s = runs * static_cast<double>(scenario.iterations) * scenario.workload.compute_total_s(),
          .memory_bytes = bytes_of_program,
          .records_bytes = simulated.records_bytes,
          .files_bytes = simulated.files_bytes};
}

void refuse_shortage(const ScenarioJob& job, const MachineSupply& supply, Forcing forcing) {
  Asked asked = iterations_of(job);
  asked.forcing = forcing;
  refuse_shortage(asked, demand_of(job), supply);
}

void refuse_shortage_of_modeling(const ScenarioJob& job, bool simulates, const MachineSupply& supply) {
  JobDemand demand = demand_of(job);
  if (!simulates) demand.time_s *= s_per_modeled_iteration / s_per_iteration_of_worker;
  refuse_shortage(iterations_of(job), demand, supply);
}

void refuse_shortage_of_measuring(const ScenarioJob& job, int repetitions, const MachineSupply& supply) {
  refuse_shortage(iterations_of(job), demand_of_measuring(job, repetitions), supply);
}

void refuse_shortage(const Scenario& scenario, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing) {
  refuse_shortage(Asked{.scenario = scenario,
                        .what = fmt::format("{} jobs", scenario.jobs.size()),
                        .place = "/jobs",
                        .forcing = forcing},
                  demand, supply);
}

}  // namespace starling

#include "analysis/demand/shortage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/demand/demand.hpp"
#include "io/scenario_error.hpp"
#include "io/texts/text_table.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

std::string duration_text(double seconds) {
  constexpr double hour_s = 3600;
  constexpr double day_s = 24 * hour_s;
  constexpr double year_s = 365 * day_s;
  if (seconds < hour_s) return time_text(seconds);
  if (seconds < 2 * day_s) return fmt::format("{:.1f} hours", seconds / hour_s);
  if (seconds < 2 * year_s) return fmt::format("{:.0f} days", seconds / day_s);
  return fmt::format("{:.0f} years", seconds / year_s);
}

std::string text_of_share(const MachineSupply& supply) {
  return supply.runs_at_once == 1 ? "" : fmt::format(" for each of {} runs at once", supply.runs_at_once);
}

/// The advice to run fewer at once, if the machine has enough for that; else empty.
std::string fewer_jobs_text(double needed, double of_each, const MachineSupply& supply) {
  const bool is_share_short = needed > of_each && needed <= of_each * supply.runs_at_once;
  return is_share_short ? ", or fewer --jobs" : "";
}

/// The resources of which there is too little, as texts, and the greatest ratio of needed to available: by so
/// much the iterations must be reduced.
struct Shortage {
  std::vector<std::string> texts;
  double greatest = 0;

  void compare(double needed, double available, const std::string& text) {
    if (needed <= available) return;
    texts.push_back(text);
    greatest = std::max(greatest, needed / available);
  }
};

std::string memory_text(const MachineSupply& supply) {
  return fmt::format("the machine has only {} of memory{}", bytes_text(supply.memory_bytes),
                     text_of_share(supply));
}

/// Whether most of the memory is for iterations, and would suffice for fewer of them.
bool takes_memory_for_iterations(const JobDemand& demand, const MachineSupply& supply) {
  return demand.iterations_bytes > demand.memory_bytes / 2 &&
         demand.memory_bytes - demand.iterations_bytes < supply.memory_bytes;
}

Shortage shortage(const JobDemand& demand, const MachineSupply& supply) {
  Shortage found;
  if (takes_memory_for_iterations(demand, supply))
    found.compare(demand.iterations_bytes,
                  supply.memory_bytes - (demand.memory_bytes - demand.iterations_bytes), memory_text(supply));
  found.compare(demand.time_s, supply.time_s,
                fmt::format("runs of more than {} are refused", duration_text(supply.time_s)));
  found.compare(demand.records_bytes, supply.records_bytes,
                fmt::format("{} has room for {}{}", folder_of_large_memory(),
                            bytes_text(supply.records_bytes), text_of_share(supply)));
  found.compare(demand.files_bytes + (supply.is_one_disk ? demand.records_bytes : 0), supply.files_bytes,
                fmt::format("the disk of --out has room for {}", bytes_text(supply.files_bytes)));
  return found;
}

std::string effort_text(const RunEffort& effort) {
  return fmt::format("{} and {} of memory", duration_text(effort.time_s), bytes_text(effort.memory_bytes));
}

std::string demand_text(const JobDemand& demand) {
  std::string text = fmt::format("at least {} and {} of memory", duration_text(demand.time_s),
                                 bytes_text(demand.memory_bytes));
  if (demand.records_bytes > 0)
    text += fmt::format(", {} on disk for records", bytes_text(demand.records_bytes));
  text += fmt::format(", and {} of files with --out", bytes_text(demand.files_bytes));
  if (demand.estimate.time_s > 0) text += fmt::format(" (about {})", effort_text(demand.estimate));
  return text;
}

/// What the user asked for, in the words of errors.
struct Asked {
  const Scenario& scenario;
  std::string what;   // "100 iterations of 8 workers"
  std::string place;  // JSON pointer to what is too much
  Forcing forcing = Forcing::impossible;
};

/// What would be accepted if the demand is `times_too_much` times what there is.
std::string accepted_text(const Scenario& scenario, int seeds, double times_too_much) {
  if (!scenario.jobs.empty()) return "fewer iterations, workers or jobs";
  const std::string others = seeds > 1 ? "fewer workers, algorithms or seeds" : "fewer workers or algorithms";
  if (scenario.precision) return "fewer iterations (/iterations/most), " + others;
  const auto most = static_cast<std::int64_t>(static_cast<double>(scenario.iterations) / times_too_much);
  return most > 0 ? fmt::format("at most {}, {}", counted(most, "iteration"), others) : others;
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

void refuse_shortage(const Asked& asked, const JobDemand& demand, const MachineSupply& supply) {
  if (demand.memory_bytes > supply.memory_bytes && !takes_memory_for_iterations(demand, supply))
    refuse(asked, demand, "/cluster/workers", memory_text(supply),
           (asked.scenario.learning
                ? "fewer workers, fewer neighbors per worker, or a learning task with fewer parameters"
                : "fewer workers, or fewer neighbors per worker") +
               fewer_jobs_text(demand.memory_bytes, supply.memory_bytes, supply));
  const Shortage found = shortage(demand, supply);
  if (found.texts.empty()) return;
  std::string fewer_jobs = fewer_jobs_text(demand.records_bytes, supply.records_bytes, supply);
  if (fewer_jobs.empty()) fewer_jobs = fewer_jobs_text(demand.memory_bytes, supply.memory_bytes, supply);
  refuse(asked, demand, asked.place, fmt::format("{}", fmt::join(found.texts, ", and ")),
         accepted_text(asked.scenario, demand.seeds, found.greatest) + fewer_jobs);
}

}  // namespace

int runs_that_fit(const JobDemand& demand, const MachineSupply& of_all, int most) {
  double fit = std::min<double>(most, of_all.memory_bytes / demand.memory_bytes);
  if (demand.records_bytes > 0) fit = std::min(fit, of_all.records_bytes / demand.records_bytes);
  return std::max(static_cast<int>(fit), 1);
}

std::optional<std::string> demand_estimate_text(const JobDemand& demand, const MachineSupply& supply,
                                                double further_s) {
  constexpr double least_reported_s = 60;
  const RunEffort estimate{.time_s = demand.estimate.time_s + further_s,
                           .memory_bytes = demand.estimate.memory_bytes};
  const double most_s = demand.most_time_s + further_s;
  const bool is_too_large = estimate.memory_bytes > supply.memory_bytes;
  if (std::max(estimate.time_s, most_s) < least_reported_s && !is_too_large) return std::nullopt;
  std::string text = fmt::format("this takes about {}", effort_text(estimate));
  if (is_too_large) text += fmt::format(", more than the {} available", bytes_text(supply.memory_bytes));
  if (demand.most_time_s > demand.estimate.time_s)
    text += fmt::format("; up to {} if standard_error is not reached earlier", duration_text(most_s));
  return text;
}

void refuse_shortage(const ScenarioJob& job, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing) {
  const Scenario& scenario = job.scenario();
  const std::string iterations = scenario.precision
                                     ? fmt::format("up to {} iterations", scenario.precision->most_iterations)
                                     : counted(scenario.iterations, "iteration");
  const std::string seeds = demand.seeds > 1 ? fmt::format(" with {} seeds", demand.seeds) : "";
  refuse_shortage(
      Asked{.scenario = scenario,
            .what = fmt::format("{} of {}{}", iterations, counted(job.workers(), "worker"), seeds),
            .place = "/iterations",
            .forcing = forcing},
      demand, supply);
}

void refuse_shortage(const ScenarioJob& job, const MachineSupply& supply, Forcing forcing,
                     const RunConditions& conditions) {
  const JobDemand least = least_demand_of(job, conditions);
  const bool falls_short = least.memory_bytes > supply.memory_bytes || !shortage(least, supply).texts.empty();
  // The estimate takes longer to compute than some runs of a sweep take.
  if (falls_short) refuse_shortage(job, demand_of(job, conditions), supply, forcing);
}

void refuse_shortage(const Scenario& scenario, const JobDemand& demand, const MachineSupply& supply,
                     Forcing forcing) {
  refuse_shortage(Asked{.scenario = scenario,
                        .what = counted(scenario.jobs.size(), "job"),
                        .place = "/jobs",
                        .forcing = forcing},
                  demand, supply);
}

}  // namespace starling

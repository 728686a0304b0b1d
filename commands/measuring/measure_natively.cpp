#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/demand/demand.hpp"
#include "analysis/demand/shortage.hpp"
#include "analysis/explanation/run_explainer.hpp"
#include "analysis/native/native_machine.hpp"
#include "analysis/results/files/results_folder.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/running/runner.hpp"
#include "commands/measuring/do_on_all.hpp"
#include "commands/native_command.hpp"
#include "commands/shared/command.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/interruption.hpp"
#include "io/terminal/terminal.hpp"
#include "io/version.hpp"
#include "scenarios/reading/scenario_hash.hpp"
#include "scenarios/reading/scenario_reader.hpp"
#include "sim/native/mpi_job.hpp"
#include "topologies/networks/network.hpp"

namespace starling {
namespace {

/// A hash of the scenario's keys and of the compute times and tensors that follow from them.
std::string hash_of_work(const Scenario& scenario) {
  std::string text = scenario.as_read.dump();
  for (const std::vector<double>* times : {&scenario.workload.forward_s, &scenario.workload.backward_s})
    for (const double time_s : *times) text += fmt::format(" {}", time_s);
  for (const Tensor& tensor : scenario.workload.model.tensors) text += fmt::format(" {}", tensor.elements);
  return ScenarioHash::of(text);
}

std::string file_names(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : scenario.input_files) names.push_back(file.filename().string());
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Collective: checks that `own` is the same on all ranks. @throws UsageError on all ranks if it is not.
void check_same(const MpiJob& job, std::string_view what, std::string_view own) {
  const std::vector<std::string> all = job.gather_all(own);
  const std::vector<std::string> hosts = job.gather_all(job.host_name());
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all[0]) continue;
    throw UsageError(
        fmt::format("all ranks must have the same {}, but rank {} on {} has {} and rank 0 on {} has {}", what,
                    rank, hosts[rank], all[rank], hosts[0], all[0]));
  }
}

void check(const NativeArguments& arguments) {
  if (arguments.scenario == "-") throw UsageError("native: mpirun passes stdin to rank 0 only; give a file");
  if (arguments.repetitions < 1)
    throw UsageError(fmt::format("--repeat: {} repetitions; there must be 1 or more", arguments.repetitions));
  check_trace_has_folder(arguments.is_traced, arguments.out.has_value());
}

/// The output of the result and of progress; on rank 0 only.
struct Output {
  ProgressLine progress;
  std::optional<ResultsFolder> folder = {};
  TraceJson* trace = nullptr;
  std::optional<Interruption> interruption = {};

  void save(const Result& result, const IterationLog& log, const Scenario& scenario) {
    progress.clear();
    if (folder) {
      folder->save(result, log, scenario.warmup_iterations);
      interruption->keeps(finished_is_in(folder->partial_result_path()));
    }
    if (trace != nullptr) report_cut_off(*trace, result.runs.back().label);
  }
};

/// The host of each worker by the scenario, to compare with the hosts on which mpirun put the ranks.
std::vector<int> host_of_worker(const Scenario& scenario) {
  const Network network = build_network(scenario.cluster);
  std::vector<int> hosts;
  for (Rank rank = 0; rank < network.workers(); ++rank) hosts.push_back(network.host_of(rank));
  return hosts;
}

void open(Output& output, const NativeArguments& arguments, const Scenario& scenario, const MpiJob& job) {
  for (const std::string& warning : scenario.warnings) warn(warning);
  if (scenario.workload.communication_slowdown > 0)
    warn("communication_slowdown is ignored in measurements: they have the contention of this machine");
  if (scenario.as_read.at("cluster").contains("placement"))
    warn(
        "placement is ignored in measurements: mpirun places the ranks, see its --map-by, --rank-by and "
        "--rankfile");
  if (const auto warning = host_sharing_warning(job.host_of_rank(), host_of_worker(scenario))) warn(*warning);
  output.interruption.emplace(nothing_kept(arguments.out.has_value()));
  if (!arguments.out) return;
  output.folder.emplace(*arguments.out, ResultsKind{.scenario_hash = ScenarioHash().of(scenario),
                                                    .scenario_folder = folder_of_named_files(scenario),
                                                    .is_measured = true});
  if (!arguments.is_traced) return;
  output.trace = &output.folder->add_trace(static_cast<int>(scenario.algorithms.size()));
  output.trace->set_gradient_type(scenario.as_read);
}

Scenario read(const MpiJob& job, const NativeArguments& arguments) {
  std::optional<Scenario> scenario;
  do_on_all(job, [&] { check_same(job, "version of starling", version()); });
  do_on_all(job, [&] { scenario = read_scenario(arguments.scenario, arguments.overrides); });
  std::string of_work;
  std::string of_files;
  std::string names;
  do_on_all(job, [&] {
    of_work = hash_of_work(*scenario);
    of_files = ScenarioHash().of_files(*scenario);
    names = file_names(*scenario);
  });
  do_on_all(job, [&] { check_same(job, "scenario, of which this is a hash", of_work); });
  do_on_all(
      job, [&] { check_same(job, fmt::format("contents of {}, of which this is a hash", names), of_files); });
  do_on_all(job, [&] { check_same(job, "--repeat", std::to_string(arguments.repetitions)); });
  scenario->cluster.placement = {};  // mpirun places the ranks, in a way that is not known here
  return std::move(*scenario);
}

/// Observers that save, print and explain runs, which only rank 0 does.
RunObservers observers_of_rank_0(const Scenario& scenario, Output& output, RunExplainer& explainer) {
  RunObservers observers{.progress = &output.progress, .trace = output.trace, .explainer = &explainer};
  if (output.trace != nullptr) observers.run_begun = std::bind_front(&TraceJson::begin_run, output.trace);
  observers.run_finished = [&](const Result& result, const IterationLog& log) {
    output.save(result, log, scenario);
  };
  return observers;
}

Result run(const MpiJob& job, const NativeArguments& arguments, ScenarioJob& scenario_job, Output& output) {
  const Scenario& scenario = scenario_job.scenario();
  RunExplainer explainer(&output.progress);
  RunObservers observers;
  if (job.rank() == 0) observers = observers_of_rank_0(scenario, output, explainer);
  NativeMachine machine(scenario, job,
                        {.repetitions = arguments.repetitions, .is_traced = arguments.is_traced},
                        observers.progress);
  Result result = run_on(machine, scenario_job, observers);
  output.progress.clear();
  return result;
}

void warn_if_busy(const Result& result) {
  for (const RunResult& run : result.runs)
    for (const std::string& sign : signs_of_load(run.label, run.iteration_time_s.mean,
                                                 run.computing->late_s.mean, run.coefficient_of_variation))
      warn(sign);
}

/// Prints the rates of the ranks' matrix products, if there are any (compute kind `gemm`).
void print_rates(const Result& result) {
  const std::optional<std::vector<double>>& rates = result.runs.front().gemm_flops_per_s;
  if (!rates) return;
  const auto [least, greatest] = std::ranges::minmax_element(*rates);
  print_error(fmt::format("\nMatrix products: {:.1f} GFLOP/s on rank {} to {:.1f} on rank {}\n", *least / 1e9,
                          least - rates->begin(), *greatest / 1e9, greatest - rates->begin()));
}

void write(const Result& result, const NativeArguments& arguments, Output& output) {
  if (output.folder) output.folder->finish(result);
  output.interruption.reset();
  print_out(result_table(result));
  warn_if_busy(result);
  if (!arguments.is_quiet) print_rates(result);
  if (output.folder) report_written(output.folder->path(), arguments.is_quiet);
}

}  // namespace

void measure_natively(const NativeArguments& arguments) {
  const MpiJob job;
  do_on_all(job, [&] { check(arguments); });
  const Scenario scenario = read(job, arguments);
  std::optional<ScenarioJob> scenario_job;
  do_on_all(job, [&] {
    check_fits(scenario, job);
    scenario_job.emplace(scenario);
    if (job.rank() == 0)
      refuse_shortage(*scenario_job, demand_of_measuring(*scenario_job, arguments.repetitions),
                      supply_of_machine(arguments.out), Forcing::impossible);
  });
  Output output{.progress = progress_of_job(arguments.is_quiet || job.rank() != 0)};
  do_on_all(job, [&] {
    if (job.rank() == 0) open(output, arguments, scenario, job);
  });
  try {
    const Result result = run(job, arguments, *scenario_job, output);
    if (job.rank() == 0) write(result, arguments, output);
  } catch (const std::exception& error) {
    output.progress.clear();
    print_error(fmt::format("starling: rank {} on {}: {}\n", job.rank(), job.host_name(), error.what()));
    MpiJob::abort(run_failed);
  }
}

}  // namespace starling

#include <fmt/format.h>

#include <chrono>
#include <filesystem>

#include "analysis/calibration/calibration_report.hpp"
#include "commands/calibrate_command.hpp"
#include "commands/shared/command.hpp"
#include "io/output_file.hpp"
#include "io/scenario_error.hpp"
#include "io/terminal.hpp"
#include "scenarios/reading/cluster_file.hpp"
#include "sim/native/mpi_job.hpp"
#include "sim/native/native_world.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

namespace {

/// Of the file's network, between rank 0 and the lowest rank on another host.
NominalRoute nominal_route(const std::filesystem::path& file, const MpiJob& job) {
  const Network network = build_network(read_cluster_file(file).cluster);
  if (network.workers() != job.size())
    throw UsageError(fmt::format("--network: {} has {} workers, but mpirun started {} processes",
                                 file.string(), network.workers(), job.size()));
  for (Rank rank = 1; rank < network.workers(); ++rank)
    if (network.host_of(rank) != 0) return {network.alpha_s(0, rank), network.bandwidth_Bps(0, rank)};
  throw UsageError(fmt::format("--network: {} has one host only, and so no network", file.string()));
}

double steady_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void refuse_existing(const std::filesystem::path& file) {
  if (std::filesystem::exists(std::filesystem::symlink_status(file)))
    throw ScenarioError({.file = "--out",
                         .place = "",
                         .problem = "there is such a file already, and it is never replaced",
                         .got = file.string(),
                         .expected = "another file, or this one after you have moved it away"});
}

void calibrate_and_report(const MpiJob& job, const CalibrateArguments& arguments) {
  if (job.rank() == 0 && arguments.out) refuse_existing(*arguments.out);
  std::optional<NominalRoute> route;
  if (arguments.network) route = nominal_route(*arguments.network, job);
  NativeWorld world(job);
  Calibration calibration;
  world.run([&](Worker& worker) { calibration = calibrate(worker, steady_clock_s); });
  if (job.rank() != 0) return;
  print_out(calibration_table(calibration));
  if (arguments.out) write_once(*arguments.out, calibration_text(calibration, route));
}

}  // namespace

void measure_costs(const CalibrateArguments& arguments) {
  const MpiJob job;
  if (job.size() < 2)
    throw UsageError("messages need two processes at least: mpirun -n 2 starling calibrate");
  try {
    calibrate_and_report(job, arguments);
  } catch (const std::exception& error) {
    const ExitCode exit_code = exit_code_of(error);
    if (job.rank() == 0 || exit_code == run_failed)
      print_error(fmt::format("starling: rank {} on {}: {}\n", job.rank(), job.host_name(), error.what()));
    MpiJob::abort(exit_code);
  }
}

}  // namespace starling

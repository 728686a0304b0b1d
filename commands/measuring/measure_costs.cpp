#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "analysis/calibration/calibration_report.hpp"
#include "commands/calibrate_command.hpp"
#include "commands/measuring/do_on_all.hpp"
#include "commands/shared/command.hpp"
#include "commands/shared/output_place.hpp"
#include "io/output_file.hpp"
#include "io/terminal/terminal.hpp"
#include "scenarios/reading/cluster_file.hpp"
#include "sim/native/mpi_job.hpp"
#include "sim/native/native_world.hpp"
#include "topologies/networks/network.hpp"

namespace starling {

namespace {

bool is_on_one_host(const MpiJob& job) { return std::ranges::max(job.host_of_rank()) == 0; }

/// The route of the file's network between rank 0 and the lowest rank on another host. @throws UsageError if
/// the job does not match the network: another number of workers, or one host only.
NominalRoute nominal_route(const std::filesystem::path& file, const MpiJob& job) {
  if (file == "-") throw UsageError("--network: mpirun passes stdin to rank 0 only; give a file");
  const Network network = build_network(read_cluster_file(file).cluster);
  if (network.workers() != job.size())
    throw UsageError(fmt::format("--network: {} has {} workers, but mpirun started {} processes",
                                 file.string(), network.workers(), job.size()));
  Rank other = 1;
  while (other < network.workers() && network.host_of(other) == network.host_of(0)) ++other;
  if (other == network.workers())
    throw UsageError(fmt::format("--network: {} has one host only, and so no network", file.string()));
  if (is_on_one_host(job))
    throw UsageError(fmt::format(
        "--network: {} has {} hosts, but mpirun put all ranks on one, {}; start them on the hosts "
        "of that network, by mpirun --hostfile HOSTS or in a testbed",
        file.string(), network.hosts(), job.host_name()));
  return {network.alpha_s(0, other), network.bandwidth_Bps(0, other)};
}

double steady_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Checks that the file can be written, before anything is measured.
void check_out(const std::filesystem::path& file) {
  refuse_existing(file, "this file exists already, and is never replaced",
                  "another file, or this one after you have moved it away");
  check_can_be_written(file);
}

void warn_of_one_host() {
  warn(
      "mpirun put all ranks on one host: cluster.network will describe its memory, not a network; mpirun "
      "--hostfile HOSTS starts them on several hosts");
}

void calibrate_and_report(const MpiJob& job, const CalibrateArguments& arguments,
                          const std::optional<NominalRoute>& route) {
  NativeWorld world(job);
  Calibration calibration;
  world.run([&](Worker& worker) { calibration = calibrate(worker, steady_clock_s); });
  if (job.rank() != 0) return;
  print_out(calibration_table(calibration, route));
  if (arguments.out) write_once(*arguments.out, calibration_json(calibration, route).dump(2) + "\n");
}

}  // namespace

void measure_costs(const CalibrateArguments& arguments) {
  const MpiJob job;
  if (job.size() < 2)
    throw UsageError("messages need two processes at least: mpirun -n 2 starling calibrate");
  std::optional<NominalRoute> route;
  do_on_all(job, [&] {
    if (job.rank() == 0 && arguments.out) check_out(*arguments.out);
    if (arguments.network) route = nominal_route(*arguments.network, job);
  });
  if (job.rank() == 0 && !route && is_on_one_host(job)) warn_of_one_host();
  try {
    calibrate_and_report(job, arguments, route);
  } catch (const std::exception& error) {
    print_error(fmt::format("starling: rank {} on {}: {}\n", job.rank(), job.host_name(), error.what()));
    MpiJob::abort(run_failed);
  }
}

}  // namespace starling

#include "testbed/hosts/mpi_launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "testbed/network/address_plan.hpp"

namespace starling {
namespace {

constexpr int eager_bytes = 4 << 20;

/// "host0:2,host1:2,host2:1" for 5 workers, 2 on a host.
std::string host_list(const TestbedState& state) {
  std::string list;
  int rest = state.workers;
  for (const std::string& host : state.host_names) {
    const int here = std::min(rest, state.workers_per_host);
    list += fmt::format("{}{}:{}", list.empty() ? "" : ",", host, here);
    rest -= here;
  }
  return list;
}

}  // namespace

Guest mpi_launch(const TestbedDirectory& directory, const TestbedState& state,
                 const std::vector<std::string>& options, const std::vector<std::string>& command) {
  Guest guest;
  guest.command = {
      "mpirun",    "-np", std::to_string(state.workers), "--host", host_list(state), "--map-by", "slot",
      "--bind-to", "none"};
  guest.command.insert(guest.command.end(), options.begin(), options.end());
  guest.command.insert(guest.command.end(), command.begin(), command.end());

  const auto eager = std::to_string(eager_bytes);
  guest.environment = {
      {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
      {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
      {"OMPI_MCA_ras", "^slurm,tm,lsf,gridengine"},
      {"OMPI_MCA_plm", "rsh"},
      {"OMPI_MCA_plm_rsh_agent", directory.agent_file().string()},
      {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},
      {"OMPI_MCA_orte_tmpdir_base", directory.private_folder().string()},
      {"OMPI_MCA_orte_keep_fqdn_hostnames", "1"},  // otherwise host names would be cut at the first "."
      {"OMPI_MCA_oob", "tcp"},
      {"OMPI_MCA_oob_tcp_if_include", std::string(address_plan::management_network)},
      {"OMPI_MCA_pml", "ob1"},
      {"OMPI_MCA_btl", "tcp,self"},
      {"OMPI_MCA_btl_tcp_if_include", std::string(address_plan::data_network)},
      {"OMPI_MCA_btl_tcp_eager_limit", eager},
      {"OMPI_MCA_btl_tcp_rndv_eager_limit", eager},
      {"OMPI_MCA_btl_tcp_max_send_size", eager},
      {"OMPI_MCA_mpi_yield_when_idle", "1"},
  };
  return guest;
}

}  // namespace starling

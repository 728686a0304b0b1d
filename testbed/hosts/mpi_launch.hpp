#pragma once

#include <string>
#include <vector>

#include "testbed/hosts/guest.hpp"
#include "testbed/hosts/testbed_directory.hpp"

namespace starling {

/// The call of Open MPI's mpirun that starts one process of `command` for each worker, with consecutive ranks
/// on each host, as in block placement. `options` are passed to mpirun unchanged.
///
/// Settings for the testbed are environment variables, which options of mpirun and variables of the user
/// override: processes are started by the agent, managed over the management network, and communicate by TCP
/// over the shaped network. Messages up to 4 MiB are sent eagerly, without a rendezvous.
Guest mpi_launch(const TestbedDirectory& directory, const TestbedState& state,
                 const std::vector<std::string>& options, const std::vector<std::string>& command);

}  // namespace starling

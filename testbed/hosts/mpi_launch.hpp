#pragma once

#include <string>
#include <vector>

#include "testbed/hosts/guest.hpp"
#include "testbed/hosts/testbed_directory.hpp"

namespace starling {

/// The call of Open MPI's mpirun that starts one process of `command` for each worker, those of a host one
/// after another, as ranks are numbered in scenarios. `options` are given to mpirun as they are.
///
/// What concerns the testbed is in environment variables, which mpirun's own options and variables of the
/// user override: processes are started through the agent and managed over the management network, and talk
/// TCP over the shaped one. Messages up to 4 MiB are sent eagerly, without asking the receiver.
Guest mpi_launch(const TestbedDirectory& directory, const TestbedState& state,
                 const std::vector<std::string>& options, const std::vector<std::string>& command);

}  // namespace starling

#pragma once

#include <memory>

#include "sim/networks/network_model.hpp"
#include "sim/networks/simgrid/simgrid_options.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Makes a SimGridNetwork, loading its module on first use: loading SimGrid takes longer than a small run.
/// @throws the exceptions of the constructor, and std::runtime_error if the module cannot be loaded.
std::unique_ptr<NetworkModel> load_simgrid_network(const Routes& routes, const SimGridOptions& options = {});

}  // namespace starling

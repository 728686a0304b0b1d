#pragma once

#include <memory>

#include "sim/networks/network_model.hpp"
#include "sim/networks/simgrid/simgrid_options.hpp"
#include "sim/routes.hpp"

namespace starling {

/// A SimGridNetwork, from the module that has it: SimGrid takes longer to load than a small run takes.
/// @throws what its constructor throws, and std::runtime_error if the module cannot be loaded.
std::unique_ptr<NetworkModel> load_simgrid_network(const Routes& routes, const SimGridOptions& options = {});

}  // namespace starling

#include "sim/networks/simgrid/simgrid_module.hpp"

#include "base/module.hpp"

namespace starling {

std::unique_ptr<NetworkModel> load_simgrid_network(const Routes& routes, const SimGridOptions& options) {
  using Make = NetworkModel*(const Routes&, const SimGridOptions&);
  static Make* const make =
      Module("simgrid", "the engine simgrid").function<Make>("starling_make_simgrid_network");
  return std::unique_ptr<NetworkModel>(make(routes, options));
}

}  // namespace starling

#include "scenarios/importing/import_formats.hpp"

#include <array>

#include "scenarios/importing/astra_sim_network.hpp"
#include "scenarios/importing/astra_sim_workload.hpp"
#include "scenarios/importing/simai_topology.hpp"

namespace starling {

std::span<const ImportFormat> import_formats() {
  static constexpr std::array formats{
      ImportFormat{"astra-sim-network", "a network of ASTRA-sim's analytical back end (YAML)",
                   [](const ForeignFile& file, int) { return import_astra_sim_network(file); }},
      ImportFormat{"astra-sim-workload", "a workload of ASTRA-sim 1.0 or SimAI (text)",
                   import_astra_sim_workload},
      ImportFormat{"simai-topology", "a topology of SimAI (text)",
                   [](const ForeignFile& file, int) { return import_simai_topology(file); }}};
  return formats;
}

}  // namespace starling

#include "commands/calibrate_command.hpp"

namespace starling {

void add_calibrate(CommandLine& line, void (*measure)(const CalibrateArguments& arguments)) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  Command calibrate =
      line.add_command("calibrate", "Measure the costs of messages and reductions, for use in scenarios");
  calibrate.add_option("--out", "FILE", &arguments->out,
                       "File that a scenario's cluster can name as its \"file\"");
  calibrate.add_option(
      "--network", "FILE", &arguments->network,
      "A scenario, or its cluster: write what hosts add to this network, in place of a network");
  calibrate.set_footer(
      "Example:\n"
      "  mpirun -n 2 --hostfile hosts --map-by node starling calibrate --out calibrated.json\n"
      "As root, Open MPI's mpirun wants --allow-run-as-root.");
  calibrate.does(arguments, measure);
}

}  // namespace starling

#include "commands/native_command.hpp"

#include "commands/shared/common_options.hpp"

namespace starling {

void add_native(CommandLine& line, void (*measure)(const NativeArguments& arguments)) {
  const auto arguments = std::make_shared<NativeArguments>();
  Command native =
      line.add_command("native", "Measure the iteration time of every algorithm of a scenario, under mpirun");
  native.add_required_word("SCENARIO.json", &arguments->scenario, "The scenario file");
  add_out(native, arguments->out,
          "Folder, on rank 0's host, for result.json and iterations.csv; without it only the table is "
          "printed");
  native.add_option("--repeat", "N", &arguments->repetitions,
                    "Run every algorithm N times and report the run with the median iteration time, for an "
                    "even N the faster of the middle two (default: 1)");
  add_trace(native, arguments->is_traced);
  add_overrides(native, arguments->overrides, "scenario");
  add_quiet(native, arguments->is_quiet);
  native.set_footer(
      "Examples:\n"
      "  mpirun -n 16 starling native scenarios/quickstart.json --repeat 3 --out results/measured\n"
      "  mpirun -n 64 --hostfile hosts --bind-to core starling native scenario.json --out results/measured\n"
      "As root, Open MPI's mpirun wants --allow-run-as-root; for more ranks than cores, --oversubscribe.\n"
      "Exit codes: 0 done, 1 the run failed, 2 the input is wrong. Finished results are never replaced.");
  native.does(arguments, measure);
}

}  // namespace starling

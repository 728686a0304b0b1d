#include "commands/studies/plot_command.hpp"

#include "analysis/studies/pictures/sweep_plot.hpp"
#include "commands/shared/common_options.hpp"
#include "commands/shared/output_place.hpp"
#include "io/pictures/gnuplot.hpp"
#include "io/terminal/terminal.hpp"

namespace starling {

void add_plot(CommandLine& line) {
  const auto arguments = std::make_shared<PlotArguments>();
  Command plot = line.add_command("plot", "Draw the results of a sweep");
  plot.add_required_word("DIR", &arguments->folder, "The folder that starling sweep --out wrote");
  plot.add_option("--x", "DIMENSION", &arguments->x, "Required: a varied /json/pointer, or algorithm");
  plot.add_option("--y", "FIGURE", &arguments->y, "A column of sweep.csv (default: iteration_time_s)");
  plot.add_option("--color", "DIMENSION", &arguments->color,
                  "A curve for each value of this dimension (default: algorithm)");
  plot.add_option("--facet", "DIMENSION", &arguments->facet, "A panel for each value of this dimension");
  plot.add_option("--where", "DIMENSION=VALUE", &arguments->where,
                  "Only runs with this value; may be given several times");
  plot.add_option("--out", "FILE", &arguments->out,
                  "Required: the picture, a file that ends in .svg, .png or .pdf; only a picture made by "
                  "starling is replaced");
  add_quiet(plot, arguments->is_quiet);
  plot.set_footer(
      "Bands are 95 % intervals of the means; so are bars at points that are alone on their curve,\nor at "
      "values without an order, such as algorithms.\nPoints with a run that lacks the figure are not drawn; "
      "a warning lists them.\n"
      "Example:\n"
      "  starling plot results/scaling --x /cluster/workers --y iteration_time_s --facet "
      "/workload/imbalance/1/delay --out scaling.svg");
  plot.does(arguments, plot_command);
}

void plot_command(const PlotArguments& arguments) {
  if (!arguments.x) throw UsageError("plot needs --x: a varied /json/pointer, or algorithm");
  if (!arguments.out) throw UsageError("plot needs --out FILE.svg, .png or .pdf");
  SweepPlotOptions options{.x = *arguments.x};
  options.y = arguments.y.value_or(options.y);
  options.color = arguments.color.value_or(options.color);
  options.facet = arguments.facet;
  options.where = arguments.where;
  check_place_of_picture(*arguments.out, "--out");
  const SweepStore store = SweepStore::open(arguments.folder);
  const DrawnSweep drawn = sweep_plot(store, options, *arguments.out);
  if (!drawn.warning.empty()) warn(drawn.warning);
  run_gnuplot(drawn.script, *arguments.out);
  report_written(*arguments.out, arguments.is_quiet);
}

}  // namespace starling

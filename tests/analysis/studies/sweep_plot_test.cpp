#include "analysis/studies/sweep_plot.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

constexpr const char* plotted_base = R"({
  "iterations": 4, "cluster": {"workers": 4, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"}},
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]})";

class Swept {
 public:
  explicit Swept(const std::string& base = plotted_base) : store_(SweepStore::open_or_make(folder_.path())) {
    const SweepPlan plan =
        read_sweep({.file = folder_.write("base.json", base),
                    .varied = {"/cluster/workers=4,8,16", "/cluster/network/link/bandwidth=10Gbps,25Gbps"},
                    .overrides = {},
                    .seeds = {}});
    run_sweep(plan, store_, {}, {});
  }

  std::string script(const SweepPlotOptions& options, const std::string& name = "figure.svg") const {
    return sweep_plot(store_, options, name);
  }
  std::string error(const SweepPlotOptions& options, const std::string& name = "figure.svg") const {
    return error_of(folder_.path(), [&] { script(options, name); });
  }

 private:
  ScratchFolder folder_;
  SweepStore store_;
};

bool has_line(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a picture has a curve for each algorithm, units on its axes, and a part for each facet") {
  const Swept swept;
  const std::string script =
      swept.script({.x = "/cluster/workers", .facet = "/cluster/network/link/bandwidth"});
  CHECK(has_line(script, "set ylabel 'iteration time (ms)'"));
  CHECK(has_line(script, "set xlabel 'workers'"));
  CHECK(has_line(script, "set logscale x"));
  CHECK(has_line(script, "set label 'allreduce' at screen"));
  CHECK(has_line(script, "set label 'ddp' at screen"));
  CHECK(has_line(script, "set title 'bandwidth 10Gbps'"));
  CHECK(has_line(script, "set title 'bandwidth 25Gbps'"));
  CHECK(has_line(script, "$part1curve1 << EOD\n4 "));
}

TEST_CASE("quantities are numbers on an axis") {
  const Swept swept;
  const std::string script =
      swept.script({.x = "/cluster/network/link/bandwidth", .facet = "/cluster/workers"});
  CHECK(has_line(script, "set xlabel 'bandwidth (Gb/s)'"));
  CHECK(has_line(script, "'10' 10, '25' 25"));
}

std::string plotted_base_with(int algorithms) {
  nlohmann::json base = nlohmann::json::parse(plotted_base);
  base["algorithms"] = nlohmann::json::array();
  for (int i = 0; i < algorithms; ++i)
    base["algorithms"].push_back(
        {{"kind", "ddp"},
         {"label", i == 1 ? "one with a long name that goes on and on, beyond what any column of names holds"
                          : "number " + std::to_string(i)}});
  return base.dump();
}

/// Gnuplot leaves out names for which it finds no room, and says so; here it has nothing to say.
TEST_CASE("all curves are named, however many and long their names are") {
  for (const int algorithms : {5, 14}) {
    const Swept swept(plotted_base_with(algorithms));
    const std::string script =
        swept.script({.x = "/cluster/workers", .facet = "/cluster/network/link/bandwidth"});
    CHECK(has_line(script, "unset key\n"));
    for (int i = 0; i < algorithms; ++i)
      if (i != 1) CHECK(has_line(script, "set label 'number " + std::to_string(i) + "' at screen"));
    CHECK(has_line(script, "set label 'one with a long name that goes on and on"));
    CHECK(has_line(script, "dt 2") == (algorithms > 7));
  }
}

TEST_CASE("labels below an axis stand upright where they would touch") {
  const Swept few(plotted_base_with(2));
  const SweepPlotOptions options{
      .x = "algorithm", .color = "/cluster/workers", .facet = "/cluster/network/link/bandwidth"};
  CHECK(has_line(few.script(options), "set xtics rotate by 90 right ('number 0' 0, 'one with a long name "));
  CHECK(has_line(few.script(options), "long name that goes on and'.\"\\n\".'on, beyond what "));
  const Swept swept;
  CHECK(has_line(swept.script(options), "set xtics ('allreduce' 0, 'ddp' 1)"));
  const Swept many(plotted_base_with(14));
  CHECK(has_line(many.script(options), "'number 13' 13"));
}

TEST_CASE("what cannot be drawn is told") {
  const Swept swept;
  CHECK(swept.error({.x = "/cluster/workers"}) ==
        "plot: more varies than is shown, got /cluster/network/link/bandwidth, expected --color or --facet "
        "of it, or "
        "--where with one of its values");
  CHECK(swept.error({.x = "/cluster/workers", .where = {"/cluster/network/link/bandwidth=25Gbps"}}) ==
        "no error");
  CHECK(swept.error({.x = "/cluster/worker"})
            .starts_with("--x: does not vary (did you mean \"/cluster/workers\"?), got /cluster/worker"));
  CHECK(swept.error({.x = "/cluster/workers", .y = "iteration_time"})
            .starts_with(
                "--y: there is no such figure (did you mean \"iteration_time_s\"?), got iteration_time"));
  CHECK(swept.error({.x = "/cluster/workers", .y = "final_loss"}).starts_with("--y: no run has this figure"));
  CHECK(swept.error({.x = "/cluster/workers", .facet = "/cluster/network/link/bandwidth"}, "figure.jpg") ==
        "figure.jpg: no picture of this kind can be drawn, got .jpg, expected a name that ends in .svg, "
        ".png or .pdf");
}

}  // namespace
}  // namespace starling

#include "analysis/studies/pictures/sweep_plot.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "io/pictures/picture_layout.hpp"
#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

constexpr const char* plotted_base = R"({
  "iterations": 4, "cluster": {"workers": 4, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"}},
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]})";

/// A finished sweep to plot.
class Swept {
 public:
  /// Runs a sweep of `base`, or of `study`, whose base is base.json; `varied` is added to what the study
  /// varies.
  explicit Swept(const std::string& base = plotted_base,
                 std::vector<std::string> varied = {"/cluster/workers=4,8,16",
                                                    "/cluster/network/link/bandwidth=10Gbps,25Gbps"},
                 std::optional<int> seeds = {}, const std::string& study = "")
      : store_(SweepStore::open_or_make(folder_.path())) {
    const std::filesystem::path base_file = folder_.write("base.json", base);
    const SweepPlan plan = read_sweep({.file = study.empty() ? base_file : folder_.write("study.json", study),
                                       .varied = std::move(varied),
                                       .overrides = {},
                                       .seeds = seeds});
    run_sweep(plan, store_, {}, {});
  }

  std::string script(const SweepPlotOptions& options, const std::string& name = "figure.svg") const {
    return sweep_plot(store_, options, name).script;
  }
  std::string warning(const SweepPlotOptions& options) const {
    return sweep_plot(store_, options, "figure.svg").warning;
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

TEST_CASE("a sweep's picture has a curve for each algorithm, units on its axes, and a part for each facet") {
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

TEST_CASE("the title of a picture is the scenario's name") {
  const std::string called = R"({"name": "scaling", )";
  const Swept swept(called + std::string(plotted_base).substr(1), {"/cluster/workers=4,8"});
  CHECK(has_line(swept.script({.x = "/cluster/workers"}), "set label 'scaling' at screen"));
}

TEST_CASE("quantities with units are numbers on an axis") {
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

// Gnuplot's own key leaves out names for which there is no room. The picture has a key of its own.
TEST_CASE("all curves are named in the key, also many and with long names") {
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

TEST_CASE("labels below an axis are turned upright where they would touch") {
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

TEST_CASE("numbers that do not fit below an axis are left out, and are turned only if too few would remain") {
  const std::string bandwidth = "/cluster/network/link/bandwidth=10Gbps,25Gbps";
  const SweepPlotOptions options{.x = "/cluster/workers", .facet = "/cluster/network/link/bandwidth"};
  const Swept near(plotted_base, {"/cluster/workers=4,63,64", bandwidth});
  CHECK(has_line(near.script(options), "set xtics ('4' 4, '63' 63, '' 64)"));
  const Swept turned(plotted_base,
                     {"/workload/batch_size=10000,12000,14000,16000,18000,20000,22000,24000", bandwidth});
  CHECK(has_line(turned.script({.x = "/workload/batch_size", .facet = "/cluster/network/link/bandwidth"}),
                 "set xtics rotate by 90 right ('10000' 10000, "));
}

TEST_CASE("few numbers below an axis are written with all digits") {
  const Swept sizes(plotted_base, {"/workload/batch_size=1024,16384"});
  CHECK(has_line(sizes.script({.x = "/workload/batch_size"}), "set xtics ('1024' 1024, '16384' 16384)"));
  const Swept rates(plotted_base, {"/cluster/network/link/bandwidth=10Gbps,12.345Gbps"});
  CHECK(has_line(rates.script({.x = "/cluster/network/link/bandwidth"}), "'12.345' 12.345)"));
}

TEST_CASE("dimensions with the same or a numeric name are named by more of their pointer") {
  const Swept kinds(plotted_base, {"/algorithms/0/kind=allreduce,dear", "/algorithms/1/kind=ddp,wfbp"});
  const std::string kind =
      kinds.script({.x = "algorithm", .facet = "/algorithms/0/kind", .where = {"/algorithms/1/kind=ddp"}});
  CHECK(has_line(kind, "set title '0/kind dear'"));
  CHECK(has_line(kind, "set label 'base, 1/kind ddp' at screen"));
  const Swept numbered(plotted_base,
                       {R"(/algorithms/1={"kind":"dear"},{"kind":"ddp"})", "/cluster/workers=4,8"});
  CHECK(has_line(numbered.script({.x = "/cluster/workers", .facet = "/algorithms/1"}),
                 R"(set title 'algorithms/1 {"kind":"dear"}')"));
}

TEST_CASE("the x axis is logarithmic for geometric values and linear for arithmetic ones") {
  const SweepPlotOptions options{.x = "/cluster/workers"};
  for (const char* values : {"4,8,64", "2,4,8,16", "8,16,32", "2,64"})
    CHECK(has_line(Swept(plotted_base, {std::string("/cluster/workers=") + values}).script(options),
                   "set logscale x"));
  for (const char* values : {"2,3,4,5,6,7,8", "4,8,12,16", "8,9,10", "4,64", "1,5,10"})
    CHECK(!has_line(Swept(plotted_base, {std::string("/cluster/workers=") + values}).script(options),
                    "set logscale x"));
  const Swept many(plotted_base, {"/cluster/workers=2,3,4,6,8,12,16,24,32"});
  CHECK(has_line(many.script(options), "set xtics (2, 5, 10, 20)\n"));
}

TEST_CASE("the error of a picture that cannot be drawn says why") {
  const Swept swept;
  CHECK(swept.error({.x = "/cluster/workers"}) ==
        "plot: further dimensions vary, got /cluster/network/link/bandwidth, expected --color or --facet for "
        "them, or --where with one of their values");
  CHECK(swept.error({.x = "/cluster/workers", .where = {"/cluster/network/link/bandwidth=25Gbps"}}) ==
        "no error");
  CHECK(swept.error({.x = "/cluster/worker"})
            .starts_with("--x: does not vary (did you mean \"/cluster/workers\"?), got /cluster/worker"));
  CHECK(swept.error({.x = "/cluster/workers", .y = "iteration_time"})
            .starts_with(
                "--y: there is no such figure (did you mean \"iteration_time_s\"?), got iteration_time"));
  CHECK(swept.error({.x = "/cluster/workers", .y = "final_loss"}).starts_with("--y: no run has this figure"));
  CHECK(swept.error({.x = "/cluster/workers", .facet = "/cluster/network/link/bandwidth"}, "figure.jpg") ==
        "figure.jpg: pictures of this format cannot be drawn, got .jpg, expected a name that ends in .svg, "
        ".png or .pdf");
}

/// A base scenario with random compute times and learning.
std::string learning_base(int iterations = 6) {
  nlohmann::json base = nlohmann::json::parse(plotted_base);
  base["iterations"] = iterations;
  base["workload"]["imbalance"] = {{"kind", "gamma"}, {"coefficient_of_variation", 0.1}};
  base["learning"] = {
      {"task", "quadratic"}, {"learning_rate", 0.5}, {"target_loss", 0.05}, {"gradient_noise", 0.1}};
  return base.dump();
}

TEST_CASE("the interval of a single point on a curve is a bar, those of several points are a band") {
  const Swept swept(learning_base(), {"/cluster/workers=4,8"}, 3);
  const std::string lone = swept.script({.x = "algorithm", .facet = "/cluster/workers"});
  CHECK(has_line(lone, "$part0curve0 using 1:2:3:4 with yerrorbars lc rgb '#0072B2' pt 7"));
  CHECK(has_line(lone, "$part1curve1 using 1:2:3:4 with yerrorbars lc rgb '#D55E00' pt 5"));
  CHECK(!has_line(lone, "filledcurves"));
  CHECK(has_line(lone, "heads size screen"));  // the sample of an interval in the key
  CHECK(!has_line(lone, "set object rectangle"));
  const std::string several = swept.script({.x = "/cluster/workers"});
  CHECK(has_line(several, "$part0curve0 using 1:3:4 with filledcurves"));
  CHECK(!has_line(several, "yerrorbars"));
  CHECK(!has_line(several, "heads size screen"));
  CHECK(has_line(several, "set object rectangle"));
}

TEST_CASE("points of an unordered dimension have no lines and bands between them") {
  const Swept swept(learning_base(), {"/cluster/workers=4,8"}, 3);
  const std::string script = swept.script({.x = "algorithm", .color = "/cluster/workers"});
  CHECK(has_line(script, "$part0curve0 using 1:2:3:4 with yerrorbars lc rgb '#0072B2' pt 7"));
  CHECK(has_line(script, "$part0curve1 using 1:2 with points lc rgb '#D55E00' pt 5"));
  CHECK(!has_line(script, "filledcurves"));
  CHECK(!has_line(script, "linespoints"));
  CHECK(has_line(script, "heads size screen"));  // the sample of intervals in the key
  CHECK(!has_line(script, "nohead"));            // the sample of a line
  CHECK(!has_line(script, "set object rectangle"));
  CHECK(has_line(swept.script({.x = "/cluster/workers"}), "$part0curve1 using 1:2 with linespoints dt 1"));
}

TEST_CASE("the title of a picture has the scenario's name and the values that all its points share") {
  const Swept swept;
  CHECK(has_line(swept.script({.x = "/cluster/workers",
                               .where = {"/cluster/network/link/bandwidth=25Gbps", "algorithm=ddp"}}),
                 "set label 'base, bandwidth 25Gbps, ddp' at screen"));
  CHECK(has_line(swept.script({.x = "/cluster/workers", .facet = "/cluster/network/link/bandwidth"}),
                 "set label 'base' at screen"));
}

TEST_CASE("a curve without points in a part of the picture is not drawn there") {
  const Swept swept(plotted_base, {}, {}, R"({"base": "base.json",
    "vary": [{"/cluster/workers": [4, 8]}, {"/cluster/network/link/bandwidth": ["10Gbps", "25Gbps"]}],
    "skip": [{"when": {"/cluster/workers": 8, "/cluster/network/link/bandwidth": "25Gbps"},
              "reason": "new"}]})");
  const std::string script = swept.script(
      {.x = "algorithm", .color = "/cluster/network/link/bandwidth", .facet = "/cluster/workers"});
  for (const char* curve : {"$part0curve0", "$part0curve1", "$part1curve0"}) CHECK(has_line(script, curve));
  CHECK(!has_line(script, "$part1curve1"));
}

TEST_CASE("a warning lists points whose runs lack the figure") {
  const Swept rates(learning_base(60), {"/learning/learning_rate=0.001,0.5,3"});
  const SweepPlotOptions time_to_target{.x = "/learning/learning_rate", .y = "time_to_target_s"};
  CHECK(rates.warning(time_to_target) ==
        "not drawn: 4 of 6 points; of their 4 runs, 4 have no time_to_target_s (they reached no target); the "
        "points "
        "are at learning rate 0.001, 3");
  CHECK(rates.warning({.x = "/learning/learning_rate"}) == "");
  CHECK(rates.warning({.x = "/learning/learning_rate",
                       .y = "time_to_target_s",
                       .where = {"/learning/learning_rate=0.5"}}) == "");
}

TEST_CASE("a warning lists points where only some seeds have the figure, too") {
  // With these seeds the loss of two of four falls below 0.032.
  const Swept seeds(learning_base(60), {"/learning/target_loss=0.05,0.032"}, 4);
  CHECK(seeds.warning({.x = "/learning/target_loss", .y = "time_to_target_s"}) ==
        "not drawn: 2 of 4 points; of their 8 runs, 4 have no time_to_target_s (they reached no target); the "
        "points "
        "are at target loss 0.032");
}

TEST_CASE("titles of facets are broken into lines that fit") {
  const std::string link = R"("link":{"bandwidth":"10Gbps","latency":"1us"}})";
  const Swept swept(
      plotted_base,
      {R"(/cluster/network={"kind":"star",)" + link + R"(,{"kind":"ring",)" + link, "/cluster/workers=4,8"});
  const std::string script = swept.script({.x = "/cluster/workers", .facet = "/cluster/network"});
  for (const char* kind : {"star", "ring"})
    CHECK(has_line(
        script, std::string("set title 'network {\"kind\":\"") + kind +
                    "\",'.\"\\n\".'\"link\":{\"bandwidth\":\"10Gbps\",'.\"\\n\".'\"latency\":\"1us\"}}'\n"));
}

double number_after(const std::string& text, const std::string& before) {
  return std::stod(text.substr(text.find(before) + before.size()));
}

constexpr double dots_per_in = 96;

/// The left margin of the first part in inches.
double left_in(const std::string& script) {
  return number_after(script, "svg size ") / dots_per_in * number_after(script, "set lmargin at screen ");
}

/// The bottom margin of the first part in inches.
double below_in(const std::string& script) {
  const std::string size = script.substr(script.find("svg size "));
  return number_after(size, ",") / dots_per_in * number_after(script, "set bmargin at screen ");
}

TEST_CASE("the y axis has room for its numbers") {
  const Swept rates(learning_base(60), {"/learning/learning_rate=0.5,3"});
  const std::string narrow = rates.script({.x = "/learning/learning_rate"});
  constexpr double share_of_dot = 0.005;  // the size of a picture is rounded to whole dots
  CHECK(left_in(narrow) == about(PartSize{}.left_in, share_of_dot));
  // Up to 1e+30 and more.
  const std::string wide = rates.script({.x = "/learning/learning_rate", .y = "final_loss"});
  CHECK(has_line(wide, "set logscale y"));
  constexpr double character_in = 0.1;  // approximate width of a letter of 13 dots
  CHECK(left_in(wide) > left_in(narrow) + character_in);
}

TEST_CASE("the bottom margin has room for descenders of the axis label") {
  const Swept swept;
  const std::string script =
      swept.script({.x = "/cluster/workers", .where = {"/cluster/network/link/bandwidth=25Gbps"}});
  CHECK(below_in(script) > 0.7);
}

TEST_CASE("a dimension that varies together with a shown one needs no choice") {
  const Swept swept(plotted_base, {}, {}, R"({"base": "base.json", "vary": [
      {"/cluster/workers": [4, 8], "/workload/batch_size": [64, 32]},
      [{"/algorithms/0/kind": "allreduce"}, {"/algorithms/0/kind": "dear"}]]})");
  CHECK(swept.error({.x = "/cluster/workers"})
            .starts_with("plot: further dimensions vary, got /algorithms/0/kind, expected "));
  CHECK(swept.error({.x = "/cluster/workers", .where = {"/algorithms/0/kind=dear"}}) == "no error");
}

TEST_CASE(
    "the error of a picture of a sweep without results says how to continue it, or which figure is missing") {
  const ScratchFolder folder;
  SweepStore store = SweepStore::open_or_make(folder.path());
  const SweepPlan plan = read_sweep({.file = folder.write("base.json", plotted_base),
                                     .varied = {"/cluster/workers=0"},
                                     .overrides = {},
                                     .seeds = {}});
  store.set_plan(plan);
  const auto error = [&] {
    return error_of(folder.path(), [&] { sweep_plot(store, {.x = "/cluster/workers"}, "figure.svg"); });
  };
  CHECK(error() ==
        "sweep.sqlite: no run of this sweep has ended yet, expected a sweep with results; unless it is still "
        "running, repeat its starling sweep command to continue it");
  run_sweep(plan, store, {}, {});
  CHECK(error().starts_with("--y: no run has this figure, got iteration_time_s"));
}

}  // namespace
}  // namespace starling

#include "scenarios/reading/scenario_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "io/input_file.hpp"
#include "io/json_text.hpp"
#include "io/overrides.hpp"
#include "io/scenario_error.hpp"
#include "io/schema.hpp"
#include "scenarios/reading/algorithm_reader.hpp"
#include "scenarios/reading/cluster_reader.hpp"
#include "scenarios/reading/learning_reader.hpp"
#include "scenarios/reading/scenario_schema.hpp"
#include "scenarios/reading/workload_reader.hpp"

namespace starling {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr std::int64_t most_iterations = 1'000'000'000;
/// Every worker's every iteration is kept: more records than this take several gigabytes.
constexpr double many_records = 5e7;

Normalized<SimGridOptions> read_simgrid(const JsonPlace& place) {
  ObjectReader object(place, {"model", "cross_traffic", "tcp_gamma", "latency_factor", "bandwidth_factor",
                              "weight_s", "time_precision", "rate_precision"});
  const std::vector<std::string> models(simgrid_models().begin(), simgrid_models().end());
  constexpr Range factor_range{.least = 1e-6, .greatest = 1e6};
  SimGridOptions options;
  options.model = object.choice("model", models, options.model);
  options.cross_traffic = object.boolean("cross_traffic", options.cross_traffic);
  options.tcp_gamma_bytes = object.quantity("tcp_gamma", Dimension::size, options.tcp_gamma_bytes);
  options.latency_factor = object.optional_number("latency_factor", factor_range);
  options.bandwidth_factor = object.optional_number("bandwidth_factor", factor_range);
  options.weight_s_bytes = object.optional_quantity("weight_s", Dimension::size);
  options.time_precision_s = object.quantity("time_precision", Dimension::time, options.time_precision_s,
                                             Range{.least = 1e-18, .greatest = 1});
  options.rate_precision_Bps =
      object.quantity("rate_precision", Dimension::bandwidth, options.rate_precision_Bps,
                      Range{.least = 1e-18, .greatest = 0.5});
  return {options, object.as_read()};
}

Normalized<FairOptions> read_fair(const JsonPlace& place) {
  ObjectReader object(place, {"epsilon", "window", "frame", "weight_s", "control_channel"});
  constexpr Range epsilon_range{.least = 1e-9, .greatest = 0.1};
  constexpr Range size_range{.least = 1, .greatest = 1e18};
  FairOptions options;
  options.epsilon = object.number("epsilon", epsilon_range, options.epsilon);
  if (object.has("window")) options.window_bytes = object.quantity("window", Dimension::size, {}, size_range);
  options.frame_bytes = object.quantity("frame", Dimension::size, options.frame_bytes, size_range);
  options.weight_s_bytes = object.optional_quantity("weight_s", Dimension::size);
  options.has_control_channel = object.boolean("control_channel", options.has_control_channel);
  return {options, object.as_read()};
}

void read_engine(ObjectReader& object, Scenario& scenario) {
  const std::vector<std::string>& engines = engine_names();
  const std::string engine = object.choice("engine", engines, "event");
  scenario.engine = static_cast<Engine>(std::find(engines.begin(), engines.end(), engine) - engines.begin());
  // A scenario for one engine may carry the options of others, for when it is run with these.
  const json nothing = json::object();
  if (const auto options = object.optional_object("simgrid", read_simgrid))
    scenario.simgrid = *options;
  else if (scenario.engine == Engine::simgrid)
    object.note("simgrid", read_simgrid(JsonPlace(nothing, object.place().file())).as_read);
  if (const auto options = object.optional_object("fair", read_fair))
    scenario.fair = *options;
  else if (scenario.engine == Engine::fair)
    object.note("fair", read_fair(JsonPlace(nothing, object.place().file())).as_read);

  const std::string collectives = object.choice("collectives", {"auto", "messages"}, "auto");
  scenario.collectives =
      collectives == "auto" ? CollectiveExecution::automatic : CollectiveExecution::messages;
}

/// A tenth, but at least one where that leaves another to measure: the first iteration differs from all
/// others.
std::int64_t default_warmup(std::int64_t iterations) {
  return iterations == 1 ? 0 : std::max<std::int64_t>(1, iterations / 10);
}

void warn_about_warmup(Scenario& scenario) {
  if (scenario.warmup_iterations > 0) return;
  for (const ScenarioAlgorithm& algorithm : scenario.algorithms)
    if (algorithm.options.traits().ends_before_its_messages)
      scenario.warnings.push_back(fmt::format(
          "{}: /warmup_iterations: without warm-up the first iteration of {} counts, which is shorter "
          "than the others: it has no messages of an iteration before it",
          scenario.file.string(), algorithm.label));
}

void read_length(ObjectReader& object, Scenario& scenario) {
  scenario.iterations = object.integer("iterations", {1, most_iterations}, 100);
  scenario.warmup_iterations =
      object.integer("warmup_iterations", {0, most_iterations}, default_warmup(scenario.iterations));
  if (scenario.warmup_iterations >= scenario.iterations)
    object.at("warmup_iterations")
        .fail("leaves no iteration to measure",
              fmt::format("less than the {} iterations", scenario.iterations));
}

void warn_about_size(Scenario& scenario) {
  const double records = static_cast<double>(scenario.iterations) * scenario.cluster.workers;
  if (records > many_records)
    scenario.warnings.push_back(
        fmt::format("{}: {} iterations of {} workers need several gigabytes of memory",
                    scenario.file.string(), scenario.iterations, scenario.cluster.workers));
}

/// An error in a value that came from the command line names the option, not the file.
ScenarioError naming_override(const ScenarioError& error, const std::vector<Override>& overrides,
                              const std::string& file) {
  ScenarioError::Description description = error.description();
  for (const Override& change : overrides) {
    if (description.file == file && concerns(change, description.place))
      description.file = "--set " + change.option;
  }
  return ScenarioError(description);
}

}  // namespace

Scenario read_scenario_document(const json& document, const std::filesystem::path& file) {
  const JsonPlace root(document, file.string());
  ObjectReader object(root, {"name", "seed", "iterations", "warmup_iterations", "engine", "simgrid", "fair",
                             "collectives", "cluster", "workload", "learning", "algorithms"});
  const InputFileLog input_files;
  Scenario scenario;
  scenario.file = file;
  scenario.name = object.text("name", file.stem().string());
  scenario.seed = static_cast<std::uint64_t>(object.integer("seed", {}, 1));
  read_length(object, scenario);
  read_engine(object, scenario);

  auto cluster = object.object("cluster", [&](const JsonPlace& place) {
    return read_cluster(place, scenario.warnings, scenario.engine == Engine::tcp);
  });
  scenario.cluster = std::move(cluster.options);
  scenario.message_costs = cluster.message_costs;
  scenario.message_costs.seed = scenario.seed;
  scenario.host_costs = cluster.host_costs;
  scenario.tcp = cluster.tcp;
  auto workload = object.object("workload", [&](const JsonPlace& place) {
    return read_workload(place, scenario.cluster.workers, scenario.seed);
  });
  scenario.workload = std::move(workload.workload);
  scenario.compute_kind = workload.compute_kind;
  scenario.imbalance = std::move(workload.imbalance);
  scenario.learning = object.optional_object("learning", [&](const JsonPlace& place) {
    return read_learning(place, {.workload = scenario.workload,
                                 .workers = scenario.cluster.workers,
                                 .iterations = scenario.iterations,
                                 .seed = scenario.seed});
  });

  const bool even = scenario.cluster.workers % scenario.cluster.workers_per_host == 0;
  scenario.algorithms = read_algorithms(object.at("algorithms", "a list"),
                                        {.workers_are_even = even, .seed = scenario.seed}, scenario.warnings);
  auto algorithms = ordered_json::array();
  for (const ScenarioAlgorithm& algorithm : scenario.algorithms) algorithms.push_back(algorithm.as_read);
  object.note("algorithms", std::move(algorithms));

  scenario.as_read = object.as_read();
  warn_about_size(scenario);
  warn_about_warmup(scenario);
  scenario.input_files = input_files.paths();
  return scenario;
}

Scenario read_scenario(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  json document = parse_json(read_text_file(file), file.string());
  std::vector<Override> changes;
  for (const std::string& option : overrides) {
    changes.push_back(parse_override(option));
    apply_override(document, changes.back());
  }
  try {
    Scenario scenario = read_scenario_document(document, file);
    validate_against(document, scenario_schema(), file.string());
    return scenario;
  } catch (const ScenarioError& error) {
    throw naming_override(error, changes, file.string());
  }
}

}  // namespace starling

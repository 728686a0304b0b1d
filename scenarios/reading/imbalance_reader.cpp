#include "scenarios/reading/imbalance_reader.hpp"

#include <fmt/core.h>

#include <cstdint>
#include <set>
#include <utility>

#include "io/data_directory.hpp"
#include "io/input_file.hpp"
#include "io/scenario_error.hpp"
#include "scenarios/reading/distribution_file.hpp"
#include "scenarios/reading/trace_file.hpp"

namespace starling {

using nlohmann::ordered_json;

namespace {

constexpr Range factor_range{.least = 1e-6, .greatest = 1e6};
constexpr Range sojourn_range{.least = 1, .greatest = 1e9};

double read_delay(ObjectReader& object, const std::string& key) {
  return object.quantity(key, Dimension::time);
}

Rank read_rank(ObjectReader& object, int workers) { return object.small_integer("worker", {0, workers - 1}); }

template <Law law>
Imbalance read_random_factor(ObjectReader& object, int) {
  // The normal law is truncated at 0, which bounds what variation it can have.
  constexpr double greatest = law == Law::normal ? 0.95 : 10;
  return RandomFactor{law, object.number("coefficient_of_variation", {.least = 0, .greatest = greatest})};
}

Normalized<ClusteredTail> read_tail(const JsonPlace& place) {
  ObjectReader object(place, {"probability", "iterations"});
  ClusteredTail tail;
  tail.iterations = object.number("iterations", {.least = 1e-6, .greatest = 1});
  tail.probability = object.number("probability", {.least = 0, .greatest = tail.iterations});
  return {tail, object.as_read()};
}

Imbalance read_distribution(ObjectReader& object, int) {
  const JsonPlace& place = object.place();
  if (object.has("name") == object.has("file"))
    throw ScenarioError(
        {place.file(), place.pointer(), "must name one distribution", "", "either \"name\" or \"file\""});
  const std::string key = object.has("name") ? "name" : "file";
  object.text(key);
  Distribution distribution = key == "name" ? read_shipped_distribution(object.at(key))
                                            : read_distribution_file(input_path(object.at(key)));
  if (distribution.unit() != "s")
    object.at(key).fail(fmt::format("is a distribution of {}, not of times", distribution.unit()),
                        "one in unit s");
  const std::string meaning = object.choice("as", {"compute", "delay"}, "compute");
  const ClusteredTail tail = object.optional_object("clustered_tail", read_tail).value_or(ClusteredTail{});
  if (meaning == "delay") return DrawnDelay{std::move(distribution), tail};
  return DrawnComputeTime{std::move(distribution), tail};
}

Imbalance read_random_delay(ObjectReader& object, int workers) {
  const int delayed = object.small_integer("workers", {0, workers});
  return RandomDelay{delayed, read_delay(object, "delay")};
}

Imbalance read_independent_delay(ObjectReader& object, int) {
  const double probability = object.number("probability", {.least = 0, .greatest = 1});
  return IndependentDelay{probability, read_delay(object, "delay")};
}

Imbalance read_linear_skew(ObjectReader& object, int) {
  const double step_s = read_delay(object, "step");
  return LinearSkew{step_s, object.boolean("rotate", false)};
}

Imbalance read_slow_workers(ObjectReader& object, int workers) {
  SlowWorkers slow;
  std::set<Rank> seen;
  for (const JsonPlace& place : object.at("workers").elements(1)) {
    slow.workers.push_back(static_cast<Rank>(place.integer({0, workers - 1})));
    if (!seen.insert(slow.workers.back()).second) place.fail("this rank appears twice", "each rank once");
  }
  object.note("workers", slow.workers);
  slow.factor = object.number("factor", factor_range);
  return slow;
}

Imbalance read_markov(ObjectReader& object, int) {
  MarkovStates states;
  states.slow_factor = object.number("slow_factor", factor_range);
  states.mean_slow_iterations = object.number("mean_slow", sojourn_range);
  states.mean_fast_iterations = object.number("mean_fast", sojourn_range);
  return states;
}

Imbalance read_trace(ObjectReader& object, int) {
  object.text("file");
  return read_trace_file(input_path(object.at("file")));
}

Imbalance read_pause(ObjectReader& object, int workers) {
  Pause pause;
  pause.worker = read_rank(object, workers);
  pause.iteration = object.integer("iteration", {});
  pause.duration_s = read_delay(object, "duration");
  return pause;
}

struct KindReader {
  std::string kind;
  std::vector<std::string> keys;
  Imbalance (*read)(ObjectReader& object, int workers);
};

const std::vector<KindReader>& kind_readers() {
  static const std::vector<KindReader> readers = {
      {"normal", {"coefficient_of_variation"}, read_random_factor<Law::normal>},
      {"lognormal", {"coefficient_of_variation"}, read_random_factor<Law::lognormal>},
      {"gamma", {"coefficient_of_variation"}, read_random_factor<Law::gamma>},
      {"weibull", {"coefficient_of_variation"}, read_random_factor<Law::weibull>},
      {"distribution", {"name", "file", "as", "clustered_tail"}, read_distribution},
      {"random_delay", {"workers", "delay"}, read_random_delay},
      {"independent_delay", {"probability", "delay"}, read_independent_delay},
      {"linear_skew", {"step", "rotate"}, read_linear_skew},
      {"slow_workers", {"workers", "factor"}, read_slow_workers},
      {"markov", {"slow_factor", "mean_slow", "mean_fast"}, read_markov},
      {"trace", {"file"}, read_trace},
      {"pause", {"worker", "iteration", "duration"}, read_pause},
  };
  return readers;
}

Normalized<Imbalance> read_cause(const JsonPlace& place, int workers) {
  const std::string kind = read_kind(place, "kind of imbalance", imbalance_kinds(), {"failure"});
  const auto& readers = kind_readers();
  const auto reader = std::find_if(readers.begin(), readers.end(),
                                   [&](const KindReader& candidate) { return candidate.kind == kind; });
  std::vector<std::string> keys = reader->keys;
  keys.insert(keys.begin(), "kind");
  ObjectReader object(place, keys);
  object.note("kind", kind);
  Imbalance cause = reader->read(object, workers);
  return {std::move(cause), object.as_read()};
}

bool replaces_compute_time(const Imbalance& cause) {
  return std::holds_alternative<DrawnComputeTime>(cause) || std::holds_alternative<ComputeTrace>(cause);
}

}  // namespace

const std::vector<std::string>& imbalance_kinds() {
  static const std::vector<std::string> kinds = [] {
    std::vector<std::string> names;
    for (const KindReader& reader : kind_readers()) names.push_back(reader.kind);
    return names;
  }();
  return kinds;
}

Normalized<std::vector<Imbalance>> read_imbalance(const JsonPlace& place, int workers) {
  const bool is_list = place.value().is_array();
  const std::vector<JsonPlace> places = is_list ? place.elements() : std::vector{place};
  Normalized<std::vector<Imbalance>> causes{{}, ordered_json::array()};
  bool replaced = false;
  for (const JsonPlace& element : places) {
    auto [cause, as_read] = read_cause(element, workers);
    if (replaced && replaces_compute_time(cause))
      element.fail("the compute time is already drawn or traced", "one distribution or trace in the list");
    replaced = replaced || replaces_compute_time(cause);
    causes.value.push_back(std::move(cause));
    causes.as_read.push_back(std::move(as_read));
  }
  return causes;
}

}  // namespace starling

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "analysis/results/files/result_json.hpp"
#include "analysis/results/result_table.hpp"
#include "analysis/running/runner.hpp"
#include "small_scenario.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

/// The JSON of a result without the keys that depend on watching links or on evaluation.
nlohmann::ordered_json without_links(const Result& result) {
  nlohmann::ordered_json document = result_json(result);
  document.erase("simulation");
  for (auto& run : document["runs"]) {
    run.erase("links");
    run["traffic"].erase("evaluated_messages");
    run.erase("evaluated_share");
  }
  return document;
}

TEST_CASE("Links of a ring all-reduce carry the bytes, and are busy for the time, of their closed forms") {
  for (const Engine engine : {Engine::event, Engine::fair, Engine::tcp, Engine::simgrid}) {
    CAPTURE(static_cast<int>(engine));
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.tcp.acknowledgment_bytes = 0;
    add_algorithm(scenario, AllreduceOptions{});
    const RunResult run = simulate(scenario, {.watching = {.links = true}}).runs[0];
    const LinkUses& links = *run.links;
    CHECK(links.links_of_network == 8);
    REQUIRE(links.used.size() == 8);
    CHECK(*links.iterations == 5);
    CHECK(links.run_s == about(run.makespan_s, 1e-12));
    for (const LinkUse& link : links.used) {
      CAPTURE(link.name);
      CHECK(link.bytes == 5 * 6e6);  // 2·3/4·4 MB an iteration
      CHECK(link.busy_fraction == about(6e-3 / run.iteration_time_s.mean, 1e-6));
      CHECK(link.bytes_while[static_cast<std::size_t>(Activity::waiting)] == link.bytes);
      CHECK(link.most_bytes_under_way >= 1e6);
      CHECK(link.most_bytes_under_way <= 2e6);
    }
    CHECK(links.period_s.has_value() == (engine != Engine::simgrid));
  }
}

TEST_CASE("The load of a link over time sums to its busy fraction") {
  for (const Engine engine : {Engine::event, Engine::fair, Engine::tcp}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.01}};
    add_all_algorithms(scenario);
    for (const RunResult& run : simulate(scenario, {.watching = {.links = true}}).runs) {
      CAPTURE(run.label);
      const LinkUses& links = *run.links;
      REQUIRE_FALSE(links.used.empty());
      for (const LinkUse& link : links.used) {
        double busy_s = 0;
        for (std::size_t i = 0; i < link.over_time.size(); ++i) {
          const double begin_s = static_cast<double>(i) * *links.period_s;
          busy_s += link.over_time[i] * std::min(*links.period_s, links.run_s - begin_s);
        }
        // Messages in flight at the end of the run are not counted in periods, and shares are exact to half a
        // percent: 2 %.
        CHECK(busy_s / links.run_s == about(link.busy_fraction, 0.02));
        CHECK(link.over_time.size() > 16);
        CHECK(link.over_time.size() <= 32);
        const double bytes = std::accumulate(link.bytes_while.begin(), link.bytes_while.end(), 0.0);
        CHECK(bytes == about(link.bytes, 1e-9));
      }
    }
  }
}

TEST_CASE("Links carry the bytes sent times the links of a route, and watching them changes no result") {
  for (const Engine engine : {Engine::event, Engine::fair}) {
    Scenario scenario = small_scenario();
    scenario.engine = engine;
    scenario.imbalance = {RandomDelay{.workers = 1, .delay_s = 0.01}};
    add_all_algorithms(scenario);
    const Result watched = simulate(scenario, {.watching = {.links = true}});
    const Result result = simulate(scenario);
    for (std::size_t i = 0; i < result.runs.size(); ++i) {
      const RunResult& run = watched.runs[i];
      CAPTURE(run.label);
      if (engine == Engine::event) CHECK(*run.traffic.evaluated_messages == 0);
      CHECK_FALSE(result.runs[i].links.has_value());
      const double sum =
          std::accumulate(run.links->used.begin(), run.links->used.end(), 0.0,
                          [](double bytes, const LinkUse& link) { return bytes + link.bytes; });
      CHECK(sum == about(2 * run.traffic.bytes, 1e-9));
      CHECK(run.iteration_time_s.mean == about(result.runs[i].iteration_time_s.mean, 1e-12));
      CHECK(run.traffic.messages == result.runs[i].traffic.messages);
    }
    if (engine == Engine::event) CHECK(without_links(watched) == without_links(result));
  }
}

TEST_CASE("Bytes sent during the backward pass are counted apart from those sent while waiting") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, WfbpOptions{});
  const LinkUses links = *simulate(scenario, {.watching = {.links = true}}).runs[0].links;
  const LinkUse& link = links.used.front();
  // The second layer's 2.4 MB of gradients (2·3/4 on a link) overlap the first layer's backward pass; the
  // first layer's follow it.
  CHECK(link.bytes_while[static_cast<std::size_t>(Activity::backward)] == about(5 * 2.4e6, 1e-12));
  CHECK(link.bytes_while[static_cast<std::size_t>(Activity::waiting)] == about(5 * 3.6e6, 1e-12));
}

TEST_CASE("The table names the ten busiest links, equal ones in the network's order") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 8;
  add_algorithm(scenario, AllreduceOptions{});
  const std::string table = result_table(simulate(scenario, {.watching = {.links = true}}));
  CHECK(table.find("links of allreduce: 16 of 16 used, the 10 busiest; an iteration takes 37.03 ms") !=
        std::string::npos);
  CHECK(table.find("host0 -> switch0  1.000 GB/s        7.000 MB  7.000 ms        18.9 %  18.9 %") !=
        std::string::npos);
  CHECK(table.find("share of the bytes sent while the sender did that") != std::string::npos);
  CHECK(result_table(simulate(scenario)).find("links of") == std::string::npos);
}

}  // namespace
}  // namespace starling

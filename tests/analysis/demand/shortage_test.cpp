#include "analysis/demand/shortage.hpp"

#include <doctest/doctest.h>

#include <string>

#include "analysis/demand/demand.hpp"
#include "io/scenario_error.hpp"
#include "tests/analysis/demand/demand_scenarios.hpp"
#include "workloads/records/large_memory.hpp"

namespace starling {
namespace {

constexpr double plenty = 1e30;
constexpr MachineSupply all_of_it{
    .time_s = plenty, .memory_bytes = plenty, .records_bytes = plenty, .files_bytes = plenty};

/// The text of the refusal; empty if the job is accepted.
std::string refusal(const Scenario& scenario, const MachineSupply& supply) {
  try {
    refuse_shortage(ScenarioJob(scenario), supply, Forcing::possible);
    return "";
  } catch (const ScenarioError& error) {
    return error.what();
  }
}

TEST_CASE("A small job is accepted by the machine that runs the tests") {
  Scenario scenario = small_scenario();
  add_all_algorithms(scenario);
  CHECK(refusal(scenario, supply_of_machine("results")) == "");
}

TEST_CASE("A folder in which no file can be made is not refused for lack of disk space") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  CHECK(refusal(scenario, supply_of_machine("/proc/results")) == "");
}

TEST_CASE("A refusal of too many iterations says what they take, what is missing and how many would fit") {
  MachineSupply supply = all_of_it;
  supply.files_bytes = 5e9;
  const std::string refused = refusal(long_scenario(), supply);
  CAPTURE(refused);
  CHECK(refused.starts_with(
      "small.json: /iterations: 1000000000 iterations of 4 workers would take at least "));
  CHECK(refused.find(" of memory, 320.0 GB on disk for records, and ") != std::string::npos);
  CHECK(refused.find("the disk of --out has room for 5.000 GB, expected at most ") != std::string::npos);
  CHECK(refused.ends_with(" iterations, fewer workers or algorithms, or --force"));

  const std::size_t place = refused.find("at most ") + std::string("at most ").size();
  Scenario fewer = long_scenario();
  fewer.iterations = std::stoll(refused.substr(place));
  CHECK(refusal(fewer, supply) == "");
  fewer.iterations = fewer.iterations * 101 / 100;
  CHECK(refusal(fewer, supply) != "");
}

TEST_CASE("A refusal names every resource that is short") {
  MachineSupply supply{.time_s = 60, .memory_bytes = plenty, .records_bytes = 1e9, .files_bytes = 2e9};
  const std::string refused = refusal(long_scenario(), supply);
  CHECK(refused.find("runs of more than 60.00 s are refused, and " + folder_of_large_memory() +
                     " has room for 1.000 GB, and the disk of --out has room for 2.000 GB") !=
        std::string::npos);
}

TEST_CASE("The refusal of a job that cannot be forced does not mention --force") {
  Scenario scenario = long_scenario();
  scenario.iterations = 100'000;
  const ScenarioJob job(scenario);
  const JobDemand demand = demand_of_measuring(job, 3);
  refuse_shortage(job, demand, all_of_it, Forcing::impossible);
  MachineSupply supply = all_of_it;
  supply.time_s = 3600;
  try {
    refuse_shortage(job, demand, supply, Forcing::impossible);
    FAIL("nothing was refused");
  } catch (const ScenarioError& error) {
    const std::string refused = error.what();
    CAPTURE(refused);
    CHECK(
        refused.starts_with("small.json: /iterations: 100000 iterations of 4 workers would take at least "));
    CHECK(refused.ends_with(" iterations, fewer workers or algorithms"));
  }
}

TEST_CASE("Records and files on the same disk share its free space") {
  const JobDemand demand = demand_of(ScenarioJob(long_scenario()));
  MachineSupply supply = all_of_it;
  supply.records_bytes = supply.files_bytes = demand.files_bytes + demand.records_bytes / 2;
  CHECK(refusal(long_scenario(), supply) == "");
  supply.is_one_disk = true;
  CHECK(refusal(long_scenario(), supply) != "");
}

TEST_CASE("Where messages of neighbors exceed the memory, the refusal suggests fewer neighbors as well") {
  Scenario scenario = small_scenario();
  scenario.cluster.workers = 3000;
  add_algorithm(scenario, DpsgdOptions{.mixing = {.graph = CompleteGraph{}}});
  const double memory_bytes = demand_of(ScenarioJob(scenario)).memory_bytes;
  MachineSupply supply = all_of_it;
  supply.memory_bytes = memory_bytes - 1;
  const std::string refused = refusal(scenario, supply);
  CHECK(
      refused.starts_with("small.json: /cluster/workers: 5 iterations of 3000 workers would take at least "));
  CHECK(refused.ends_with(" of memory, expected fewer workers, or fewer neighbors per worker, or --force"));
  supply.runs_at_once = 2;  // each of which may take as much memory
  CHECK(refusal(scenario, supply)
            .ends_with("expected fewer workers, or fewer neighbors per worker, or fewer --jobs, or --force"));
  scenario.algorithms.front().options = DpsgdOptions{};
  CHECK(refusal(scenario, supply) == "");
}

TEST_CASE("Where records of iterations exceed the memory, the refusal suggests fewer iterations") {
  MachineSupply supply = all_of_it;
  supply.memory_bytes = demand_of(ScenarioJob(long_scenario())).memory_bytes / 2;
  const std::string refused = refusal(long_scenario(), supply);
  CAPTURE(refused);
  CHECK(refused.starts_with("small.json: /iterations: 1000000000 iterations of 4 workers would take"));
  const std::string accepted = " of memory, expected at most ";
  const std::size_t place = refused.find(accepted);
  REQUIRE(place != std::string::npos);
  Scenario fewer = long_scenario();
  fewer.iterations = std::stoll(refused.substr(place + accepted.size()));
  CHECK(refusal(fewer, supply) == "");
}

TEST_CASE("Each seed takes as much time and disk space as a single run") {
  Scenario scenario = small_scenario();
  scenario.iterations = 100'000;
  add_algorithm(scenario, AllreduceOptions{});
  const ScenarioJob job(scenario);
  const JobDemand one = demand_of(job);
  MachineSupply supply = all_of_it;
  supply.time_s = 8 * one.time_s;
  supply.files_bytes = 16 * one.files_bytes;
  refuse_shortage(job, of_seeds(one, 8), supply, Forcing::possible);
  CHECK_THROWS_WITH_AS(refuse_shortage(job, of_seeds(one, 32), supply, Forcing::possible),
                       doctest::Contains("100000 iterations of 4 workers with 32 seeds would take"),
                       ScenarioError);
  CHECK_THROWS_WITH_AS(refuse_shortage(job, of_seeds(one, 32), supply, Forcing::possible),
                       doctest::Contains("expected at most 25000 iterations, fewer workers, algorithms or "
                                         "seeds, or --force"),
                       ScenarioError);
  CHECK_THROWS_WITH_AS(refuse_shortage(job, of_seeds(one, 32), supply, Forcing::possible),
                       doctest::Contains("the disk of --out has room for"), ScenarioError);
}

TEST_CASE("A run that stops at a wanted precision must have disk space for its most iterations") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  MachineSupply supply = all_of_it;
  supply.files_bytes = 1e6;
  CHECK(refusal(scenario, supply) == "");
  scenario.precision = WantedPrecision{.most_iterations = 5000};
  const std::string refused = refusal(scenario, supply);
  CAPTURE(refused);
  CHECK(refused.starts_with("small.json: /iterations: up to 5000 iterations of 4 workers would take"));
  CHECK(refused.ends_with(
      "expected fewer iterations (/iterations/most), fewer workers or algorithms, or --force"));
}

TEST_CASE("Where models exceed the memory, the refusal suggests a task of fewer parameters as well") {
  Scenario scenario = small_scenario();
  add_algorithm(scenario, AllreduceOptions{});
  scenario.learning = learning_of(scenario.cluster.workers);
  MachineSupply supply = all_of_it;
  supply.memory_bytes = demand_of(ScenarioJob(scenario)).memory_bytes - 1;
  CHECK(refusal(scenario, supply)
            .ends_with("expected fewer workers, fewer neighbors per worker, or a learning task with fewer "
                       "parameters, or "
                       "--force"));
}

TEST_CASE("A refusal also says what the job is expected to take") {
  MachineSupply supply = all_of_it;
  supply.time_s = 60;
  const std::string refused = refusal(long_scenario(), supply);
  CAPTURE(refused);
  CHECK(refused.find(" of files with --out (about ") != std::string::npos);
  CHECK(refused.find(" of memory), but runs of more than 60.00 s are refused") != std::string::npos);
}

TEST_CASE("The refusal of a job that would fit alone suggests fewer --jobs") {
  const double memory_bytes = demand_of(ScenarioJob(long_scenario())).memory_bytes;
  MachineSupply supply = all_of_it;
  supply.runs_at_once = 3;
  supply.memory_bytes = 0.5 * memory_bytes;
  const std::string refused = refusal(long_scenario(), supply);
  CAPTURE(refused);
  CHECK(refused.ends_with(" iterations, fewer workers or algorithms, or fewer --jobs, or --force"));
  CHECK(refused.find(" of memory for each of 3 runs at once, expected at most ") != std::string::npos);
  supply.memory_bytes = 0.3 * memory_bytes;
  CHECK(refusal(long_scenario(), supply).find("--jobs") == std::string::npos);
  supply = {.time_s = plenty, .memory_bytes = plenty, .records_bytes = 3e11, .files_bytes = plenty};
  supply.runs_at_once = 2;
  CHECK(refusal(long_scenario(), supply)
            .ends_with(" iterations, fewer workers or algorithms, or fewer --jobs, or --force"));
}

TEST_CASE("For a run that stops at a wanted precision the expected demand includes the longest time") {
  const JobDemand demand{.estimate = {.time_s = 30, .memory_bytes = 5e8}, .most_time_s = 1500};
  CHECK(demand_estimate_text(demand, all_of_it) ==
        "this takes about 30.00 s and 500.0 MB of memory; up to 1500 s if standard_error is not reached "
        "earlier");
}

TEST_CASE("The expected demand includes the time of additional runs") {
  const JobDemand demand{.estimate = {.time_s = 50, .memory_bytes = 5e8}};
  CHECK(demand_estimate_text(demand, all_of_it, 250) == "this takes about 300.0 s and 500.0 MB of memory");
}

TEST_CASE("A demand is announced if it is long or exceeds the memory") {
  const MachineSupply supply{.time_s = plenty, .memory_bytes = 1e9, .records_bytes = 0, .files_bytes = 0};
  const JobDemand demand{.estimate = {.time_s = 50, .memory_bytes = 5e8}};
  CHECK(!demand_estimate_text(demand, supply));
  CHECK(demand_estimate_text(of_seeds(demand, 3), supply) ==
        "this takes about 150.0 s and 500.0 MB of memory");
  const JobDemand large{.estimate = {.time_s = 3 * 3600, .memory_bytes = 2e9}};
  CHECK(demand_estimate_text(large, supply) ==
        "this takes about 3.0 hours and 2.000 GB of memory, more than the 1.000 GB available");
}

TEST_CASE("Runs at once are limited by memory and by space for records, but one is always tried") {
  const JobDemand demand{.memory_bytes = 2e9, .records_bytes = 1e9};
  MachineSupply supply = all_of_it;
  CHECK(runs_that_fit(demand, supply, 8) == 8);
  supply.memory_bytes = 11e9;
  CHECK(runs_that_fit(demand, supply, 8) == 5);
  supply.records_bytes = 3e9;
  CHECK(runs_that_fit(demand, supply, 8) == 3);
  supply.records_bytes = 0;
  CHECK(runs_that_fit(demand, supply, 8) == 1);
}

}  // namespace
}  // namespace starling

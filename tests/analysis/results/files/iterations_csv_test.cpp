#include "analysis/results/files/iterations_csv.hpp"

#include <doctest/doctest.h>

#include <string>

#include "analysis/explanation/waiting.hpp"
#include "tests/analysis/results/hand_made_results.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {
namespace {

TEST_CASE("iterations.csv has a row per run, worker and iteration with all parts") {
  const ScratchFolder folder;
  IterationLog log = two_workers_log();
  attribute_waiting(log);
  IterationsCsv csv(folder.path() / "iterations.csv");
  csv.add_run("ddp", log, 1);
  csv.close();
  CHECK(contents_of(folder.path() / "iterations.csv") ==
        "run,label,worker,iteration,is_warmup,end_s,ready_s,duration_s,delay_s,forward_s,backward_s,update_s,"
        "exposed_communication_s,imbalance_wait_s\n"
        "0,ddp,0,0,1,1,0.75,1,0,0.25,0.5,0.0625,0.1875,0\n"
        "0,ddp,0,1,0,1.8125,1.625,0.8125,0,0.25,0.375,0.0625,0.125,0\n"
        "0,ddp,0,2,0,3.125,2.4375,1.3125,0,0.25,0.375,0.0625,0.125,0.5\n"
        "0,ddp,1,0,1,1,0.75,1,0,0.25,0.5,0.0625,0.1875,0\n"
        "0,ddp,1,1,0,1.8125,1.625,0.8125,0,0.25,0.375,0.0625,0.125,0\n"
        "0,ddp,1,2,0,3.125,2.9375,1.3125,0.5,0.25,0.375,0.0625,0.125,0\n");
}

TEST_CASE("iterations.csv of a measurement has a column of planned compute times") {
  const ScratchFolder folder;
  IterationLog log(1);
  log.add(0, {.end_s = 1, .ready_s = 0.5, .forward_s = 0.5, .blocked_s = 0.5, .planned_s = 0.375});
  IterationsCsv csv(folder.path() / "iterations.csv", true);
  csv.add_run("ddp", log, 0);
  csv.close();
  CHECK(contents_of(folder.path() / "iterations.csv") ==
        "run,label,worker,iteration,is_warmup,end_s,ready_s,duration_s,delay_s,forward_s,backward_s,update_s,"
        "exposed_communication_s,imbalance_wait_s,planned_s\n"
        "0,ddp,0,0,0,1,0.5,1,0,0.5,0,0,0.5,0,0.375\n");
}

TEST_CASE("Runs are numbered, and labels with commas or quotes are quoted") {
  const ScratchFolder folder;
  IterationLog log(1);
  log.add(0, {});
  IterationsCsv csv(folder.path() / "iterations.csv");
  csv.add_run("plain", log, 0);
  csv.add_run("ring, \"fast\"", log, 0);
  csv.close();
  const std::string text = contents_of(folder.path() / "iterations.csv");
  CHECK(text.find("\n0,plain,0,0,0,0,0,0,0,0,0,0,0,0\n1,\"ring, \"\"fast\"\"\",0,0,0,") != std::string::npos);
}

}  // namespace
}  // namespace starling

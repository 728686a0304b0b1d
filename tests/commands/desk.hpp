#pragma once

#include <filesystem>
#include <string>

#include "tests/analysis/running/program.hpp"
#include "tests/analysis/running/scenario_text.hpp"

namespace starling {

inline const std::string two_algorithms = scenario_text("two-algorithms", 4, 1, "ddp");

inline const std::string two_jobs = R"json({
  "cluster": {"workers": 4, "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "5us"}}},
  "jobs": [
    {"name": "one", "ranks": [0, 1], "iterations": 12, "algorithm": {"kind": "allreduce"},
     "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "40ms", "backward": "80ms"}}},
    {"name": "two", "ranks": [2, 3], "iterations": 12, "algorithm": {"kind": "allreduce"},
     "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "40ms", "backward": "80ms"}}}
  ]
})json";

/// A temporary folder with scenario.json, the text `two_algorithms`, in which the program is run.
class Desk : public ScratchFolder {
 public:
  Desk() { write_file(path() / "scenario.json", two_algorithms); }

  ProgramRun starling(const std::string& arguments) const { return run_program(path(), arguments); }
  bool has(const std::string& file) const { return std::filesystem::exists(path() / file); }
  std::string text(const std::string& file) const { return contents_of(path() / file); }
};

}  // namespace starling

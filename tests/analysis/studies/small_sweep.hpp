#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "analysis/studies/sweep_plan.hpp"
#include "analysis/studies/sweep_reader.hpp"
#include "analysis/studies/sweep_run.hpp"
#include "analysis/studies/sweep_store.hpp"
#include "analysis/studies/sweep_tables.hpp"
#include "tests/io/scratch_folder.hpp"

namespace starling {

/// The base scenario of a sweep, with two algorithms; a run takes milliseconds.
inline constexpr const char* swept_base = R"({
  "iterations": 12, "cluster": {"workers": 4, "transport": "ideal",
    "network": {"kind": "star", "link": {"bandwidth": "10Gbps", "latency": "1us"}}},
  "workload": {"model": "resnet50", "batch_size": 32, "compute": {"forward": "30ms", "backward": "60ms"},
    "imbalance": {"kind": "gamma", "coefficient_of_variation": 0.1}},
  "algorithms": [{"kind": "allreduce"}, {"kind": "ddp"}]})";

inline SweepPlan plan_of(const ScratchFolder& folder, const std::vector<std::string>& varied, int seeds = 1) {
  return read_sweep(
      {.file = folder.write("base.json", swept_base), .varied = varied, .overrides = {}, .seeds = seeds});
}

/// The counts of a sweep's runs, and the text of the tables that it has written.
struct Sweep {
  SweepCounts counts;
  std::string rows;
  std::string summaries;
  std::string failed;
};

inline Sweep swept(const SweepPlan& plan, const std::filesystem::path& folder,
                   const SweepOptions& options = {}) {
  std::filesystem::create_directories(folder);
  SweepStore store = SweepStore::open_or_make(folder);
  const SweepCounts counts = run_sweep(plan, store, options, {});
  write_sweep_tables(store, folder);
  return {counts, contents_of(folder / "sweep.csv"), contents_of(folder / "sweep_summary.csv"),
          contents_of(folder / "sweep_failed.csv")};
}

/// The line of a text with this number, counted from 0.
inline std::string line_of(const std::string& text, int number) {
  std::size_t start = 0;
  for (int i = 0; i < number; ++i) start = text.find('\n', start) + 1;
  return text.substr(start, text.find('\n', start) - start);
}

}  // namespace starling

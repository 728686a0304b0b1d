#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace starling {

/// Something that a worker did, or a message of its, in a saved timeline.
struct SavedSpan {
  std::string process;  // "ddp · worker 3 (host 1)"
  std::string track;    // "main", "sends", …
  std::string name;
  double start_s = 0;  // of the run
  double end_s = 0;
};

/// One iteration of a timeline, of all its runs.
struct SavedTrace {
  std::int64_t iteration = 0;
  std::vector<SavedSpan> spans;  // in the order of their processes, then of the file
  std::int64_t left_out = 0;     // spans, messages before others, and the shortest
};

/// Reads of a trace.json the iteration in the middle of those that are whole in it; warm-up counts if there
/// is nothing else. Of each process the longest `most_spans` spans, 0 s long ones never. Reads the file
/// twice, line by line: about a second for 100 MB. @throws ScenarioError if there is no such file, a line is
/// none that Starling writes, or there is no iteration in it.
SavedTrace read_trace(const std::filesystem::path& file, std::int64_t warmup_iterations,
                      std::size_t most_spans);

}  // namespace starling

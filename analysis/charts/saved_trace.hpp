#pragma once

#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace starling {

/// Whose a process of a timeline is: an algorithm's run or a job, and the worker.
struct TraceProcess {
  std::string label;
  int worker = 0;
};

/// Which iterations a result counts: from the first, up to and without the end.
struct CountedIterations {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// The number after the last such mark in a text, as after a key of a line; none if there is no such.
template <typename Number>
std::optional<Number> number_after(std::string_view text, std::string_view mark) {
  const std::size_t place = text.rfind(mark);
  if (place == std::string_view::npos) return std::nullopt;
  const char* const begin = text.data() + place + mark.size();
  Number number = 0;
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// What to read of a timeline.
struct TraceWish {
  /// Whose the process of this name is ("ddp · worker 3 (host 1)"); none if it is nobody's.
  std::function<std::optional<TraceProcess>(const std::string&)> process_of;
  std::function<CountedIterations(const std::string& label)> counted_of;
  std::size_t most_spans = 0;  // of each process
};

/// Something that a worker did, or a message of its, in a saved timeline.
struct SavedSpan {
  TraceProcess process;
  std::string track;  // "main", "sends", …
  std::string name;
  double start_s = 0;  // of the run
  double end_s = 0;
};

/// One iteration of a run or a job.
struct SavedIteration {
  std::int64_t iteration = 0;
  double begin_s = std::numeric_limits<double>::infinity();  // when its first worker begins it
  double end_s = 0;                                          // when its last thing ends
  std::int64_t left_out = 0;  // spans, messages before others, and the shortest
  /// When the run's messages stop in the timeline, although it goes on; absent if all are there.
  std::optional<double> messages_until_s = {};
};

struct SavedTrace {
  std::map<std::string, SavedIteration> iterations;  // of each label that has a whole one
  std::vector<SavedSpan> spans;                      // in the order of their processes, then of the file
};

/// Reads of every run or job in a trace.json one iteration: that in the middle of those that are counted,
/// whole, and have all their messages, as far as there are any. Of each process the longest `most_spans`
/// spans, 0 s long ones never. Reads the file twice, line by line: 2 to 3 s for 100 MB.
/// @throws ScenarioError if there is no such file, a line is none that Starling writes, or there is no whole
/// iteration in it.
SavedTrace read_trace(const std::filesystem::path& file, const TraceWish& wish);

}  // namespace starling

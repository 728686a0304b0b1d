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

/// The owner of a process of a timeline: a run of an algorithm or a job, and the worker.
struct TraceProcess {
  std::string label;
  int worker = 0;
};

/// The iterations that a result counts: from `first` to `end`, which is excluded.
struct CountedIterations {
  std::int64_t first = 0;
  std::int64_t end = 0;
};

/// The number behind the last occurrence of `mark` in a text, as behind a key of a JSON line; nullopt if
/// there is none.
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
  /// The owner of the process of this name ("ddp · worker 3 (host 1)"); nullopt for a process of no worker.
  std::function<std::optional<TraceProcess>(const std::string&)> process_of;
  std::function<CountedIterations(const std::string& label)> counted_of;
  std::size_t most_spans = 0;  // of each process
};

/// An activity of a worker, or one of its messages, in a saved timeline.
struct SavedSpan {
  TraceProcess process;
  std::string track;  // "main", "sends", …
  std::string name;
  double start_s = 0;  // since the start of the run
  double end_s = 0;
};

/// One iteration of a run or a job.
struct SavedIteration {
  std::int64_t iteration = 0;
  double begin_s = std::numeric_limits<double>::infinity();  // when its first span begins
  double end_s = 0;                                          // when its last span ends
  std::int64_t left_out = 0;  // number of spans that are not read: messages before others, the shortest first
  /// The time from which on the timeline has no more messages of the run; absent if it has all of them.
  std::optional<double> messages_until_s = {};
};

/// What is read of a timeline.
struct SavedTrace {
  std::map<std::string, SavedIteration> iterations;  // of each label that has a whole one
  std::vector<SavedSpan> spans;                      // in the order of their processes, then of the file
};

/// Reads one iteration of every run or job in a trace.json: the middle one of those that all workers have,
/// and, as far as there are any, that are counted and have all their messages. Keeps at most `most_spans`
/// spans of each process, activities before messages, then the longest; spans of 0 s are dropped. Reads the
/// file twice, line by line: 2 to 3 s for 100 MB. @throws ScenarioError if there is no such file, a line is
/// not one that Starling writes, or no iteration is there of all workers.
SavedTrace read_trace(const std::filesystem::path& file, const TraceWish& wish);

}  // namespace starling

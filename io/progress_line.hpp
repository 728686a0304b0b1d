#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

namespace starling {

/// A line that says how far a long piece of work has come and how long it will still take; overwritten in
/// place.
class ProgressLine {
 public:
  /// Writes to `stream`; nothing at all if `is_shown` is false.
  ProgressLine(std::FILE* stream, bool is_shown) : stream_(stream), is_shown_(is_shown) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// The work consists of `steps` steps in all, each about as long as any other.
  void expect(std::int64_t steps);
  /// It turns out to be more.
  void expect_more(std::int64_t steps) { expected_ += steps; }
  /// What is being done now, in a word or two.
  void begin(std::string what);
  /// So many more steps are done. Cheap: redraws at most ten times a second.
  void advance(std::int64_t steps = 1);
  /// Removes the line, so that something else can be written.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(Clock::time_point now);

  std::FILE* stream_;
  bool is_shown_;
  bool is_drawn_ = false;
  std::int64_t expected_ = 0;
  std::int64_t done_ = 0;
  std::string what_;
  Clock::time_point start_;
  Clock::time_point next_draw_;
};

/// "43 %, about 12 s left": what the line says after `what`. Without a guess while nothing is done.
std::string progress_text(std::int64_t done, std::int64_t expected, double elapsed_s);

}  // namespace starling

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace starling {

/// Estimates the remaining time of some work from its recent pace, so that phases with another time per step
/// are forgotten. To keep the display steady, the estimate rises only if it grows by a fifth or more.
class TimeLeft {
 public:
  /// Begins a phase that may take another time per step: once it has lasted half a second, only its own pace
  /// counts. The arguments are those of guess_s() at this moment.
  void begin(double elapsed_s, double done);
  /// The estimated seconds left, given that `done` of `expected` steps were done `elapsed_s` seconds after
  /// the start; negative while there is no estimate. elapsed_s must grow from call to call.
  double guess_s(double elapsed_s, double done, double expected);

 private:
  double elapsed_s_ = 0;
  double done_ = 0;
  double pace_ = 0;  // steps a second
  double begun_s_ = 0;
  double begun_done_ = 0;
  bool has_own_pace_ = true;  // what was begun last
  void update_pace(double elapsed_s, double done);
  double shown_s_ = -1;
};

/// Estimates the remaining time of several rounds of the same tasks, done one after the other: each task is
/// assumed to take as long as in its last round, or, if it has not been done yet, the mean of the others.
/// Rises as TimeLeft does.
class RoundsLeft {
 public:
  RoundsLeft(std::size_t tasks, int rounds)
      : took_s_(tasks), left_(tasks * static_cast<std::size_t>(rounds)) {}
  /// Notes that the next task has ended after took_s. Returns the estimated seconds left.
  double end_task(double took_s);

 private:
  std::vector<double> took_s_;  // of the tasks, in the last round
  std::size_t left_;            // tasks of all rounds
  std::size_t done_ = 0;
  double shown_s_ = -1;
};

enum class ProgressStyle {
  none,
  overwritten,  // in place, ten times a second
};

/// A line on the terminal that shows the progress of long work and its remaining time.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressLine(std::FILE* stream, ProgressStyle style, std::function<Clock::time_point()> now = Clock::now)
      : stream_(stream), style_(style), now_(std::move(now)) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// Starts work of `steps` steps in total.
  void expect(std::int64_t steps);
  /// Adds `steps` to the total. The following steps may take another time each, as when a run is repeated in
  /// another way.
  void expect_more(std::int64_t steps);
  std::int64_t done() const { return done_; }
  /// The steps since done() was `done` will be repeated, perhaps with another time per step.
  void expect_again_since(std::int64_t done);
  /// Names the current activity, in a word or two, which may take another time per step than the previous
  /// one.
  void begin(std::string what);
  /// Names the current activity, which takes about as long per step as the previous one.
  void go_on(std::string what);
  /// Notes that `steps` more steps are done. Cheap: the line is redrawn ten times a second at most.
  void advance(std::int64_t steps = 1);
  /// Notes one more step; the caller supplies the seconds left.
  void advance_with(double left_s);
  /// Erases the line, so that something else can be written.
  void clear();
  /// Ends the activity of the last begin(), and leaves a line with its outcome and how long it took.
  void end(const std::string& outcome);
  /// Leaves such a line for an activity that was done in several parts and took `taken_s` in total.
  void end(const std::string& what, const std::string& outcome, double taken_s);

 private:
  void begin_pace();
  double guess_left_s(Clock::time_point now);
  void draw(Clock::time_point now, double left_s);

  std::FILE* stream_;
  ProgressStyle style_;
  std::function<Clock::time_point()> now_;
  bool is_drawn_ = false;
  std::int64_t expected_ = 0;
  std::int64_t done_ = 0;
  std::string what_;
  Clock::time_point start_;
  Clock::time_point begun_;
  Clock::time_point next_draw_;
  TimeLeft time_left_;
};

/// A progress line, which must outlive this object, or null; all calls then do nothing.
class OptionalProgress {
 public:
  OptionalProgress(ProgressLine* line = nullptr) : line_(line) {}

  void expect(std::int64_t steps) const {
    if (line_ != nullptr) line_->expect(steps);
  }
  void expect_more(std::int64_t steps) const {
    if (line_ != nullptr) line_->expect_more(steps);
  }
  /// 0 without a line.
  std::int64_t done() const { return line_ != nullptr ? line_->done() : 0; }
  void expect_again_since(std::int64_t done) const {
    if (line_ != nullptr) line_->expect_again_since(done);
  }
  void begin(const std::string& what) const {
    if (line_ != nullptr) line_->begin(what);
  }
  void advance(std::int64_t steps = 1) const {
    if (line_ != nullptr) line_->advance(steps);
  }

 private:
  ProgressLine* line_;
};

/// The progress as text: "43 %, about 12 s left"; "started" if nothing is done or left_s is negative.
std::string progress_text(std::int64_t done, std::int64_t expected, double left_s);

}  // namespace starling

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

/// Guesses how long work still takes from how it went on lately, so that what took another time per step long
/// ago is forgotten. It rises only where it is a fifth more than before: something slower has begun.
class TimeLeft {
 public:
  /// What comes now may take another time per step: if it goes on for half a second or longer, its pace alone
  /// counts. What guess_s() was or would be called with.
  void begin(double elapsed_s, double done);
  /// Seconds left, given that `done` of `expected` steps were done `elapsed_s` seconds after the start;
  /// negative while there is no guess. Call it with growing elapsed_s.
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

/// Guesses how long rounds of the same tasks, one after the other, still take: each task as long as it did in
/// the last round, those of which there was none as long as others on average. Rises as TimeLeft does.
class RoundsLeft {
 public:
  RoundsLeft(std::size_t tasks, int rounds)
      : took_s_(tasks), left_(tasks * static_cast<std::size_t>(rounds)) {}
  /// The next task has ended and took so long. Returns how many seconds are left.
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

/// A line that says how far a long piece of work has come and how long it will still take.
class ProgressLine {
 public:
  using Clock = std::chrono::steady_clock;

  ProgressLine(std::FILE* stream, ProgressStyle style, std::function<Clock::time_point()> now = Clock::now)
      : stream_(stream), style_(style), now_(std::move(now)) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// The work consists of `steps` steps in all.
  void expect(std::int64_t steps);
  /// There are `steps` more to do than was said. What comes now may take another time per step, as where a
  /// run is made again in another way.
  void expect_more(std::int64_t steps);
  std::int64_t done() const { return done_; }
  /// The steps since done() was `done` were in vain and will be done again, perhaps in another time per step.
  void expect_again_since(std::int64_t done);
  /// What is being done now, in a word or two, which may take another time per step than what was before.
  void begin(std::string what);
  /// What is being done now, which takes about as long per step as what was before.
  void go_on(std::string what);
  /// `steps` more are done. Cheap: redraws now and then only.
  void advance(std::int64_t steps = 1);
  /// One more step is done; whoever calls knows how many seconds are left.
  void advance_with(double left_s);
  /// Removes the line, so that something else can be written.
  void clear();
  /// What begun last has ended: leaves a line that says so, and how long it took.
  void end(const std::string& outcome);
  /// Something else has ended that was done in several parts, and took `taken_s` in all: leaves such a line.
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

/// A progress line, which must outlive this object, or none: then nobody is told.
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

/// "43 %, about 12 s left": what the line says after `what`. Without a guess if the time is negative.
std::string progress_text(std::int64_t done, std::int64_t expected, double left_s);

}  // namespace starling

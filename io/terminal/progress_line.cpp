#include "io/terminal/progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "io/texts/shown_text.hpp"

namespace starling {
namespace {

constexpr std::chrono::milliseconds interval(100);

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

/// The duration in seconds with a decimal if it is short, else rounded up.
std::string taken_text(double seconds) {
  constexpr double least_rounded_s = 9.95;
  return seconds < least_rounded_s ? fmt::format("{:.1f} s", seconds) : duration_text(seconds);
}

/// The width of the terminal that the stream leads to; 0 if it is not a terminal, or unknown.
std::size_t columns_of(std::FILE* stream) {
  winsize size{};
  return ::ioctl(::fileno(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/// The text, cut to fit on one line, as a wrapped line could not be overwritten.
std::string fitting(const std::string& text, std::size_t columns) {
  if (columns == 0 || letters_in(text) < columns) return text;
  if (columns < 3) return "";
  return std::string(first_letters(text, columns - 2)) + "…";
}

/// The estimate to show after `shown_s` (negative if there was none): more only if it is much more.
double steadied(double shown_s, double guess_s) {
  constexpr double real_change = 1.2;
  return guess_s > shown_s && guess_s < real_change * shown_s ? shown_s : guess_s;
}

}  // namespace

void TimeLeft::begin(double elapsed_s, double done) {
  begun_s_ = elapsed_s;
  begun_done_ = done;
  has_own_pace_ = false;
}

void TimeLeft::update_pace(double elapsed_s, double done) {
  constexpr double least_observed_s = 0.5;
  const double passed_s = elapsed_s - elapsed_s_;
  const double observed_s = elapsed_s - begun_s_;
  if (!has_own_pace_ && observed_s >= least_observed_s && done > begun_done_) {
    has_own_pace_ = true;
    pace_ = (done - begun_done_) / observed_s;
    return;
  }
  // An exponential mean over the last fifth of the time, two seconds at least; within the current phase only,
  // once that has a pace of its own.
  const double memory_s = std::max(2.0, elapsed_s / 5);
  double weight = pace_ == 0 ? 1 : 1 - std::exp(-passed_s / memory_s);
  if (has_own_pace_) weight = std::max(weight, std::min(1.0, passed_s / observed_s));
  pace_ += weight * ((done - done_) / passed_s - pace_);
}

double TimeLeft::guess_s(double elapsed_s, double done, double expected) {
  if (done <= 0 || elapsed_s <= elapsed_s_) return shown_s_;
  update_pace(elapsed_s, done);
  elapsed_s_ = elapsed_s;
  done_ = done;
  if (pace_ <= 0) return shown_s_;

  shown_s_ = steadied(shown_s_, std::max(0.0, expected - done) / pace_);
  return shown_s_;
}

double RoundsLeft::end_task(double took_s) {
  const std::size_t tasks = took_s_.size();
  took_s_[done_++ % tasks] = took_s;
  --left_;
  const std::size_t known = std::min(done_, tasks);
  const double mean_s = std::accumulate(took_s_.begin(), took_s_.end(), 0.0) / static_cast<double>(known);
  double guess_s = 0;
  for (std::size_t later = 0; later < tasks; ++later) {
    const std::size_t task = (done_ + later) % tasks;
    const std::size_t times = (left_ + tasks - 1 - later) / tasks;
    guess_s += static_cast<double>(times) * (task < known ? took_s_[task] : mean_s);
  }
  shown_s_ = steadied(shown_s_, guess_s);
  return shown_s_;
}

void ProgressLine::expect(std::int64_t steps) {
  expected_ = steps;
  done_ = 0;
  start_ = now_();
  next_draw_ = start_ + interval;
  time_left_ = {};
}

void ProgressLine::begin(std::string what) {
  go_on(std::move(what));
  begun_ = now_();
  begin_pace();
}

void ProgressLine::expect_more(std::int64_t steps) {
  expected_ += steps;
  begin_pace();
}

void ProgressLine::expect_again_since(std::int64_t done) {
  expected_ += done_ - done;
  begin_pace();
}

void ProgressLine::begin_pace() {
  time_left_.begin(std::chrono::duration<double>(now_() - start_).count(), static_cast<double>(done_));
}

void ProgressLine::go_on(std::string what) { what_ = printable(what); }

void ProgressLine::advance(std::int64_t steps) {
  done_ += steps;
  if (style_ == ProgressStyle::none) return;
  const Clock::time_point now = now_();
  if (now >= next_draw_) draw(now, guess_left_s(now));
}

void ProgressLine::advance_with(double left_s) {
  ++done_;
  if (style_ == ProgressStyle::none) return;
  const Clock::time_point now = now_();
  if (now >= next_draw_) draw(now, left_s);
}

double ProgressLine::guess_left_s(Clock::time_point now) {
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  return time_left_.guess_s(elapsed_s, static_cast<double>(done_), static_cast<double>(expected_));
}

void ProgressLine::draw(Clock::time_point now, double left_s) {
  const std::string text = fmt::format("{}: {}", what_, progress_text(done_, expected_, left_s));
  std::fputs(("\r\033[K" + fitting(text, columns_of(stream_))).c_str(), stream_);
  std::fflush(stream_);
  is_drawn_ = true;
  next_draw_ = now + interval;
}

void ProgressLine::end(const std::string& outcome) {
  end(what_, outcome, std::chrono::duration<double>(now_() - begun_).count());
}

void ProgressLine::end(const std::string& what, const std::string& outcome, double taken_s) {
  if (style_ == ProgressStyle::none) return;
  clear();
  fmt::print(stream_, "{}: {}, found in {}\n", printable(what), outcome, taken_text(taken_s));
}

void ProgressLine::clear() {
  if (!is_drawn_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  is_drawn_ = false;
}

std::string progress_text(std::int64_t done, std::int64_t expected, double left_s) {
  if (done <= 0 || expected <= 0 || left_s < 0) return "started";
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(expected));
  return fmt::format("{:.0f} %, about {} left", std::floor(100 * share), duration_text(left_s));
}

}  // namespace starling

#include "io/progress_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace starling {
namespace {

constexpr auto redraw_interval = std::chrono::milliseconds(100);

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

void ProgressLine::expect(std::int64_t steps) {
  expected_ = steps;
  done_ = 0;
  start_ = Clock::now();
  next_draw_ = start_ + redraw_interval;
}

void ProgressLine::begin(std::string what) { what_ = std::move(what); }

void ProgressLine::advance(std::int64_t steps) {
  done_ += steps;
  if (!is_shown_) return;
  const Clock::time_point now = Clock::now();
  if (now >= next_draw_) draw(now);
}

void ProgressLine::draw(Clock::time_point now) {
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  std::fputs(fmt::format("\r\033[K{}: {}", what_, progress_text(done_, expected_, elapsed_s)).c_str(),
             stream_);
  std::fflush(stream_);
  is_drawn_ = true;
  next_draw_ = now + redraw_interval;
}

void ProgressLine::clear() {
  if (!is_drawn_) return;
  std::fputs("\r\033[K", stream_);
  std::fflush(stream_);
  is_drawn_ = false;
}

std::string progress_text(std::int64_t done, std::int64_t expected, double elapsed_s) {
  if (done <= 0 || expected <= 0) return "started";
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(expected));
  return fmt::format("{:.0f} %, about {} left", std::floor(100 * share),
                     duration_text(elapsed_s * (1 - share) / share));
}

}  // namespace starling

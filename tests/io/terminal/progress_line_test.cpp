#include "io/terminal/progress_line.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>

#include "tests/io/scratch_folder.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

using Time = ProgressLine::Clock::time_point;

/// The text that a progress line of two steps writes; `tell` sets its clock.
std::string written_by(ProgressStyle style, const std::function<void(ProgressLine&, Time& now)>& tell) {
  const ScratchFolder folder;
  const std::filesystem::path path = folder.path() / "stderr";
  std::FILE* const stream = std::fopen(path.c_str(), "w");
  {
    Time now;
    ProgressLine line(stream, style, [&] { return now; });
    line.expect(2);
    tell(line, now);
  }
  std::fclose(stream);
  return contents_of(path);
}

TEST_CASE("Progress is told in percent, with the time left") {
  CHECK(progress_text(0, 100, 3) == "started");
  CHECK(progress_text(3, 100, -1) == "started");
  CHECK(progress_text(25, 100, 30) == "25 %, about 30 s left");
  CHECK(progress_text(1, 4, 195) == "25 %, about 3 min 15 s left");
  CHECK(progress_text(1, 100, 9900) == "1 %, about 2 h 45 min left");
  CHECK(progress_text(100, 100, 0) == "100 %, about 0 s left");
}

TEST_CASE("Percent are rounded down, so that 100 % means the end") {
  CHECK(progress_text(1023, 1024, 0.9) == "99 %, about 1 s left");
}

TEST_CASE("More steps than expected stay at 100 %") {
  CHECK(progress_text(7, 5, 0) == "100 %, about 0 s left");
}

TEST_CASE("At a steady pace the time left is exact") {
  TimeLeft left;
  for (int second = 1; second < 100; ++second)
    CHECK(left.guess_s(second, second, 100) == about(100 - second));
}

TEST_CASE("When steps become slower the time left rises to match them, and then counts down") {
  TimeLeft left;
  // 500 steps of 10 ms, then 500 of 100 ms, seen ten times a second.
  double elapsed_s = 0;
  double guess_s = 0;
  for (int steps = 10; steps <= 500; steps += 10) guess_s = left.guess_s(elapsed_s += 0.1, steps, 1000);
  CHECK(guess_s == about(5));
  double before_s = 1e9;
  for (int steps = 501; steps < 1000; ++steps) {
    guess_s = left.guess_s(elapsed_s += 0.1, steps, 1000);
    const double truth_s = 0.1 * (1000 - steps);
    if (elapsed_s < 25) continue;
    CHECK(guess_s <= before_s);
    CHECK(guess_s == about(truth_s, 0.25));  // a rise by less than a fifth is not shown
    before_s = guess_s;
  }
}

TEST_CASE("A part that begins at another pace is told by its own pace, and then counts down") {
  TimeLeft left;
  // 1000 steps of 10 ms, then 100 of a second, seen ten times a second and at each.
  double elapsed_s = 0;
  for (int steps = 10; steps <= 1000; steps += 10) left.guess_s(elapsed_s += 0.1, steps, 1100);
  left.begin(elapsed_s, 1000);
  double before_s = 1e9;
  for (int steps = 1001; steps <= 1100; ++steps) {
    const double guess_s = left.guess_s(elapsed_s += 1, steps, 1100);
    CHECK(guess_s == about(1100 - steps));
    CHECK(guess_s < before_s);
    before_s = guess_s;
  }
}

TEST_CASE("Steps that end soon after they begin count by the mean pace of many") {
  TimeLeft left;
  double elapsed_s = 0;
  double guess_s = 0;
  for (int done = 1; done <= 200; ++done) {  // of 0.1 and 0.3 s in turn
    left.begin(elapsed_s, done - 1);
    guess_s = left.guess_s(elapsed_s += done % 2 == 0 ? 0.1 : 0.3, done, 1000);
  }
  CHECK(guess_s == about(160, 0.1));  // a step of 0.3 s is 4 % of the last fifth, 8 s, whose pace counts
}

TEST_CASE(
    "Tasks of a round are expected to take as long as in the last round, new ones as long as others on "
    "average") {
  RoundsLeft left(3, 3);
  CHECK(left.end_task(1) == about(8));
  CHECK(left.end_task(8) == about(7 * 4.5));
  CHECK(left.end_task(1) == about(20));
  CHECK(left.end_task(1) == about(19));
  CHECK(left.end_task(18) == about(19));  // 21 is less than a fifth more, which is not shown
  CHECK(left.end_task(1) == about(19));   // and so is 20
  CHECK(left.end_task(1) == about(19));
  CHECK(left.end_task(8) == about(1));
  CHECK(left.end_task(2) == 0);
}

TEST_CASE("A part that is done again is told by its own pace") {
  const std::string written = written_by(ProgressStyle::overwritten, [](ProgressLine& line, Time& now) {
    line.expect(200);
    line.begin("horovod");
    for (int step = 0; step < 100; ++step) {
      now += std::chrono::milliseconds(10);
      line.advance();
    }
    line.expect_again_since(0);
    for (int step = 0; step < 6; ++step) {
      now += std::chrono::milliseconds(100);
      line.advance();
    }
  });
  CHECK(written.ends_with("horovod: 35 %, about 20 s left\r\033[K"));  // 194 steps of 0.1 s
}

TEST_CASE("A line stays within the columns of the terminal") {
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(::grantpt(terminal) == 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const winsize size{.ws_row = 5, .ws_col = 20, .ws_xpixel = 0, .ws_ypixel = 0};
  REQUIRE(::ioctl(terminal, TIOCSWINSZ, &size) == 0);
  std::FILE* const stream = std::fopen(::ptsname(terminal), "w");
  REQUIRE(stream != nullptr);
  {
    Time now;
    ProgressLine line(stream, ProgressStyle::overwritten, [&] { return now; });
    line.expect(2);
    line.begin("détaillé");
    now += std::chrono::milliseconds(110);
    line.advance();
  }
  std::fclose(stream);  // so that reading comes to an end
  std::string written;
  std::array<char, 200> part;
  for (ssize_t count = 1; (count = ::read(terminal, part.data(), part.size())) > 0;)
    written.append(part.data(), static_cast<std::size_t>(count));
  CHECK(written == "\r\033[Kdétaillé: 50 %, ab…\r\033[K");
  ::close(terminal);
}

TEST_CASE("A pace that goes up and down a little never lets the time left rise") {
  TimeLeft left;
  double before_s = 1e9;
  double done = 0;
  for (int i = 1; i <= 400; ++i) {
    const double guess_s = left.guess_s(0.1 * i, done += i / 20 % 2 == 0 ? 0.9 : 1.1, 400);
    if (i > 40) CHECK(guess_s <= before_s);
    before_s = guess_s;
  }
}

TEST_CASE("A label from a file cannot command the terminal") {
  const std::string written = written_by(ProgressStyle::overwritten, [](ProgressLine& line, Time& now) {
    line.begin("\x1b]0;owned\x07");
    now += std::chrono::milliseconds(110);
    line.advance();
  });
  CHECK(written.starts_with("\r\033[K\\x1b]0;owned\\x07: 50 %"));
}

TEST_CASE("An ended task leaves a line with the time it took") {
  const std::string written = written_by(ProgressStyle::overwritten, [](ProgressLine& line, Time& now) {
    line.begin("ddp");
    line.end("12 ms an iteration");
    line.begin("dear");
    now += std::chrono::milliseconds(1260);
    line.end("11 ms an iteration");
    line.begin("dpsgd");
    now += std::chrono::milliseconds(12010);
    line.end("9 ms an iteration");
  });
  CHECK(written ==
        "ddp: 12 ms an iteration, found in 0.0 s\n"
        "dear: 11 ms an iteration, found in 1.3 s\n"
        "dpsgd: 9 ms an iteration, found in 13 s\n");  // rounded up
}

TEST_CASE("A task done in several parts leaves a line with the sum of their times") {
  const std::string written = written_by(ProgressStyle::overwritten, [](ProgressLine& line, Time& now) {
    line.begin("seed 2");
    now += std::chrono::milliseconds(110);
    line.advance_with(2.5);
    line.end("d\x07", "12 ms an iteration", 3);
  });
  CHECK(written ==
        "\r\033[Kseed 2: 50 %, about 3 s left\r\033[Kd\\x07: 12 ms an iteration, found in 3.0 s\n");
}

TEST_CASE("A progress line that is not shown writes nothing") {
  const std::string written = written_by(ProgressStyle::none, [](ProgressLine& line, Time&) {
    line.begin("ddp");
    line.advance();
    line.advance();
    line.clear();
    line.end("12 ms an iteration");
  });
  CHECK(written.empty());
}

TEST_CASE("Without a progress line progress is not reported") {
  ProgressLine line(stderr, ProgressStyle::none);
  for (const OptionalProgress progress : {OptionalProgress(), OptionalProgress(&line)}) {
    progress.expect(2);
    progress.begin("ddp");
    progress.advance();
    progress.expect_again_since(0);
    progress.expect_more(1);
    progress.advance(3);
  }
  CHECK(OptionalProgress().done() == 0);
  CHECK(OptionalProgress(&line).done() == 4);
}

}  // namespace
}  // namespace starling

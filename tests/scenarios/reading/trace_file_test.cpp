#include "scenarios/reading/trace_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/io/scratch_folder.hpp"

namespace starling {

namespace {

std::string trace_error(const std::string& text) {
  const ScratchFolder folder;
  const auto file = folder.write("t.csv", text);
  return error_of(folder.path(), [&] { (void)read_trace_file(file); });
}

TEST_CASE("a trace is read line by line") {
  const ScratchFolder folder;
  const std::vector<TracePoint> points = read_trace_file(
      folder.write("t.csv", "worker,iteration,seconds\r\n0,0,0.5\r\n\r\n 1 , 2 , 25e-2 \n2,0,0"));
  REQUIRE(points.size() == 3);
  CHECK(points[0].compute_s == 0.5);
  CHECK(points[1].worker == 1);
  CHECK(points[1].iteration == 2);
  CHECK(points[1].compute_s == 0.25);
  CHECK(points[2].compute_s == 0);
}

TEST_CASE("a trace without a heading is read from its first line on") {
  const ScratchFolder folder;
  CHECK(read_trace_file(folder.write("t.csv", "0,0,0.5\n")).size() == 1);
}

TEST_CASE("a trace may begin with a byte order mark, with a heading and without one") {
  const ScratchFolder folder;
  for (const std::string heading : {"worker,iteration,seconds\r\n", ""}) {
    const auto points = read_trace_file(folder.write("t.csv", "\xEF\xBB\xBF" + heading + "3,0,0.5\n"));
    REQUIRE(points.size() == 1);
    CHECK(points[0].worker == 3);
  }
  CHECK(trace_error("\xEF\xBB\xBF") == "t.csv: has no points, expected lines of worker,iteration,seconds");
  CHECK(trace_error(std::string("0\0,\0", 4)) == "t.csv: is UTF-16, expected UTF-8");
  CHECK(trace_error("0,0,1\n\xEF\xBB\xBF"
                    "0,1,1\n")
            .find("line 2: not a point of a trace") != std::string::npos);
}

TEST_CASE("a line that is no point is an error with its number") {
  const std::string expected = ", expected worker,iteration,seconds of at most 1e+09 s, such as 0,12,0.615";
  for (const std::string line :
       {"0,0", "0,0,0.5,1", "a,0,0.5", "0,0.5,0.5", "0,0,fast", "-1,0,0.5", "0,-1,0.5", "0,0,-0.5", "0,0,nan",
        "0,0,inf", "0,0,1e999", "0,0,1e308", "0,0,0.5s", "0;0;0.5", "99999999999,0,1", ",,"}) {
    CHECK(trace_error("0,0,0.5\n" + line + "\n") ==
          "t.csv: line 2: not a point of a trace, got \"" + line + "\"" + expected);
  }
  CHECK(trace_error("iteration,worker,seconds\n") ==
        "t.csv: line 1: not a point of a trace, got \"iteration,worker,seconds\"" + expected);
}

TEST_CASE("a second time of a worker in an iteration is an error with its line") {
  CHECK(trace_error("0,0,0.5\n0,1,0.5\n0,0,0.7\n") ==
        "t.csv: line 3: a second time of worker 0 in iteration 0, got \"0,0,0.7\", expected one for each "
        "worker and iteration");
}

TEST_CASE("a trace without points is an error") {
  CHECK(trace_error("") == "t.csv: has no points, expected lines of worker,iteration,seconds");
  CHECK(trace_error("worker,iteration,seconds\n") ==
        "t.csv: has no points, expected lines of worker,iteration,seconds");
}

}  // namespace

}  // namespace starling

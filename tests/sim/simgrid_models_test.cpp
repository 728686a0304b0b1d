#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

namespace starling {
namespace {

// SimGrid treats moments within 1e-12 s as one; the shortest of these tests is 1 µs.
constexpr double precision = 1e-6;

doctest::Approx about(double value) { return doctest::Approx(value).epsilon(precision).scale(0); }

/// When the flows of a star arrive, in a process of its own; it does everything twice, to the same bits.
std::vector<double> flow_times_s(const std::string& arguments) {
  std::FILE* output = popen((SIMGRID_FLOW_TIMES " " + arguments).c_str(), "r");
  REQUIRE(output != nullptr);
  std::vector<double> times_s;
  double time_s = 0;
  while (std::fscanf(output, "%lf", &time_s) == 1) times_s.push_back(time_s);
  REQUIRE(pclose(output) == 0);
  const auto half = static_cast<std::ptrdiff_t>(times_s.size() / 2);
  const std::vector<double> again_s(times_s.begin() + half, times_s.end());
  times_s.resize(static_cast<std::size_t>(half));
  CHECK(times_s == again_s);
  return times_s;
}

TEST_CASE("simgrid: LV08 multiplies latency by 13.01 and bandwidth by 0.97") {
  CHECK(flow_times_s("LV08 0 0 1.25e9 1e-6 1e6 0 1").at(0) == about(13.01 * 2e-6 + 1e6 / (0.97 * 1.25e9)));
}

TEST_CASE("simgrid: a TCP window of γ bytes limits a transfer to γ over twice its latency") {
  CHECK(flow_times_s("CM02 0 4e6 12.5e9 5e-3 1e9 0 1").at(0) == about(10e-3 + 1e9 / (4e6 / 20e-3)));
  CHECK(flow_times_s("CM02 0 0 12.5e9 5e-3 1e9 0 1").at(0) == about(10e-3 + 1e9 / 12.5e9));
}

TEST_CASE("simgrid: with cross-traffic the acknowledgements take 5 % of the way back") {
  // Each direction carries x + 0.05x of its own and the other transfer's bytes.
  const std::vector<double> times_s = flow_times_s("CM02 1 0 1e9 1e-6 1e6 0 1 1 0");
  CHECK(times_s.at(0) == about(2e-6 + 1.05e-3));
  CHECK(times_s.at(1) == about(2e-6 + 1.05e-3));
}

TEST_CASE("simgrid: SMPI takes its factors by message size") {
  // SimGrid's own table (smpi/lat-factor, smpi/bw-factor), from 65,472 bytes up and from 732 to 1,425 bytes.
  CHECK(flow_times_s("SMPI 0 0 1.25e9 1e-6 1e6 0 1").at(0) ==
        about(11.6436 * 2e-6 + 1e6 / (0.940694 * 1.25e9)));
  CHECK(flow_times_s("SMPI 0 0 1.25e9 1e-6 1000 0 1").at(0) ==
        about(1.9503 * 2e-6 + 1000 / (0.341987 * 1.25e9)));
}

}  // namespace
}  // namespace starling

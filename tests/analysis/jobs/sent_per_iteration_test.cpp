#include "analysis/jobs/sent_per_iteration.hpp"

#include <doctest/doctest.h>

namespace starling {
namespace {

TEST_CASE(
    "Bytes per iteration leave out the first iteration, which lacks messages of an iteration before it") {
  SentPerIteration sent(1, 1);
  sent.begin(0, 0, 0);
  sent.begin(0, 1, 4);
  CHECK(sent.mean_bytes() == 4);  // the only complete iteration
  sent.begin(0, 2, 14);
  CHECK(sent.mean_bytes() == 10);
  sent.begin(0, 3, 24);
  CHECK(sent.mean_bytes() == 10);
}

TEST_CASE(
    "Bytes per iteration are a mean over whole periods, or over all iterations if no period is complete") {
  SentPerIteration sent(1, 3);
  const double bytes[] = {
      0, 0,  0,  9, 9,
      9, 18, 18, 18};  // bytes sent before each iteration begins; every third iteration averages
  for (std::int64_t i = 0; i < 4; ++i) sent.begin(0, i, bytes[i]);
  CHECK(sent.mean_bytes() == 3);  // no whole period after the first iteration: 9 bytes in 3 iterations
  for (std::int64_t i = 4; i < 9; ++i) sent.begin(0, i, bytes[i]);
  CHECK(sent.mean_bytes() == 3);  // two periods: 18 bytes in 6 iterations, not 18 in 8
}

TEST_CASE("Each worker counts its own iterations") {
  SentPerIteration sent(2, 1);
  for (std::int64_t i = 0; i <= 9; ++i) sent.begin(0, i, static_cast<double>(2 * i));
  for (std::int64_t i = 0; i <= 3; ++i) sent.begin(1, i, static_cast<double>(12 * i));
  CHECK(sent.mean_bytes() == (8 * 2 + 2 * 12) / 10.0);
}

}  // namespace
}  // namespace starling

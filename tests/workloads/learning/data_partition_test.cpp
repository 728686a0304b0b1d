#include "workloads/learning/data_partition.hpp"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "tests/rounding.hpp"
#include "tests/workloads/imbalance/sample.hpp"

namespace starling {
namespace {

bool has_every_point_once(const DataPartition& partition, std::int64_t points) {
  std::vector<std::int64_t> all;
  for (const auto& share : partition) all.insert(all.end(), share.begin(), share.end());
  std::ranges::sort(all);
  std::vector<std::int64_t> expected(static_cast<std::size_t>(points));
  std::iota(expected.begin(), expected.end(), std::int64_t{0});
  return all == expected;
}

std::vector<int> labels_in_turn(int points, int classes) {
  std::vector<int> labels;
  for (int point = 0; point < points; ++point) labels.push_back(point % classes);
  return labels;
}

/// The mean square difference between workers' shares of the classes and even shares.
double unevenness(const DataPartition& partition, const std::vector<int>& labels, int classes) {
  double sum = 0;
  for (int label = 0; label < classes; ++label) {
    for (const auto& share : partition) {
      const auto count = std::ranges::count_if(
          share, [&](std::int64_t point) { return labels[static_cast<std::size_t>(point)] == label; });
      const double even =
          static_cast<double>(labels.size()) / classes / static_cast<double>(partition.size());
      sum += std::pow(static_cast<double>(count) / even - 1, 2);
    }
  }
  return sum / classes / static_cast<double>(partition.size());
}

TEST_CASE("an even split gives every point to one worker, in shares that differ by at most one") {
  const DataPartition partition = iid_partition(103, 10, 1);
  CHECK(has_every_point_once(partition, 103));
  for (const auto& share : partition) CHECK((share.size() == 10 || share.size() == 11));
  CHECK(iid_partition(103, 10, 1) == partition);
  CHECK(iid_partition(103, 10, 2) != partition);
}

TEST_CASE("an even split mixes the classes of sorted data") {
  std::vector<int> labels(8000);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i < 4000 ? 0 : 1;
  const DataPartition partition = iid_partition(8000, 8, 3);
  for (const auto& share : partition) {
    const auto ones = std::ranges::count_if(share, [](std::int64_t point) { return point >= 4000; });
    CHECK(std::abs(static_cast<double>(ones) / 1000 - 0.5) < share_tolerance(0.5, 1000));
  }
}

TEST_CASE("Dirichlet shares sum to 1 and have the law's mean and variance") {
  const int workers = 8;
  for (const double concentration : {0.01, 0.5, 1.0, 10.0}) {
    CAPTURE(concentration);
    std::vector<double> of_first;
    std::vector<double> of_last;
    for (int label = 0; label < 5000; ++label) {
      const std::vector<double> shares = dirichlet_shares(workers, concentration, 4, label);
      CHECK(std::accumulate(shares.begin(), shares.end(), 0.0) == about(1, 1e-12));
      of_first.push_back(shares.front());
      of_last.push_back(shares.back());
    }
    const double mean = 1.0 / workers;
    const double variance = mean * (1 - mean) / (workers * concentration + 1);
    for (const auto& shares : {of_first, of_last}) {
      const SampleMoments moments = moments_of(shares);
      CHECK(std::abs(moments.mean - mean) < moments.mean_tolerance);
      CHECK(std::abs(moments.variance - variance) < moments.variance_tolerance);
    }
  }
}

TEST_CASE("a Dirichlet split gives every point to one worker, and no worker nothing") {
  CHECK(rc::check([] {
    const auto workers = *rc::gen::inRange(1, 20);
    const auto points = *rc::gen::inRange(workers, 200);
    const auto concentration = *rc::gen::element(1e-4, 0.1, 1.0, 1e6);
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const DataPartition partition =
        dirichlet_partition(labels_in_turn(points, 3), workers, concentration, seed);
    RC_ASSERT(static_cast<int>(partition.size()) == workers);
    RC_ASSERT(has_every_point_once(partition, points));
    for (const auto& share : partition) RC_ASSERT(!share.empty());
  }));
}

TEST_CASE("a Dirichlet split is the more uneven the lower the concentration") {
  const std::vector<int> labels = labels_in_turn(40'000, 40);
  const auto of = [&](double concentration) {
    return unevenness(dirichlet_partition(labels, 8, concentration, 1), labels, 40);
  };
  // Variance of P times a share: (P − 1) / (P·concentration + 1); 40 draws of 8 shares settle it to about a
  // fifth.
  CHECK(of(0.1) == about(7 / 1.8, 0.4));
  CHECK(of(10) == about(7 / 81.0, 0.4));
  CHECK(of(1e6) < 1e-5);  // 1,000 points of a class are cut to within a point of 125
}

TEST_CASE("a Dirichlet split follows from its seed alone") {
  const std::vector<int> labels = labels_in_turn(100, 4);
  CHECK(dirichlet_partition(labels, 5, 0.5, 1) == dirichlet_partition(labels, 5, 0.5, 1));
  CHECK(dirichlet_partition(labels, 5, 0.5, 1) != dirichlet_partition(labels, 5, 0.5, 2));
}

TEST_CASE("impossible splits of data are rejected") {
  CHECK_THROWS_WITH_AS(iid_partition(10, 0, 1), "there are 0 workers; at least 1 is needed",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(iid_partition(3, 4, 1), "3 points do not suffice for 4 workers",
                       std::invalid_argument);
  const std::vector<int> labels = labels_in_turn(10, 2);
  CHECK_THROWS_WITH_AS(dirichlet_partition(labels, 11, 1, 1), "10 points do not suffice for 11 workers",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(dirichlet_partition(labels, 2, 0, 1),
                       "the concentration is 0; it must be between 0.0001 and 1000000",
                       std::invalid_argument);
}

}  // namespace
}  // namespace starling

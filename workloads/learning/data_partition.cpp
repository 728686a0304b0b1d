#include "workloads/learning/data_partition.hpp"

#include <algorithm>
#include <boost/math/distributions/gamma.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/numbers/double_policy.hpp"
#include "base/reject.hpp"
#include "sim/random.hpp"

namespace starling {

namespace {

using Gamma = boost::math::gamma_distribution<double, DoublePolicy>;

constexpr std::uint32_t order_stream = 0;
constexpr std::uint32_t shares_stream = 1;

void require_point_for_each(std::int64_t points, int workers) {
  if (workers < 1) reject("there are {} workers; at least 1 is needed", workers);
  if (points < workers) {
    reject("{} points do not suffice for {} workers", points, workers);
  }
}

/// Sorts the points by random keys. A point's key does not depend on the other points.
void shuffle(std::vector<std::int64_t>& points, std::uint64_t seed) {
  const CounterRandom random(seed, Purpose::data_partition);
  std::vector<std::pair<std::uint64_t, std::int64_t>> keyed;
  keyed.reserve(points.size());
  for (const std::int64_t point : points)
    keyed.emplace_back(random.bits(order_stream, static_cast<std::uint64_t>(point)), point);
  std::ranges::sort(keyed);
  std::ranges::transform(keyed, points.begin(), [](const auto& entry) { return entry.second; });
}

/// Gives each worker a contiguous part of the points in proportion to its share; cuts are at the rounded
/// cumulative shares.
void deal(const std::vector<std::int64_t>& points, const std::vector<double>& shares,
          DataPartition& partition) {
  double share_sum = 0;
  std::size_t begin = 0;
  for (std::size_t worker = 0; worker < shares.size(); ++worker) {
    share_sum += shares[worker];
    const bool is_last = worker + 1 == shares.size();
    const auto rounded =
        static_cast<std::size_t>(std::llround(std::min(share_sum, 1.0) * static_cast<double>(points.size())));
    const std::size_t end = is_last ? points.size() : rounded;
    for (; begin < end; ++begin) partition[worker].push_back(points[begin]);
  }
}

void give_points_to_empty_workers(DataPartition& partition) {
  for (std::vector<std::int64_t>& share : partition) {
    if (!share.empty()) continue;
    const auto largest = std::ranges::max_element(partition, {}, &std::vector<std::int64_t>::size);
    share.push_back(largest->back());
    largest->pop_back();
  }
}

}  // namespace

DataPartition iid_partition(std::int64_t points, int workers, std::uint64_t seed) {
  require_point_for_each(points, workers);
  std::vector<std::int64_t> order(static_cast<std::size_t>(points));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  shuffle(order, seed);
  DataPartition partition(static_cast<std::size_t>(workers));
  for (std::size_t i = 0; i < order.size(); ++i) partition[i % partition.size()].push_back(order[i]);
  return partition;
}

std::vector<double> dirichlet_shares(int workers, double concentration, std::uint64_t seed, int label) {
  const CounterRandom random(seed, Purpose::data_partition);
  const Gamma gamma(concentration + 1);
  // A gamma draw with a small shape underflows, so its logarithm is drawn, by gamma(a) = gamma(a+1) ·
  // u^(1/a).
  std::vector<double> logarithms;
  for (std::uint32_t worker = 0; worker < static_cast<std::uint32_t>(workers); ++worker) {
    const auto draw = [&](std::uint32_t index) {
      return random.uniform(shares_stream + worker, static_cast<std::uint64_t>(label), index);
    };
    logarithms.push_back(std::log(quantile(gamma, draw(0))) + std::log(draw(1)) / concentration);
  }
  const double largest = std::ranges::max(logarithms);
  std::vector<double> shares;
  for (const double logarithm : logarithms) shares.push_back(std::exp(logarithm - largest));
  const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  for (double& share : shares) share /= sum;
  return shares;
}

DataPartition dirichlet_partition(std::span<const int> labels, int workers, double concentration,
                                  std::uint64_t seed) {
  require_point_for_each(static_cast<std::int64_t>(labels.size()), workers);
  if (!(concentration >= 1e-4 && concentration <= 1e6)) {
    reject("the concentration is {}; it must be between 0.0001 and 1000000", concentration);
  }
  std::map<int, std::vector<std::int64_t>> points_of_label;
  for (std::size_t point = 0; point < labels.size(); ++point)
    points_of_label[labels[point]].push_back(static_cast<std::int64_t>(point));
  DataPartition partition(static_cast<std::size_t>(workers));
  for (auto& [label, points] : points_of_label) {
    shuffle(points, seed);
    deal(points, dirichlet_shares(workers, concentration, seed, label), partition);
  }
  give_points_to_empty_workers(partition);
  return partition;
}

}  // namespace starling

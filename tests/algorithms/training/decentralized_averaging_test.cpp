#include "algorithms/training/decentralized_averaging.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "gossip_fixture.hpp"

namespace starling {
namespace {

constexpr double rounding = 1e-9;  // relative; times are sums of thousands of doubles

struct Case {
  std::string graph;
  int workers;
  int workers_per_host;
};

const std::vector<Case> cases = {{"complete", 1, 1},
                                 {"complete", 5, 1},
                                 {"one_peer_ring", 2, 1},
                                 {"one_peer_ring", 6, 1},
                                 {"one_peer_exponential", 2, 1},
                                 {"one_peer_exponential", 8, 1},
                                 {"alternating_exponential_ring", 4, 1},
                                 {"alternating_exponential_ring", 4, 2},
                                 {"alternating_exponential_ring", 16, 4}};

ClusterFacts facts_of(const Case& tried, const StarCluster& cluster) {
  ClusterFacts facts = cluster.facts();
  facts.workers_per_host = tried.workers_per_host;
  return facts;
}

std::vector<float> start_of(const Workload& workload, Rank rank) {
  Replica replica = different_replica(workload, rank, 0);
  const auto data = replica.parameters().data();
  return {data.begin(), data.end()};
}

/// x_i(s+1) = mean of x_j(s) over i's group − learning_rate · (x_i(s) − x_i(0)); without a mean for s = 0.
std::vector<std::vector<double>> serial(const Workload& workload, const AveragingGroups& groups, int workers,
                                        int iterations, double learning_rate) {
  std::vector<std::vector<double>> start;
  for (Rank rank = 0; rank < workers; ++rank) {
    const std::vector<float> data = start_of(workload, rank);
    start.emplace_back(data.begin(), data.end());
  }
  std::vector<std::vector<double>> models = start;
  for (std::size_t s = 0; s < static_cast<std::size_t>(iterations); ++s) {
    std::vector<std::vector<double>> next = models;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const auto members = groups[s % groups.size()].members_with(static_cast<Rank>(i));
      for (std::size_t e = 0; e < models[i].size(); ++e) {
        double sum = 0;
        for (const Rank member : members) sum += models[static_cast<std::size_t>(member)][e];
        const double mixed = s == 0 ? models[i][e] : sum / static_cast<double>(members.size());
        next[i][e] = mixed - learning_rate * (models[i][e] - start[i][e]);
      }
    }
    models = next;
  }
  return models;
}

TEST_CASE("models are the group's mean one iteration before, moved by the gradient at the own model") {
  const Workload workload = workload_of(
      {{{7, 3}, 0.001, 0.002}, {{1}, 0.002, 0.004}, {{}, 0.001, 0.001}, {{40, 13}, 0.003, 0.002}}, 1e-6);
  for (const Case& tried : cases) {
    for (const char* collective : {"ring", "auto", "hierarchical"}) {
      if (tried.workers_per_host == 1 && collective == std::string("hierarchical")) continue;
      const StarCluster cluster{tried.workers, 1e-4, 1e6, 1e-8};
      const auto algorithm =
          make_decentralized_adam({.collective = collective, .graph = tried.graph, .bucket_bytes = 60},
                                  workload, facts_of(tried, cluster));
      const Trained trained = run_algorithm(
          *algorithm, workload,
          {.cluster = cluster, .iterations = 9, .load = random_load(4), .replica = [&](Rank rank) {
             return different_replica(workload, rank, 0.1);
           }});
      const AveragingGroups groups =
          make_averaging_groups(tried.graph, tried.workers, tried.workers_per_host);
      const auto expected = serial(workload, groups, tried.workers, 9, 0.1);
      double worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        for (std::size_t e = 0; e < expected[i].size(); ++e)
          worst = std::max(worst, std::abs(expected[i][e] - trained.parameters[i][e]));
      }
      CAPTURE(tried.graph);
      CAPTURE(tried.workers);
      CAPTURE(collective);
      // Nine steps of single-precision sums of up to eight numbers around 1.
      CHECK(worst < 3e-6);
    }
  }
}

/// The recursion of decentralized_averaging.hpp for workers of any load; `allreduce_s` is τ(members, bytes).
/// Returns D(i, s, B).
std::vector<std::vector<double>> recursion(const Workload& workload, const AveragingGroups& groups,
                                           double bucket_bytes, int iterations,
                                           const std::function<Load(Rank, std::int64_t)>& load,
                                           const std::function<double(int, double)>& allreduce_s) {
  const std::vector<Bucket> buckets = ddp_buckets(workload, bucket_bytes, bucket_bytes);
  const auto workers = static_cast<std::size_t>(groups[0].ranks());
  std::map<std::vector<Rank>, double> group_end_s;
  std::vector<std::vector<double>> ready_s(workers, std::vector<double>(buckets.size()));  // D(i, s−1, b)
  std::vector<double> now_s(workers);
  std::vector<std::vector<double>> ends_s(workers);
  for (int s = 0; s < iterations; ++s) {
    const RankPartition& partition = groups[static_cast<std::size_t>(s) % groups.size()];
    std::vector<std::vector<double>> next = ready_s;
    std::vector<int> layer(workers, static_cast<int>(workload.backward_s.size()));
    for (std::size_t i = 0; i < workers; ++i) {
      const Load l = load(static_cast<Rank>(i), s);
      now_s[i] += l.delay_s + l.factor * workload.forward_total_s();
    }
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      const double bytes = Replica(workload).gradients(buckets[b].tensors).bytes();
      for (int group = 0; group < partition.groups(); ++group) {
        const auto members = partition.members(group);
        double& end_s = group_end_s[{members.begin(), members.end()}];
        for (const Rank member : members)
          end_s = std::max(end_s, ready_s[static_cast<std::size_t>(member)][b]);
        if (members.size() > 1) end_s += allreduce_s(static_cast<int>(members.size()), bytes);
        for (const Rank member : members) {
          const auto i = static_cast<std::size_t>(member);
          const double factor = load(member, s).factor;
          while (layer[i] > buckets[b].ready_layer)
            now_s[i] += factor * workload.backward_s[static_cast<std::size_t>(--layer[i])];
          if (s > 0 && members.size() > 1) now_s[i] = std::max(now_s[i], end_s);
          now_s[i] += workload.optimizer_s_per_byte * bytes;
          next[i][b] = now_s[i];
        }
      }
    }
    if (s == 0) group_end_s.clear();
    ready_s = next;
    for (std::size_t i = 0; i < workers; ++i) {
      while (layer[i] > 0)
        now_s[i] +=
            load(static_cast<Rank>(i), s).factor * workload.backward_s[static_cast<std::size_t>(--layer[i])];
      ends_s[i].push_back(now_s[i]);
    }
  }
  return ends_s;
}

const Load undisturbed = {};

TEST_CASE("iterations of equal workers take what the max-plus recursion says, on every graph") {
  const Workload workload = random_workload(3, 15, 120, 600'000);
  for (const Case& tried : cases) {
    // Transfers that take no time cannot disturb those of another group; only latencies are left.
    for (const double alpha_s : {1e-5, 5e-3, 3e-2}) {
      // Waiting for groups of unequal sizes makes workers unequal: the test of uneven loads below.
      if (tried.graph == "alternating_exponential_ring" && alpha_s > 1e-3) continue;
      const StarCluster cluster{tried.workers, alpha_s, 1e18, 0};
      const auto algorithm = make_decentralized_adam({.graph = tried.graph, .bucket_bytes = 1e6}, workload,
                                                     facts_of(tried, cluster));
      const Trained trained = run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 7});
      const auto expected = recursion(
          workload, make_averaging_groups(tried.graph, tried.workers, tried.workers_per_host), 1e6, 7,
          [](Rank, std::int64_t) { return undisturbed; },
          [&](int members, double bytes) {
            return cost::ring_allreduce(members, bytes, cluster.facts().costs);
          });
      CAPTURE(tried.graph);
      CAPTURE(tried.workers);
      CAPTURE(alpha_s);
      for (Rank rank = 0; rank < tried.workers; ++rank) {
        for (std::size_t s = 0; s < 7; ++s) {
          CAPTURE(rank);
          CAPTURE(s);
          CHECK(trained.log.of(rank)[s].end_s ==
                doctest::Approx(expected[static_cast<std::size_t>(rank)][s]).epsilon(rounding));
        }
      }
    }
  }
}

TEST_CASE(
    "a single group's collectives follow each other, and take bandwidth and sums as the recursion says") {
  const Workload workload = random_workload(5, 15, 120, 600'000);
  for (const int workers : {2, 3, 4}) {
    for (const double bandwidth_Bps : {1e8, 1e9, 1e10}) {
      const StarCluster cluster{workers, 2e-5, bandwidth_Bps, 1e-11};
      const auto algorithm =
          make_decentralized_adam({.graph = "complete", .bucket_bytes = 2e6}, workload, cluster.facts());
      const Trained trained = run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 5});
      const auto expected = recursion(
          workload, make_averaging_groups("complete", workers, 1), 2e6, 5,
          [](Rank, std::int64_t) { return undisturbed; },
          [&](int members, double bytes) {
            return cost::ring_allreduce(members, bytes, cluster.facts().costs);
          });
      CAPTURE(workers);
      CAPTURE(bandwidth_Bps);
      for (std::size_t s = 0; s < 5; ++s)
        CHECK(trained.log.of(0)[s].end_s == doctest::Approx(expected[0][s]).epsilon(rounding));
    }
  }
}

TEST_CASE("workers of uneven load are at most as late as the recursion says") {
  const Workload workload = random_workload(3, 15, 120, 600'000);
  for (const Case& tried : cases) {
    const StarCluster cluster{tried.workers, 1e-4, 1e18, 0};
    const auto algorithm = make_decentralized_adam({.graph = tried.graph, .bucket_bytes = 1e6}, workload,
                                                   facts_of(tried, cluster));
    const Trained trained =
        run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 8, .load = random_load(6)});
    const auto expected =
        recursion(workload, make_averaging_groups(tried.graph, tried.workers, tried.workers_per_host), 1e6, 8,
                  random_load(6), [&](int members, double bytes) {
                    return cost::ring_allreduce(members, bytes, cluster.facts().costs);
                  });
    for (Rank rank = 0; rank < tried.workers; ++rank) {
      for (std::size_t s = 0; s < 8; ++s) {
        const double end_s = trained.log.of(rank)[s].end_s;
        const double latest_s = expected[static_cast<std::size_t>(rank)][s];
        CAPTURE(tried.graph);
        CHECK(end_s <= latest_s * (1 + rounding));
        // The last one to a collective finds the first messages there: at most a collective's start-ups each.
        CHECK(end_s >= latest_s * (1 - rounding) - 8 * 2 * (tried.workers - 1) * 1e-4);
      }
    }
  }
}

TEST_CASE("decentralized averaging keeps the mean of all models and brings them together") {
  const Workload workload = workload_of({{{7, 3}, 0.001, 0.002}, {{40, 13}, 0.003, 0.002}});
  for (const Case& tried : cases) {
    if (tried.workers == 1) continue;
    const StarCluster cluster{tried.workers, 1e-4, 1e6, 1e-8};
    const auto algorithm =
        make_decentralized_adam({.graph = tried.graph}, workload, facts_of(tried, cluster));
    const Trained trained =
        run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 60, .replica = [&](Rank rank) {
                                               return different_replica(workload, rank, 0);
                                             }});
    std::vector<std::vector<float>> start;
    for (Rank rank = 0; rank < tried.workers; ++rank) start.push_back(start_of(workload, rank));
    const std::vector<double> before = mean_of(start);
    const std::vector<double> after = mean_of(trained.parameters);
    CAPTURE(tried.graph);
    for (std::size_t e = 0; e < before.size(); ++e) CHECK(std::abs(after[e] - before[e]) < 1e-6);
    CHECK(consensus_distance(trained.parameters) < 1e-5);
  }
}

TEST_CASE("options of decentralized averaging that mean nothing are refused") {
  const Workload workload = one_layer(5, 0.01, 0.02);
  CHECK_THROWS_WITH_AS(
      make_decentralized_adam({.graph = "complete", .bucket_bytes = 0}, workload, {.workers = 2}),
      "decentralized_adam: bucket_bytes is 0; it must be finite and above 0", std::invalid_argument);
  CHECK_THROWS_AS(make_decentralized_adam({.graph = "ring"}, workload, {.workers = 2}),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      make_decentralized_adam({.collective = "telepathy", .graph = "complete"}, workload, {.workers = 2}),
      std::invalid_argument);
}

}  // namespace
}  // namespace starling

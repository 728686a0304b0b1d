#include "algorithms/training/gossip/decentralized_adam.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "gossip_fixture.hpp"
#include "tests/rounding.hpp"

namespace starling {
namespace {

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

TEST_CASE(
    "decentralized Adam gives a model its group's mean of one iteration before and the gradient at the own "
    "model") {
  const Workload workload = workload_of(
      {{{7, 3}, 0.001, 0.002}, {{1}, 0.002, 0.004}, {{}, 0.001, 0.001}, {{40, 13}, 0.003, 0.002}}, 1e-6);
  for (const Case& tried : cases) {
    for (const char* collective : {"ring", "auto", "hierarchical"}) {
      if (tried.workers_per_host == 1 && collective == std::string("hierarchical")) continue;
      const StarCluster cluster{tried.workers, 1e-4, 1e6, 1e-8};
      const auto algorithm = make_algorithm(
          DecentralizedAdamOptions{.collective = collective, .graph = tried.graph, .bucket_bytes = 60},
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
          worst = greater_error(worst, std::abs(expected[i][e] - trained.parameters[i][e]));
      }
      CAPTURE(tried.graph);
      CAPTURE(tried.workers);
      CAPTURE(collective);
      // Nine steps of single-precision sums of up to eight numbers around 1.
      CHECK(worst < 3e-6);
    }
  }
}

/// When each member of a group, in seconds, has the sum of an all-reduce of `bytes` that members start at
/// start_s.
using Collective = std::function<std::vector<double>(const std::vector<double>& start_s, double bytes)>;

/// All members end a ring all-reduce at the same time, which is counted from when the last one starts.
Collective ring_after_the_last(const LinearCosts& costs) {
  return [costs](const std::vector<double>& start_s, double bytes) {
    const int members = static_cast<int>(start_s.size());
    const double end_s = std::ranges::max(start_s) + cost::ring_allreduce(members, bytes, costs);
    return std::vector<double>(start_s.size(), end_s);
  };
}

/// A ring all-reduce of two workers, two messages each way that take α each, where the worker that starts
/// later may find the other's first message there.
Collective eager_pairs(double alpha_s) {
  return [alpha_s](const std::vector<double>& start_s, double) {
    REQUIRE(start_s.size() == 2);
    return std::vector<double>{std::max(start_s[0] + 2 * alpha_s, start_s[1] + alpha_s),
                               std::max(start_s[1] + 2 * alpha_s, start_s[0] + alpha_s)};
  };
}

/// The recursion of decentralized_adam.hpp, with the end of a collective for each of its members.
class Recursion {
 public:
  Recursion(const Workload& workload, AveragingGroups groups, double bucket_bytes,
            std::function<Load(Rank, std::int64_t)> load, Collective collective)
      : workload_(workload),
        groups_(std::move(groups)),
        buckets_(ddp_buckets(workload, bucket_bytes, bucket_bytes)),
        load_(std::move(load)),
        collective_(std::move(collective)) {}

  /// D(i, s, B) of every worker and iteration.
  std::vector<std::vector<double>> ends_s(int iterations) {
    const auto workers = static_cast<std::size_t>(groups_[0].ranks());
    std::vector<std::vector<double>> ends_s(workers);
    launched_s_.assign(workers, std::vector<double>(buckets_.size()));
    now_s_.assign(workers, 0);
    for (int s = 0; s < iterations; ++s) {
      const auto averaged_s = averages_end_s(s);
      for (std::size_t i = 0; i < workers; ++i) {
        iterate(i, s, averaged_s);
        ends_s[i].push_back(now_s_[i]);
      }
    }
    return ends_s;
  }

 private:
  /// C(i, b, s), from what was launched in iteration s−1; 0 where nothing was.
  std::vector<std::vector<double>> averages_end_s(int s) {
    std::vector<std::vector<double>> averaged_s(now_s_.size(), std::vector<double>(buckets_.size()));
    if (s == 0) return averaged_s;
    const RankPartition& partition = groups_[static_cast<std::size_t>(s) % groups_.size()];
    for (int group = 0; group < partition.groups(); ++group) {
      const std::vector<Rank> members(partition.members(group).begin(), partition.members(group).end());
      if (members.size() < 2) continue;
      std::vector<double>& free_s = group_free_s_[members];
      free_s.resize(members.size());
      for (std::size_t b = 0; b < buckets_.size(); ++b) {
        for (std::size_t m = 0; m < members.size(); ++m)
          free_s[m] = std::max(free_s[m], launched_s_[static_cast<std::size_t>(members[m])][b]);
        free_s = collective_(free_s, bytes(b));
        for (std::size_t m = 0; m < members.size(); ++m)
          averaged_s[static_cast<std::size_t>(members[m])][b] = free_s[m];
      }
    }
    return averaged_s;
  }

  void iterate(std::size_t i, int s, const std::vector<std::vector<double>>& averaged_s) {
    const Load load = load_(static_cast<Rank>(i), s);
    now_s_[i] += load.delay_s + load.factor * workload_.forward_total_s();
    std::size_t layer = workload_.backward_s.size();
    const auto backward_to = [&](int first_layer) {
      while (layer > static_cast<std::size_t>(first_layer))
        now_s_[i] += load.factor * workload_.backward_s[--layer];
    };
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      backward_to(buckets_[b].ready_layer);
      now_s_[i] = std::max(now_s_[i], averaged_s[i][b]) + workload_.optimizer_s_per_byte * bytes(b);
      launched_s_[i][b] = now_s_[i];
    }
    backward_to(0);
  }

  double bytes(std::size_t b) const { return Replica(workload_).gradients(buckets_[b].tensors).bytes(); }

  const Workload& workload_;
  AveragingGroups groups_;
  std::vector<Bucket> buckets_;
  std::function<Load(Rank, std::int64_t)> load_;
  Collective collective_;
  std::vector<double> now_s_;
  std::vector<std::vector<double>> launched_s_;  // D(i, s−1, b)
  std::map<std::vector<Rank>, std::vector<double>> group_free_s_;
};

Load undisturbed(Rank, std::int64_t) { return {}; }

AveragingGroups groups_of(const Case& tried) {
  return make_averaging_groups(tried.graph, tried.workers, tried.workers_per_host);
}

void check_ends_of_each(const Trained& trained, const std::vector<std::vector<double>>& expected_s) {
  for (std::size_t rank = 0; rank < expected_s.size(); ++rank) {
    for (std::size_t s = 0; s < expected_s[rank].size(); ++s) {
      CAPTURE(rank);
      CAPTURE(s);
      CHECK(trained.log.of(static_cast<Rank>(rank))[s].end_s == about(expected_s[rank][s], rounding_of_sums));
    }
  }
}

TEST_CASE(
    "iterations of equal workers in decentralized Adam take the time of the max-plus recursion on every "
    "graph") {
  const Workload workload = random_workload(3, 15, 120, 600'000);
  for (const Case& tried : cases) {
    // Transfers that take no time cannot disturb those of another group; only latencies are left.
    for (const double alpha_s : {1e-5, 5e-3, 3e-2}) {
      // Groups of unequal sizes make workers unequal, which the test of uneven loads below covers.
      if (tried.graph == "alternating_exponential_ring" && alpha_s > 1e-3) continue;
      const StarCluster cluster{tried.workers, alpha_s, 1e18, 0};
      const auto algorithm =
          make_algorithm(DecentralizedAdamOptions{.graph = tried.graph, .bucket_bytes = 1e6}, workload,
                         facts_of(tried, cluster));
      const Trained trained = run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 7});
      Recursion recursion(workload, groups_of(tried), 1e6, undisturbed,
                          ring_after_the_last(cluster.facts().costs));
      CAPTURE(tried.graph);
      CAPTURE(tried.workers);
      CAPTURE(alpha_s);
      check_ends_of_each(trained, recursion.ends_s(7));
    }
  }
}

TEST_CASE(
    "collectives of a single group in decentralized Adam follow each other and take the time of the "
    "recursion") {
  const Workload workload = random_workload(5, 15, 120, 600'000);
  for (const int workers : {2, 3, 4}) {
    for (const double bandwidth_Bps : {1e8, 1e9, 1e10}) {
      const StarCluster cluster{workers, 2e-5, bandwidth_Bps, 1e-11};
      const auto algorithm = make_algorithm(
          DecentralizedAdamOptions{.graph = "complete", .bucket_bytes = 2e6}, workload, cluster.facts());
      const Trained trained = run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 5});
      Recursion recursion(workload, make_averaging_groups("complete", workers, 1), 2e6, undisturbed,
                          ring_after_the_last(cluster.facts().costs));
      CAPTURE(workers);
      CAPTURE(bandwidth_Bps);
      check_ends_of_each(trained, recursion.ends_s(5));
    }
  }
}

TEST_CASE("pairs of uneven workers in decentralized Adam take the time of the recursion for eager messages") {
  const Workload workload = random_workload(3, 15, 120, 600'000);
  for (const Case& tried :
       std::vector<Case>{{"complete", 2, 1}, {"one_peer_ring", 6, 1}, {"one_peer_exponential", 8, 1}}) {
    for (const double alpha_s : {1e-4, 2e-2, 0.2}) {
      const StarCluster cluster{tried.workers, alpha_s, 1e18, 0};
      const auto algorithm =
          make_algorithm(DecentralizedAdamOptions{.graph = tried.graph, .bucket_bytes = 1e6}, workload,
                         facts_of(tried, cluster));
      const Trained trained =
          run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 8, .load = random_load(6)});
      Recursion recursion(workload, groups_of(tried), 1e6, random_load(6), eager_pairs(alpha_s));
      CAPTURE(tried.graph);
      CAPTURE(alpha_s);
      check_ends_of_each(trained, recursion.ends_s(8));
    }
  }
}

TEST_CASE("uneven workers in decentralized Adam are at most as late as the recursion") {
  const Workload workload = random_workload(3, 15, 120, 600'000);
  for (const Case& tried : cases) {
    const StarCluster cluster{tried.workers, 1e-4, 1e18, 0};
    const auto algorithm = make_algorithm(DecentralizedAdamOptions{.graph = tried.graph, .bucket_bytes = 1e6},
                                          workload, facts_of(tried, cluster));
    const Trained trained =
        run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 8, .load = random_load(6)});
    Recursion recursion(workload, groups_of(tried), 1e6, random_load(6),
                        ring_after_the_last(cluster.facts().costs));
    const auto latest_s = recursion.ends_s(8);
    for (Rank rank = 0; rank < tried.workers; ++rank) {
      for (std::size_t s = 0; s < 8; ++s) {
        const double end_s = trained.log.of(rank)[s].end_s;
        const double at_most_s = latest_s[static_cast<std::size_t>(rank)][s];
        CAPTURE(tried.graph);
        CHECK(end_s <= at_most_s * (1 + rounding_of_sums));
        // The last worker of a collective finds the first messages there, which saves at most the
        // collective's 2(P−1) start-ups, in each of eight iterations.
        CHECK(end_s >= at_most_s * (1 - rounding_of_sums) - 8 * 2 * (tried.workers - 1) * 1e-4);
      }
    }
  }
}

TEST_CASE("decentralized Adam without overlap waits in every iteration for what it launched") {
  const Workload workload = random_workload(3, 15, 120, 600'000);
  const StarCluster cluster{4, 1e-3, 1e9, 0};
  const auto trained = [&](bool overlap) {
    const auto algorithm = make_algorithm(
        DecentralizedAdamOptions{.graph = "complete", .bucket_bytes = 1e12, .overlap = overlap}, workload,
        cluster.facts());
    return run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 3});
  };
  const double bytes = static_cast<double>(workload.parameters()) * workload.bytes_per_element;
  const double iteration_s = workload.compute_total_s() + workload.update_s(workload.parameters()) +
                             cost::ring_allreduce(4, bytes, cluster.facts().costs);
  const Trained waits = trained(false);
  for (const std::int64_t iteration : {0, 1, 2})
    CHECK(waits.end_s(iteration) ==
          about(static_cast<double>(iteration + 1) * iteration_s, rounding_of_sums));
  CHECK(trained(true).end_s(2) < waits.end_s(2));
}

TEST_CASE("decentralized Adam without gradients keeps the mean of all models and brings them together") {
  const Workload workload = workload_of({{{7, 3}, 0.001, 0.002}, {{40, 13}, 0.003, 0.002}});
  for (const Case& tried : cases) {
    if (tried.workers == 1) continue;
    const StarCluster cluster{tried.workers, 1e-4, 1e6, 1e-8};
    const auto algorithm =
        make_algorithm(DecentralizedAdamOptions{.graph = tried.graph}, workload, facts_of(tried, cluster));
    const Trained trained =
        run_algorithm(*algorithm, workload, {.cluster = cluster, .iterations = 60, .replica = [&](Rank rank) {
                                               return different_replica(workload, rank, 0);
                                             }});
    std::vector<std::vector<float>> start;
    for (Rank rank = 0; rank < tried.workers; ++rank) start.push_back(start_of(workload, rank));
    const std::vector<double> before = mean_of(start);
    const std::vector<double> after = mean_of(trained.parameters);
    CAPTURE(tried.graph);
    // 60 single-precision sums of numbers up to 2, each with a rounding of up to 1.2e-7 either way.
    for (std::size_t e = 0; e < before.size(); ++e) CHECK(std::abs(after[e] - before[e]) < 1e-6);
    // Every graph averages exactly after a few iterations, but a ring of six: two of its iterations leave
    // cos 2π/6 = 1/2, so 60 of them 2⁻³⁰. Then a few roundings of each of 63 elements are left: √63·1.2e-7
    // each.
    CHECK(consensus_distance(trained.parameters) < 1e-5);
  }
}

TEST_CASE("averages of two workers of different hosts are planned with the costs between hosts") {
  const StarCluster cluster{4, 1e-6, 1e9, 0};
  ClusterFacts facts = cluster.facts();
  facts.workers_per_host = 2;
  const DecentralizedAdam averaging({.collective = "auto", .graph = "one_peer_exponential"},
                                    one_layer(250'000, 0.01, 0.02), facts);
  REQUIRE(std::ranges::equal(averaging.groups(1).members_with(0), std::vector<Rank>{0, 2}));
  // With the costs of one worker per host, recursive doubling in one round is the cheapest. If two workers
  // were taken to share a link, it would take twice as long and a ring of two rounds would be chosen.
  CHECK(averaging.allreduce(1, 0).rounds(0) == 1);
}

TEST_CASE("invalid options of decentralized Adam are refused") {
  const Workload workload = one_layer(5, 0.01, 0.02);
  CHECK_THROWS_WITH_AS(
      make_training_algorithm(DecentralizedAdamOptions{.graph = "complete", .bucket_bytes = 0}, workload,
                              {.workers = 2}),
      "decentralized_adam: bucket_bytes is 0; it must be from 1 to 1e+18", std::invalid_argument);
  CHECK_THROWS_AS(make_algorithm(DecentralizedAdamOptions{.graph = "ring"}, workload, {.workers = 2}),
                  std::invalid_argument);
  CHECK_THROWS_AS(make_algorithm(DecentralizedAdamOptions{.collective = "telepathy", .graph = "complete"},
                                 workload, {.workers = 2}),
                  std::invalid_argument);
}

}  // namespace
}  // namespace starling

#pragma once

#include <compare>
#include <functional>
#include <queue>
#include <vector>

#include "algorithms/training/partial/partial_collectives.hpp"
#include "analysis/model/modeled_run.hpp"

namespace starling {

/// When workers learn that a version of a partial collective has started: by their own call, or from a
/// neighbor in the butterfly, as in PartialCollectives.
///
/// Finds each rank's earliest news by shortest paths (Dijkstra): O(P log P) time, 2 ns for each neighbor that
/// knows already; O(P log P) memory.
class VersionNews {
 public:
  /// `run` must outlive it.
  explicit VersionNews(ModeledRun& run);

  /// When each rank may take part. called_s: when each rank calls; free_s: when each has ended the version
  /// before, until which early news wait.
  Moments spread(const VersionStart& start, const Moments& called_s, const Moments& free_s);
  /// Whether a rank learned of the start by its own call.
  bool is_own_call(Rank rank) const { return news_[static_cast<std::size_t>(rank)].dimension == 0; }

 private:
  struct News {
    double time_s;         // when the rank may take part
    double arrival_s;      // when the news arrives, no later than time_s
    int dimension;         // of the first neighbor to be told; 0 after the rank's own call
    bool is_sure = true;   // no other news is simultaneous
    bool decides = false;  // simultaneous news would tell other neighbors
  };
  struct Entry {
    double time_s;
    double arrival_s;
    Rank rank;
    auto operator<=>(const Entry&) const = default;
  };

  void begin(const VersionStart& start, const Moments& called_s);
  void learn(Rank rank, const News& news);
  void notify_neighbors(Rank rank, const Moments& free_s);
  double notification_s(Rank rank, int dimension);
  void count();
  News& of(Rank rank) { return news_[static_cast<std::size_t>(rank)]; }

  ModeledRun& run_;
  int dimensions_;  // log₂P
  std::vector<News> news_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> agenda_;
  std::vector<double> notification_s_;  // by rank and dimension; negative if not computed yet
};

}  // namespace starling

#pragma once

#include <compare>
#include <functional>
#include <queue>
#include <vector>

#include "algorithms/training/partial/partial_collectives.hpp"
#include "analysis/model/modeled_run.hpp"

namespace starling {

/// When workers learn that a version of a partial collective has started: by their own call, or from a
/// neighbor in the butterfly, as PartialCollectives tells them.
///
/// The earliest news of each rank, as shortest paths (Dijkstra): O(P log P) time, 2 ns for each neighbor that
/// knows already; O(P log P) memory.
class VersionNews {
 public:
  /// `run` must outlive it.
  explicit VersionNews(ModeledRun& run);

  /// When each rank may take part. called_s: when it calls; free_s: when it has ended the version before,
  /// until which news that are early wait.
  Moments spread(const VersionStart& start, const Moments& called_s, const Moments& free_s);
  /// Whether that was a rank's own call.
  bool is_own_call(Rank rank) const { return news_[static_cast<std::size_t>(rank)].dimension == 0; }

 private:
  struct News {
    double time_s;         // somebody may take part
    double arrival_s;      // no later than that
    int dimension;         // the first on which neighbors are to be told; 0 after its own call
    bool is_sure = true;   // no other could have come first
    bool decides = false;  // or one could that tells others
  };
  struct Entry {
    double time_s;
    double arrival_s;
    Rank rank;
    auto operator<=>(const Entry&) const = default;
  };

  void begin(const VersionStart& start, const Moments& called_s);
  void learn(Rank rank, const News& news);
  void tell_neighbors(Rank rank, const Moments& free_s);
  double notification_s(Rank rank, int dimension);
  void count();
  News& of(Rank rank) { return news_[static_cast<std::size_t>(rank)]; }

  ModeledRun& run_;
  int dimensions_;  // log₂P
  std::vector<News> news_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> agenda_;
  std::vector<double> notification_s_;  // of each rank on each dimension; negative if not known yet
};

}  // namespace starling

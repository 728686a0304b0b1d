#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "sim/activity.hpp"
#include "sim/routes.hpp"

namespace starling {

/// What the links of a network carry in the course of a run.
///
/// Bytes and what is under way follow from when messages are sent and arrive; when links carry them only the
/// network's model knows, which tells carry() or set_rate(). Time is divided into equal periods, twice as
/// long whenever the run outgrows them, so that there are always more than half of the most. Costs O(1) a
/// message and link. Memory: 8 · most_periods + 96 bytes a link.
class LinkWatch {
 public:
  static constexpr std::size_t activities = activity_names.size();

  /// Of a link in the whole run; a line of the cache.
  struct alignas(64) Use {
    /// Of messages whose way leads over it, by what the sender was at when it sent them.
    std::array<double, activities> bytes_while = {};
    double bytes_under_way = 0;
    double most_bytes_under_way = 0;  // sent, and not yet arrived
    double bytes() const { return std::accumulate(bytes_while.begin(), bytes_while.end(), 0.0); }
  };

  /// `links` must outlive this object; `most_periods` is even.
  explicit LinkWatch(std::span<const Link> links, std::size_t most_periods = 32);

  /// What a worker is at from now on; before that it waits.
  void note(Rank rank, Activity activity);
  /// A message of this sender is on its way over the link, and has arrived.
  void begin(LinkIndex link, double bytes, Rank sender) {
    if (at(link) >= uses_.size()) return;  // of a model's own
    Use& use = uses_[at(link)];
    use.bytes_while[static_cast<std::size_t>(activity(sender))] += bytes;
    use.bytes_under_way += bytes;
    use.most_bytes_under_way = std::max(use.most_bytes_under_way, use.bytes_under_way);
  }
  void end(LinkIndex link, double bytes) {
    if (at(link) < uses_.size()) uses_[at(link)].bytes_under_way -= bytes;
  }

  /// Between two times, and in which periods these are.
  struct When {
    double begin_s;
    double end_s;
    std::size_t first;
    std::size_t last;
  };
  When when(double begin_s, double end_s);
  /// The link carries so many bytes more, evenly then; fewer where they are negative, which takes back what
  /// was said before.
  void carry(LinkIndex link, double bytes, const When& when) {
    double* const carried = &carried_[at(link) * most_periods_];
    if (when.first == when.last) [[likely]]
      carried[when.first] += bytes;
    else
      spread(carried, bytes, when);
  }
  void carry(LinkIndex link, double bytes, double begin_s, double end_s) {
    carry(link, bytes, when(begin_s, end_s));
  }
  /// From now on the link carries that, until told otherwise.
  void set_rate(LinkIndex link, double rate_Bps, double now_s);
  /// The run has ended: links carry nothing more at a rate.
  void end_run(double now_s);

  std::span<const Link> links() const { return links_; }
  const Use& use(LinkIndex link) const { return uses_[at(link)]; }
  double period_s() const { return period_s_; }
  std::size_t most_periods() const { return most_periods_; }
  /// What the link carried in each of the periods, in bytes.
  std::span<const double> carried(LinkIndex link) const {
    return std::span(carried_).subspan(at(link) * most_periods_, most_periods_);
  }

 private:
  struct Rate {
    double rate_Bps = 0;
    double since_s = 0;
  };

  static std::size_t at(LinkIndex link) { return static_cast<std::size_t>(link); }
  Activity activity(Rank rank) const {
    const auto worker = static_cast<std::size_t>(rank);
    return worker < activities_of_.size() ? activities_of_[worker] : Activity::waiting;
  }
  void cover(double time_s);
  void spread(double* carried, double bytes, const When& when) const;

  std::span<const Link> links_;
  std::size_t most_periods_;
  double period_s_;
  double periods_per_s_;
  std::vector<Activity> activities_of_;  // workers
  std::vector<Use> uses_;
  std::vector<Rate> rates_;
  std::vector<double> carried_;  // link by link
};

}  // namespace starling

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "base/numbers/simultaneous.hpp"
#include "sim/activity.hpp"
#include "sim/networks/worker_activities.hpp"
#include "sim/routes.hpp"

namespace starling {

/// Records what the links of a network carry in the course of a run.
///
/// Bytes sent and in flight follow from when messages are sent and arrive (begin(), end()). When a link
/// carries them only the network model knows, which calls carry() or set_rate(). Time is divided into
/// periods: either equal ones, which double in length whenever the run outgrows `most_periods` of them, so
/// that more than half as many are always in use; or given ones. Costs O(1) per message and link, with n
/// given periods O(log n) at worst. Memory: 8 · periods + 80 bytes per link.
class LinkWatch {
 public:
  static constexpr std::size_t activities = activity_names.size();

  /// What a link carries in the whole run.
  struct Use {
    /// The bytes of the messages routed over the link, by the sender's activity when it sent them.
    std::array<double, activities> bytes_while = {};
    double bytes_under_way = 0;  // in flight: sent and not yet arrived
    double most_bytes_under_way = 0;
    double bytes() const { return std::accumulate(bytes_while.begin(), bytes_while.end(), 0.0); }
  };

  /// `links` must outlive this object; `most_periods` is even.
  explicit LinkWatch(std::span<const Link> links, std::size_t most_periods = 32);
  /// With given periods: each begins at one of `begins_s`, which must ascend from 0. The last period has no
  /// end.
  LinkWatch(std::span<const Link> links, std::vector<double> begins_s);

  /// The present activities of workers.
  WorkerActivities& workers() { return workers_; }
  const WorkerActivities& workers() const { return workers_; }

  /// begin(): a message of `bytes`, sent while its sender was in `activity`, is in flight over the link;
  /// end(): it has arrived. A message that arrives at the moment at which another is sent does not count as
  /// in flight together with it, whatever the order of the calls.
  void begin(LinkIndex link, double bytes, Activity activity, double now_s) {
    if (at(link) >= loads_.size()) return;  // a model's own link
    had_sent(link, bytes, activity);
    loads_[at(link)].change(bytes, now_s);
  }
  void end(LinkIndex link, double bytes, double now_s) {
    if (at(link) < loads_.size()) loads_[at(link)].change(-bytes, now_s);
  }

  /// For many messages, in place of begin() and end(): their bytes, and the greatest number of bytes in
  /// flight at a time.
  void had_sent(LinkIndex link, double bytes, Activity activity) {
    bytes_while_[static_cast<std::size_t>(activity) * loads_.size() + at(link)] += bytes;
  }
  void had_under_way(LinkIndex link, double most_bytes) {
    loads_[at(link)].most_bytes = std::max(loads_[at(link)].most_bytes, most_bytes);
  }

  /// An interval of time, and the periods in which it begins and ends.
  struct When {
    double begin_s;
    double end_s;
    std::size_t first;
    std::size_t last;
  };
  When when(double begin_s, double end_s) {
    if (begin_s >= latest_begin_s_ && end_s < latest_end_s_) [[likely]]
      return {.begin_s = begin_s, .end_s = end_s, .first = latest_, .last = latest_};
    return find_when(begin_s, end_s);
  }
  /// The link carries `bytes` more, evenly over the interval. Negative bytes revoke an earlier call.
  void carry(LinkIndex link, double bytes, const When& when) {
    if (when.first == when.last) [[likely]]
      carried_in(when.first, link) += bytes;
    else
      spread(link, bytes, when);
  }
  void carry(LinkIndex link, double bytes, double begin_s, double end_s) {
    carry(link, bytes, when(begin_s, end_s));
  }
  /// carry() over an interval within one period.
  void carry_in(std::size_t period, LinkIndex link, double bytes) { carried_in(period, link) += bytes; }
  /// Doubles the length of equal periods until they reach `time_s`.
  void reach(double time_s) {
    if (time_s > begins_s_.back()) cover(time_s);
  }
  /// From now on the link carries `rate_Bps`, until the next call.
  void set_rate(LinkIndex link, double rate_Bps, double now_s);
  /// The run ends at now_s: sets all rates to 0.
  void end_run(double now_s);

  std::span<const Link> links() const { return links_; }
  Use use(LinkIndex link) const;
  /// The length of periods, if they are equal.
  double period_s() const { return begins_s_[1]; }
  std::size_t periods() const { return begins_s_.size() - 1; }
  double begin_s(std::size_t period) const { return begins_s_[period]; }
  double end_s(std::size_t period) const { return begins_s_[period + 1]; }
  /// The bytes that the link carried in each period.
  std::vector<double> carried(LinkIndex link) const;

 private:
  /// The bytes in flight over a link.
  struct Load {
    double bytes = 0;
    double since_s = 0;
    double most_bytes = 0;  // the most before since_s

    void change(double more_bytes, double now_s) {
      if (now_s > since_s && !are_simultaneous(now_s, since_s)) {
        most_bytes = std::max(most_bytes, bytes);
        since_s = now_s;
      }
      bytes += more_bytes;
    }
  };
  struct Rate {
    double rate_Bps = 0;
    double since_s = 0;
  };

  /// `begins_s` holds the begins of all periods and, last, the end of the last one. `periods_per_s` is 0
  /// unless periods are equal.
  LinkWatch(std::span<const Link> links, std::vector<double> begins_s, double periods_per_s);

  static std::size_t at(LinkIndex link) { return static_cast<std::size_t>(link); }
  double& carried_in(std::size_t period, LinkIndex link) {
    return carried_[period * links_.size() + at(link)];
  }
  void cover(double time_s);
  std::size_t period_at(double time_s) const;
  When find_when(double begin_s, double end_s);
  void spread(LinkIndex link, double bytes, const When& when);

  std::span<const Link> links_;
  std::vector<double> begins_s_;  // the begins of periods, and the end of the last one
  double periods_per_s_;          // 0 unless all are equal
  std::size_t latest_ = 0;        // the period that was looked up last,
  double latest_begin_s_ = 0;
  double latest_end_s_ = 0;  // and its begin and end
  WorkerActivities workers_;
  std::vector<double> bytes_while_;  // by activity, then link
  std::vector<Load> loads_;
  std::vector<Rate> rates_;
  std::vector<double> carried_;  // by period, then link
};

}  // namespace starling

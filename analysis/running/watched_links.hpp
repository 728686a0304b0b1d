#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/results/link_use.hpp"
#include "analysis/running/machine.hpp"
#include "sim/networks/link_watch.hpp"

namespace starling {

/// The use of links in a run that took `run_s`. `is_reported`: whether the network model reported when links
/// carried what; `iterations`: of the run, absent for several jobs.
LinkUses link_uses(LinkWatch& watch, bool is_reported, double run_s, std::optional<std::int64_t> iterations);

/// The use of links in a run of which only the first iterations are simulated, as the others repeat them.
class RepeatedLinks {
 public:
  /// To be made before these iterations are simulated. `links` must outlive this object.
  RepeatedLinks(std::span<const Link> links, int workers, const Repetition& repetition);
  RepeatedLinks(const RepeatedLinks&) = delete;
  RepeatedLinks& operator=(const RepeatedLinks&) = delete;

  /// Watches the simulated iterations.
  LinkWatch& watch() { return watch_; }
  /// `load`, with the side effect that this object observes when iterations begin.
  LoadSource observed(LoadSource load);
  /// The use of links in the whole run, up to rounding, once the iterations have been simulated.
  LinkUses uses(bool is_reported) const;

 private:
  using BytesWhile = std::array<double, LinkWatch::activities>;
  /// A moment of the run: so many repetitions later than a simulated moment.
  struct Moment {
    double simulated_s;
    double repetitions;
  };

  Moment moment(double time_s) const;
  std::vector<double> edges_s();
  std::vector<BytesWhile> bytes_so_far() const;
  void add_bytes(LinkIndex link, LinkWatch& whole) const;
  void add_carried(LinkIndex link, LinkWatch& whole) const;

  Repetition repetition_;
  LinkWatch whole_;  // of the whole run; only its sampling periods are known before uses()
  LinkWatch watch_;
  int workers_;
  std::vector<int> begun_;  // how many workers have begun each simulated iteration
  /// By repeated iteration and link: the bytes when all workers had begun it, and none had sent anything in
  /// it.
  std::vector<std::vector<BytesWhile>> bytes_before_;
};

}  // namespace starling

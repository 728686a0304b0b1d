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

/// What was seen of a run that took so long; `is_told` says whether the model told when links carried what.
/// `iterations` is absent of several jobs.
LinkUses link_uses(LinkWatch& watch, bool is_told, double run_s, std::optional<std::int64_t> iterations);

/// What links carry in a run of which only the first iterations are simulated, as the others repeat them.
class RepeatedLinks {
 public:
  /// Before these are simulated. `links` must outlive this object.
  RepeatedLinks(std::span<const Link> links, int workers, const Repetition& repetition);
  RepeatedLinks(const RepeatedLinks&) = delete;
  RepeatedLinks& operator=(const RepeatedLinks&) = delete;

  /// Of what is simulated.
  LinkWatch& watch() { return watch_; }
  /// `load`, which also tells this object when iterations begin.
  LoadSource heard(LoadSource load);
  /// The use of links in the whole run, up to rounding, once that has been simulated.
  LinkUses uses(bool is_told) const;

 private:
  using BytesWhile = std::array<double, LinkWatch::activities>;
  /// A moment of the run: one that was simulated, so many repetitions later.
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
  LinkWatch whole_;  // of which only the periods are known
  LinkWatch watch_;
  int workers_;
  std::vector<int> begun_;  // by how many, of each iteration that is simulated
  /// When all had begun an iteration that is repeated, and none had sent anything in it.
  std::vector<std::vector<BytesWhile>> bytes_before_;
};

}  // namespace starling

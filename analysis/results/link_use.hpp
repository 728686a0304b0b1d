#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/activity.hpp"

namespace starling {

/// What a link carried in a run, warm-up included.
struct LinkUse {
  std::string name;
  double bandwidth_Bps = 0;
  double bytes = 0;  // of messages, as the wire carries them
  /// The part of the run's time for which its bandwidth was used; over_time the same of each period.
  double busy_fraction = 0;
  std::vector<double> over_time = {};
  /// The most bytes at once of messages that had been sent and not yet arrived, and lead over the link. Those
  /// beside rings that were evaluated are not counted together with these.
  double most_bytes_under_way = 0;
  /// By what the sender was at when it sent them.
  std::array<double, activity_names.size()> bytes_while = {};

  /// Of a run of so many iterations: what one of them sends, and how long that takes at least, unless small
  /// messages take no bandwidth.
  double bytes_per_iteration(std::int64_t iterations) const {
    return bytes / static_cast<double>(iterations);
  }
  double bound_s(std::int64_t iterations) const { return bytes_per_iteration(iterations) / bandwidth_Bps; }
};

/// The links of a network in a run.
struct LinkUses {
  std::size_t links_of_network = 0;
  double run_s = 0;                             // all fractions are of that
  std::optional<double> period_s = {};          // of over_time; absent where the model does not tell
  std::optional<std::int64_t> iterations = {};  // of a run, warm-up included; absent of several jobs
  std::vector<LinkUse> used = {};               // in the network's order
};

/// Of the used links those, at most ten, of which a measure says most, in that order; of equal ones the
/// network's.
std::vector<const LinkUse*> ten_busiest(const LinkUses& links,
                                        const std::function<double(const LinkUse&)>& measure);

/// The block `links` of result.json.
nlohmann::ordered_json links_json(const LinkUses& links);

/// The ten busiest links, the busiest first. `label` is whose; without a mean iteration time bounds are left
/// out.
std::string links_table(const LinkUses& links, const std::string& label,
                        std::optional<double> iteration_time_s);
/// What the columns are, to follow such tables, with bounds or without.
std::string links_note(bool has_bounds);

}  // namespace starling

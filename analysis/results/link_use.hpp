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

/// The use of a link in a run, warm-up included.
struct LinkUse {
  std::string name;
  double bandwidth_Bps = 0;
  double bytes = 0;  // of messages, as on the wire
  /// The share of its bandwidth that was used in the run; over_time: the same in each period.
  double busy_fraction = 0;
  std::vector<double> over_time = {};
  /// The most bytes at once of messages whose route includes the link, and that had been sent and not yet
  /// arrived. Messages sent beside evaluated rings are not counted together with these.
  double most_bytes_under_way = 0;
  /// The bytes by the activity of the sender when it sent them.
  std::array<double, activity_names.size()> bytes_while = {};

  /// The bytes per iteration of a run of so many iterations; and how long the link takes for them at least,
  /// unless they are small messages that take no bandwidth.
  double bytes_per_iteration(std::int64_t iterations) const {
    return bytes / static_cast<double>(iterations);
  }
  double bound_s(std::int64_t iterations) const { return bytes_per_iteration(iterations) / bandwidth_Bps; }
};

/// The links of a network in a run.
struct LinkUses {
  std::size_t links_of_network = 0;
  double run_s = 0;                             // the duration that all fractions refer to
  std::optional<double> period_s = {};          // of over_time; absent where the network model does not tell
  std::optional<std::int64_t> iterations = {};  // of a run, warm-up included; absent of several jobs
  std::vector<LinkUse> used = {};               // in the network's order
};

/// The used links with the greatest measure, at most ten, in descending order; equal ones in the network's
/// order.
std::vector<const LinkUse*> ten_busiest(const LinkUses& links,
                                        const std::function<double(const LinkUse&)>& measure);

/// The block `links` of result.json.
nlohmann::ordered_json links_json(const LinkUses& links);

/// A table of the ten busiest links, the busiest first. `label`: of the algorithm, or "all jobs"; without a
/// mean iteration time bounds are left out.
std::string links_table(const LinkUses& links, const std::string& label,
                        std::optional<double> iteration_time_s);
/// Explains the columns, with or without those of bounds; to be put below such tables.
std::string links_note(bool has_bounds);

}  // namespace starling

#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "base/types.hpp"
#include "sim/random.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// One entry of the list of causes, checked and prepared. Internal to ImbalanceModel.
class ImbalanceCause {
 public:
  virtual ~ImbalanceCause() = default;

  /// Adds this cause's delay and multiplies its factor.
  virtual void apply(Rank rank, std::int64_t iteration, Load& load) const = 0;
};

/// The random numbers of one cause: no other cause has the same.
class CauseDraws {
 public:
  /// For the entry number `occurrence` among those whose `draws_for` is `type`.
  CauseDraws(std::uint64_t seed, std::uint32_t type, std::size_t occurrence);

  static constexpr std::size_t most_occurrences = 1U << 8;

  double uniform(Rank rank, std::int64_t iteration) const {
    return random_.uniform(static_cast<std::uint32_t>(rank), static_cast<std::uint64_t>(iteration), stream_);
  }

  /// One number for all workers, independent of the numbers of each.
  double uniform_for_all(std::int64_t iteration) const {
    return random_.uniform(std::numeric_limits<std::uint32_t>::max(), static_cast<std::uint64_t>(iteration),
                           stream_);
  }

  /// Uniform in 0 … bound−1, for all workers; `draw` is 0 … most_workers−1.
  int below(int bound, std::int64_t iteration, int draw) const {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound), 0,
                                          static_cast<std::uint64_t>(iteration),
                                          stream_ + static_cast<std::uint32_t>(draw)));
  }

 private:
  CounterRandom random_;
  std::uint32_t stream_;
};

/// What a cause is prepared for.
struct CauseContext {
  int workers = 0;
  double total_compute_s = 0;
  CauseDraws draws;
};

/// The options are as `describe_imbalance` accepts them for so many workers.
/// @throws std::invalid_argument for what they draw from, beginning with the cause's name in a scenario.
std::unique_ptr<const ImbalanceCause> make_cause(const Imbalance& options, const CauseContext& context);

}  // namespace starling

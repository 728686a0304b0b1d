#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "base/types.hpp"
#include "sim/random.hpp"
#include "workloads/imbalance/imbalance_options.hpp"
#include "workloads/models/workload.hpp"

namespace starling {

/// One cause of load imbalance, checked and prepared. Internal to ImbalanceModel.
class ImbalanceCause {
 public:
  virtual ~ImbalanceCause() = default;

  /// Adds this cause's delay to `load`, and multiplies its factor into it.
  virtual void apply(Rank rank, std::int64_t iteration, Load& load) const = 0;
};

/// The random numbers of one cause, shared with no other cause.
class CauseDraws {
 public:
  /// For entry number `occurrence` of the causes whose draws_for() is `type`.
  /// @throws std::invalid_argument if `occurrence` is most_occurrences or more.
  CauseDraws(std::uint64_t seed, std::uint32_t type, std::size_t occurrence);

  static constexpr std::size_t most_occurrences = 1U << 8;

  double uniform(Rank rank, std::int64_t iteration) const {
    return random_.uniform(static_cast<std::uint32_t>(rank), static_cast<std::uint64_t>(iteration), stream_);
  }

  /// A number that all workers share, independent of the numbers of each worker.
  double uniform_for_all(std::int64_t iteration) const {
    return random_.uniform(std::numeric_limits<std::uint32_t>::max(), static_cast<std::uint64_t>(iteration),
                           stream_);
  }

  /// A number that all workers share, uniform in 0 … bound−1; `draw` is 0 … most_workers−1.
  int below(int bound, std::int64_t iteration, int draw) const {
    return static_cast<int>(random_.below(static_cast<std::uint64_t>(bound), 0,
                                          static_cast<std::uint64_t>(iteration),
                                          stream_ + static_cast<std::uint32_t>(draw)));
  }

 private:
  CounterRandom random_;
  std::uint32_t stream_;
};

/// The job and the random numbers for which a cause is prepared.
struct CauseContext {
  int workers = 0;
  double total_compute_s = 0;
  CauseDraws draws;
};

/// Prepares a cause whose options are as `describe_imbalance` accepts them for this number of workers.
/// @throws std::invalid_argument, beginning with the cause's name in a scenario, if its distribution or trace
/// cannot be used.
std::unique_ptr<const ImbalanceCause> make_cause(const Imbalance& options, const CauseContext& context);

}  // namespace starling

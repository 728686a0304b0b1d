#include "workloads/imbalance/imbalance.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/errors.hpp"
#include "base/options/option_check.hpp"
#include "base/reject.hpp"
#include "workloads/imbalance/imbalance_causes.hpp"

namespace starling {

namespace {

void validate(const std::vector<Imbalance>& causes, int workers, double total_compute_s) {
  if (workers < 1 || workers > most_workers) {
    reject("imbalance: {} workers; it must be 1 to {}", workers, most_workers);
  }
  if (!std::isfinite(total_compute_s) || total_compute_s < 0) {
    reject("imbalance: the compute time is {} s; it must be finite and not negative", total_compute_s);
  }
  if (std::ranges::count_if(causes, &CauseNature::replaces_compute_time, nature_of) > 1) {
    reject("imbalance: only one distribution or trace can replace the workload's compute time");
  }
}

}  // namespace

ImbalanceModel::ImbalanceModel(const std::vector<Imbalance>& causes, int workers, std::uint64_t seed,
                               double total_compute_s)
    : workers_(workers) {
  validate(causes, workers, total_compute_s);
  std::map<std::uint32_t, std::size_t> occurrences;
  for (Imbalance cause : causes) {
    check_options("imbalance", [&](OptionVisitor& visitor) { describe_imbalance(cause, workers, visitor); });
    const std::uint32_t type = draws_for(cause);
    causes_.push_back(
        make_cause(cause, {workers, total_compute_s, CauseDraws(seed, type, occurrences[type]++)}));
  }
}

ImbalanceModel::~ImbalanceModel() = default;
ImbalanceModel::ImbalanceModel(ImbalanceModel&&) noexcept = default;
ImbalanceModel& ImbalanceModel::operator=(ImbalanceModel&&) noexcept = default;

Load ImbalanceModel::load(Rank rank, std::int64_t iteration) const {
  STARLING_INVARIANT(rank >= 0 && rank < workers_ && iteration >= 0);
  Load load;
  for (const auto& cause : causes_) cause->apply(rank, iteration, load);
  return load;
}

}  // namespace starling

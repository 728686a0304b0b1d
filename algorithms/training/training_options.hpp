#pragma once

#include <string_view>
#include <variant>

#include "algorithms/training/gossip/gossip_options.hpp"
#include "algorithms/training/partial/partial_options.hpp"
#include "algorithms/training/synchronous/synchronous_options.hpp"

namespace starling {

/// The options of any training algorithm.
using TrainingOptions =
    std::variant<AllreduceOptions, WfbpOptions, DdpOptions, HorovodOptions, MgWfbpOptions,
                 ByteSchedulerOptions, DearOptions, EagerOptions, WagmaOptions, LocalSgdOptions, DpsgdOptions,
                 AdpsgdOptions, SgpOptions, DecentralizedAdamOptions>;

/// The name of the algorithm in scenarios.
inline std::string_view kind_of(const TrainingOptions& options) {
  return std::visit([](const auto& chosen) { return chosen.kind; }, options);
}

/// Whether every iteration ends with the same model everywhere, for which every worker waits for all others.
inline bool is_synchronous(const TrainingOptions& options) {
  return options.index() <= TrainingOptions(DearOptions{}).index();
}

}  // namespace starling

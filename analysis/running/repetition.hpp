#pragma once

#include <cstdint>
#include <optional>

#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Whether it is worth looking for a repetition: the run has enough iterations, draws no random numbers, has
/// no message in flight between two iterations, and its engine serves messages of the same moment in no
/// particular order (`fair`). Never where the scenario sets "collectives": "messages".
bool may_repeat(const Scenario& scenario, const PreparedRun& run);

/// Whether iterations of a run may differ by chance: by imbalance, of whatever kind, or by what messages
/// meet.
bool may_differ_by_chance(const Scenario& scenario);

/// Whether, and how, all `iterations` of a run repeat the first iterations_to_repeat, which this is the
/// outcome of. Empty if the last two of these did not leave workers in the states that they were in before,
/// one or two iterations ago.
///
/// Between two iterations workers differ only by when they ended, if the last one has ended before the first
/// one can send anything: after its forward pass. If they are as far apart as they were before, so is all
/// that follows as it was. Two iterations have to agree, as what rounding decides may be decided otherwise a
/// moment later.
std::optional<Repetition> repetition(const Outcome& first, std::int64_t iterations);

/// The outcome of all iterations, up to rounding.
Outcome repeated(const Outcome& first, const Repetition& repetition);

}  // namespace starling

#pragma once

#include <cstdint>
#include <optional>

#include "analysis/running/machine.hpp"
#include "scenarios/reading/scenario.hpp"

namespace starling {

/// Whether the iterations of a run can repeat each other, and there are enough of them for that to be worth
/// trying: where nothing is drawn, no message is under way between two iterations, and those of the same
/// moment share links in no order, as under `fair`. Not where the scenario wants all messages.
bool may_repeat(const Scenario& scenario, const PreparedRun& run);

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

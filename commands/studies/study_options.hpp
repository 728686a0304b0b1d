#pragma once

#include <cstdint>
#include <optional>

#include "commands/shared/command.hpp"

namespace starling {

/// More runs than this are not begun before somebody has said so.
inline constexpr std::int64_t most_unconfirmed_runs = 10'000;

void add_jobs(Command& command, std::optional<int>& jobs);
void add_confirmation(Command& command, bool& is_confirmed);

/// --jobs; as many as there are cores if it is not given. @throws UsageError if it is out of range.
int checked_jobs(const std::optional<int>& jobs);

}  // namespace starling

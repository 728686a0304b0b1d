#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace starling {

/// The number of single-character insertions, deletions, replacements and swaps of neighbors that turn `a`
/// into `b`, upper and lower case being equal. Costs O(|a|·|b|). Reference: Damerau, "A technique for
/// computer detection and correction of spelling errors", CACM 7(3), 1964 (optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `typed` most likely means; the first of these rules that finds one decides:
/// - the least edit_distance() of at most 2, or a third of the longer one's length if that is more; of equal
///   ones the least distance with upper and lower case told apart, then the first;
/// - the first that begins with `typed`, if that has three characters or more;
/// - the only one whose last words are `typed`, or that is the last words of `typed`, as "period" is of
///   "sync_period".
/// Nothing if none does, or for more than 64 characters.
std::optional<std::string> nearest_key(std::string_view typed, std::span<const std::string> candidates);

/// " (did you mean "X"?)", or nothing if no candidate is near.
std::string suggestion(std::string_view typed, std::span<const std::string> candidates);

}  // namespace starling

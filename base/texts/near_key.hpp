#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace starling {

/// The least number of single-character insertions, deletions, replacements and swaps of neighbors that turn
/// `a` into `b`, ignoring case. Costs O(|a|·|b|). Reference: Damerau, "A technique for computer detection and
/// correction of spelling errors", CACM 7(3), 1964 (optimal string alignment).
int edit_distance(std::string_view a, std::string_view b);

/// The candidate that `typed` most likely stands for. The first of these rules that finds one decides:
/// - the least edit_distance(), if that is at most 2 or a third of the length of the longer text; of equal
/// ones the least case-sensitive distance, then the first;
/// - the first that begins with `typed`, ignoring case, if `typed` has at least three characters;
/// - the only one that ends with the word or words `typed`, or with which `typed` ends, as "sync_period" ends
/// with "period". Nothing if no rule finds one, or if `typed` has more than 64 characters.
std::optional<std::string> nearest_key(std::string_view typed, std::span<const std::string> candidates);

/// " (did you mean "X"?)", or an empty text if there is no nearest_key().
std::string suggestion(std::string_view typed, std::span<const std::string> candidates);

}  // namespace starling

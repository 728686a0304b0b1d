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

/// The candidate that `typed` most likely means: the one at least distance, of several the one that is
/// nearest in its case, of these the first. If even that one is more than a third of its length (but at least
/// 2) away, the first that begins with what was typed, or the only one that ends with its words, or it with
/// those of the candidate ("period" and "sync_period"); else nothing.
std::optional<std::string> nearest_key(std::string_view typed, std::span<const std::string> candidates);

/// " (did you mean "X"?)", or nothing if no candidate is near.
std::string suggestion(std::string_view typed, std::span<const std::string> candidates);

}  // namespace starling

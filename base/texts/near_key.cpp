#include "base/texts/near_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace starling {

namespace {

// Longer words are not misspelled keys, and the cost of the distance grows with their length.
constexpr std::size_t longest_typed = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// edit_distance() where `are_same` says which characters are equal.
int distance_by(const auto& are_same, std::string_view a, std::string_view b) {
  std::vector<int> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);

  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replacement = are_same(a[i - 1], b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + replacement});
      const bool swapped = i > 1 && j > 1 && are_same(a[i - 1], b[j - 2]) && are_same(a[i - 2], b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The first candidate that begins with `typed`, if that is long enough to be significant.
std::optional<std::string> begun_key(std::string_view typed, std::span<const std::string> candidates) {
  constexpr std::size_t least_typed = 3;
  if (typed.size() < least_typed) return std::nullopt;
  for (const std::string& candidate : candidates) {
    const std::string_view beginning = std::string_view(candidate).substr(0, typed.size());
    if (edit_distance(typed, beginning) == 0) return candidate;
  }
  return std::nullopt;
}

/// Whether `longer` ends with the word or words `shorter`, as "sync_period" ends with "period".
bool are_last_words(std::string_view longer, std::string_view shorter) {
  return longer.size() > shorter.size() && longer.ends_with(shorter) && !shorter.empty() &&
         longer[longer.size() - shorter.size() - 1] == '_';
}

/// The only candidate that differs from `typed` in having more or fewer words at the beginning.
std::optional<std::string> key_of_last_words(std::string_view typed,
                                             std::span<const std::string> candidates) {
  std::optional<std::string> found;
  for (const std::string& candidate : candidates) {
    if (!are_last_words(candidate, typed) && !are_last_words(typed, candidate)) continue;
    if (found) return std::nullopt;
    found = candidate;
  }
  return found;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  return distance_by([](char one, char other) { return lower(one) == lower(other); }, a, b);
}

std::optional<std::string> nearest_key(std::string_view typed, std::span<const std::string> candidates) {
  if (typed.size() > longest_typed) return std::nullopt;
  std::optional<std::string> nearest;
  std::pair<int, int> least;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(typed, candidate);
    const int longest = static_cast<int>(std::max(typed.size(), candidate.size()));
    const bool is_near = distance <= std::max(2, longest / 3) && distance < longest;
    if (!is_near || (nearest && distance > least.first)) continue;
    const std::pair distances{distance, distance_by(std::equal_to<char>(), typed, candidate)};
    if (nearest && distances >= least) continue;
    nearest = candidate;
    least = distances;
  }
  if (!nearest) nearest = begun_key(typed, candidates);
  return nearest ? nearest : key_of_last_words(typed, candidates);
}

std::string suggestion(std::string_view typed, std::span<const std::string> candidates) {
  const auto near = nearest_key(typed, candidates);
  return near ? fmt::format(" (did you mean \"{}\"?)", *near) : "";
}

}  // namespace starling

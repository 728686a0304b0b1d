#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/design/design_search.hpp"

namespace starling {

/// The networks on which an algorithm is the fastest.
struct AlgorithmWins {
  std::string algorithm;
  std::vector<std::size_t> networks;  // indices into DesignSpace::networks
};

/// The answer to a design study. Candidates are given by their numbers.
struct DesignAnswer {
  /// The Pareto front, by price: each candidate is the best of its price, and better than the one before it
  /// by the study's least gain.
  std::vector<std::int64_t> front;
  /// The last and best candidate of the front; absent if no candidate was tried.
  std::optional<std::int64_t> best = {};
  /// The cheapest candidate whose mean reaches the target, and the cheapest one whose whole 95 % interval
  /// does; at equal prices the better one.
  std::optional<std::int64_t> cheapest = {};
  std::optional<std::int64_t> cheapest_for_sure = {};
  std::vector<AlgorithmWins> wins;  // in the study's order of algorithms
  /// Networks on which an algorithm was tried, but another one, which may be faster there, was not.
  std::vector<std::size_t> undecided;
};

/// Answers a study from the findings about all its candidates.
DesignAnswer design_answer(const DesignStudy& study, const DesignSpace& space,
                           std::span<const CandidateFinding> findings);

/// A study with its findings and its answer, all of which must outlive this object.
struct DesignFound {
  const DesignStudy& study;
  const DesignSpace& space;
  std::span<const CandidateFinding> findings;
  const DesignAnswer& answer;

  const CandidateFinding& of(std::int64_t candidate) const {
    return findings[static_cast<std::size_t>(candidate)];
  }
  bool is_tried(std::int64_t candidate) const { return of(candidate).state == CandidateState::tried; }
};

}  // namespace starling

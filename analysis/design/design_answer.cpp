#include "analysis/design/design_answer.hpp"

#include <algorithm>
#include <utility>

namespace starling {
namespace {

using Findings = std::span<const CandidateFinding>;

const CandidateFinding& at(Findings findings, std::int64_t candidate) {
  return findings[static_cast<std::size_t>(candidate)];
}

/// The objective rounded to float: of candidates that differ by rounding only, the first one is taken.
float objective(const CandidateFinding& finding) { return static_cast<float>(finding.objective_s.value); }

/// The candidates that were tried, by price, then by objective.
std::vector<std::int64_t> tried_by_price(const DesignSpace& space, Findings findings) {
  std::vector<std::int64_t> tried;
  for (std::int64_t i = 0; i < space.candidates(); ++i)
    if (at(findings, i).state == CandidateState::tried) tried.push_back(i);
  std::ranges::stable_sort(tried, {}, [&](std::int64_t i) {
    return std::pair(space.network_of(i).price, objective(at(findings, i)));
  });
  return tried;
}

/// The algorithm that is fastest on a network; nullopt if one that was not tried may be faster.
std::optional<std::size_t> fastest_on(std::size_t network, const DesignSpace& space, Findings findings) {
  std::optional<std::size_t> fastest;
  const std::size_t count = space.algorithms.size();
  const auto of = [&](std::size_t algorithm) -> const CandidateFinding& {
    return findings[network * count + algorithm];
  };
  for (std::size_t i = 0; i < count; ++i)
    if (of(i).state == CandidateState::tried && (!fastest || objective(of(i)) < objective(of(*fastest))))
      fastest = i;
  for (std::size_t i = 0; i < count; ++i)
    if (of(i).state != CandidateState::tried && of(i).state != CandidateState::failed &&
        of(i).state != CandidateState::without_target && fastest &&
        static_cast<float>(of(i).least_s) < objective(of(*fastest)))
      return std::nullopt;
  return fastest;
}

void add_wins(const DesignSpace& space, Findings findings, DesignAnswer& answer) {
  for (const std::string& algorithm : space.algorithms) answer.wins.push_back({algorithm, {}});
  const std::size_t count = space.algorithms.size();
  for (std::size_t network = 0; network < space.networks.size(); ++network) {
    const Findings here = findings.subspan(network * count, count);
    if (std::ranges::none_of(
            here, [](const CandidateFinding& finding) { return finding.state == CandidateState::tried; }))
      continue;
    if (const auto fastest = fastest_on(network, space, findings))
      answer.wins[*fastest].networks.push_back(network);
    else
      answer.undecided.push_back(network);
  }
}

}  // namespace

DesignAnswer design_answer(const DesignStudy& study, const DesignSpace& space, Findings findings) {
  DesignAnswer answer;
  for (const std::int64_t candidate : tried_by_price(space, findings)) {
    const CandidateFinding& finding = at(findings, candidate);
    if (answer.front.empty() ||
        finding.objective_s.value <
            at(findings, answer.front.back()).objective_s.value * (1 - study.least_gain))
      answer.front.push_back(candidate);
    if (!study.target) continue;
    if (!answer.cheapest && finding.objective_s.value <= target_s(study)) answer.cheapest = candidate;
    if (!answer.cheapest_for_sure && reaches_for_sure(finding, target_s(study)))
      answer.cheapest_for_sure = candidate;
  }
  if (!answer.front.empty()) answer.best = answer.front.back();
  add_wins(space, findings, answer);
  return answer;
}

}  // namespace starling

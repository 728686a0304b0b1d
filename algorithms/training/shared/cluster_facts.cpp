#include "algorithms/training/shared/cluster_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/reject.hpp"
#include "base/rejected_value.hpp"

namespace starling {
namespace {

CollectiveKind parse(std::string_view algorithm, const std::string& collective) {
  if (const auto kind = collective_kind(collective)) return *kind;
  reject("{}: collective is \"{}\"; it must be one of {}", algorithm, collective,
         fmt::join(collective_names(), ", "));
}

/// The end of the error message: why ranks are not consecutive, and what to change.
std::string remedy_for(const ClusterFacts& facts) {
  const std::vector<std::string>& placements = facts.consecutive_placements;
  if (placements.empty())
    return "but the job's placement and ranks scatter them; placement \"block\" does not, with equally many "
           "consecutive workers of every host";
  return fmt::format("but the cluster's placement scatters them; placement{} \"{}\" do{} not",
                     placements.size() > 1 ? "s" : "", fmt::join(placements, "\", \""),
                     placements.size() > 1 ? "" : "es");
}

}  // namespace

void require_consecutive_ranks(std::string_view what, const ClusterFacts& facts) {
  if (!facts.is_scattered) return;
  reject("{} needs the ranks of a host to be consecutive, {}", what, remedy_for(facts));
}

ClusterFacts facts_of_members(ClusterFacts facts, std::span<const Rank> members) {
  if (facts.step_costs)
    facts.step_costs = step_costs_among(members, facts.workers, std::move(facts.step_costs));
  facts.workers = static_cast<int>(members.size());
  return facts;
}

std::vector<std::string> collective_names() {
  std::vector<std::string> names;
  for (const CollectiveKind kind : collective_kinds()) names.emplace_back(name_of(kind));
  return names;
}

void describe_collective(std::string_view algorithm, std::string& collective, OptionVisitor& visitor,
                         std::string_view meaning, const std::vector<std::string>& usable) {
  Choices choices{.names = usable, .reason = fmt::format("{} cannot use this collective", algorithm)};
  for (std::string& name : collective_names())
    if (std::ranges::find(usable, name) == usable.end()) choices.unusable.push_back(std::move(name));
  visitor.choice({"collective", meaning}, collective, choices);
}

CollectiveChoice::CollectiveChoice(std::string_view algorithm, const std::string& collective,
                                   const ClusterFacts& facts, double bytes_per_element)
    : kind_(parse(algorithm, collective)), workers_(facts.workers) {
  if (kind_ == CollectiveKind::hierarchical)
    rejecting_value("/collective", [&] {
      require_consecutive_ranks(fmt::format("{}: collective \"hierarchical\"", algorithm), facts);
    });
  options_.workers_per_host = facts.workers_per_host;
  options_.interfaces_per_host = facts.interfaces_per_host;
  options_.costs = facts.costs;
  options_.intra_host_costs = facts.intra_host_costs;
  options_.bytes_per_element = bytes_per_element;
  options_.eager_bytes = facts.eager_bytes;
  options_.handshake_s = facts.handshake_s;
  options_.step_costs = facts.step_costs;
  if (kind_ == CollectiveKind::automatic) options_.steps = steps_of(kind_, workers_, options_);
}

std::unique_ptr<Schedule> CollectiveChoice::allreduce(std::int64_t count) const {
  return make_allreduce(kind_, workers_, count, options_);
}

std::unique_ptr<Schedule> CollectiveChoice::reduce_scatter(std::int64_t count) const {
  return rejecting_value("/collective",
                         [&] { return make_reduce_scatter(kind_, workers_, count, options_); });
}

std::unique_ptr<Schedule> CollectiveChoice::allgather(std::int64_t count) const {
  return rejecting_value("/collective", [&] { return make_allgather(kind_, workers_, count, options_); });
}

AllreduceTime CollectiveChoice::allreduce_time(std::int64_t largest_count) const {
  CollectiveOptions options = options_;
  options.steps = steps_of(kind_, workers_, options);
  const double start_up_s = predicted_start_up_s(kind_, workers_, largest_count, options);
  if (largest_count == 0) return {.start_up_s = start_up_s};
  const double largest_bytes = static_cast<double>(largest_count) * options_.bytes_per_element;
  const double largest_s = predicted_allreduce_s(kind_, workers_, largest_count, options);
  return {.start_up_s = start_up_s, .s_per_byte = (largest_s - start_up_s) / largest_bytes};
}

}  // namespace starling

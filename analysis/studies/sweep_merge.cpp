#include "analysis/studies/sweep_merge.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "analysis/studies/sweep_tables.hpp"
#include "io/scenario_error.hpp"

namespace starling {
namespace {

/// The hash of the contents of each input file, and the path of the first part that has it.
using InputsOfParts = std::map<std::string, std::pair<std::string, std::string>>;

void check_inputs(const SweepStore& part, InputsOfParts& known) {
  for (const InputContent& input : part.inputs()) {
    const auto& [content, path] =
        known.try_emplace(input.file, input.hash, part.path().string()).first->second;
    if (content != input.hash)
      throw ScenarioError(
          {part.path().string(), "",
           fmt::format("the contents of {} were different for this part than for {}", input.file, path), "",
           "parts made with the same input files"});
  }
}

}  // namespace

SweepPlan plan_of_parts(std::span<const std::string> parts) {
  std::optional<SweepPlan> plan;
  InputsOfParts inputs;
  for (const std::string& folder : parts) {
    const SweepStore part = SweepStore::open(folder);
    if (plan) part.refuse_part_of_other(*plan);
    if (!plan) plan = part.plan();
    check_inputs(part, inputs);
  }
  return plan.value();
}

void merge_parts(std::span<const std::string> parts, const SweepPlan& plan, SweepStore& whole,
                 const std::function<void(const std::string&)>& warned) {
  std::optional<std::int64_t> first;
  std::int64_t different = 0;
  whole.together([&] {
    whole.set_plan(plan);
    for (const std::string& folder : parts)
      whole.merge(SweepStore::open(folder), [&](const SweepRun& run) {
        if (!first) first = run.combination;
        ++different;
      });
  });
  if (first)
    warned(fmt::format("runs with two different results, of which the first is kept: {} ({})", different,
                       combination_text(plan, *first)));
  if (whole.builds().size() > 1)
    warned(
        "not all parts were made by the same build of this version of starling; results of different builds "
        "may differ");
}

}  // namespace starling

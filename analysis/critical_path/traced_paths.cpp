#include "analysis/critical_path/traced_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

#include "analysis/critical_path/critical_path.hpp"

namespace starling {
namespace {

/// "compute of worker 3": timelines call the network's ranks workers.
std::string what_is_blamed(const Blame& blame, std::span<const Link> links) {
  if (blame.on == SpentOn::link)
    return fmt::format("link {}", links[static_cast<std::size_t>(blame.who)].name);
  const char* const name = spent_on_names[static_cast<std::size_t>(blame.on)];
  return blame.on < SpentOn::link ? fmt::format("{} of worker {}", name, blame.who) : name;
}

/// Appends a span; extends the last one if that has the same name.
void add_span(std::vector<PathSpan>& spans, std::string name, double start_s, double end_s) {
  if (start_s >= end_s) return;
  if (!spans.empty() && spans.back().name == name)
    spans.back().end_s = end_s;
  else
    spans.push_back({.name = std::move(name), .start_s = start_s, .end_s = end_s});
}

}  // namespace

PathListener timeline_listener(TraceSink& trace, std::span<const Link> links, std::vector<Rank> workers) {
  return [&trace, links, workers = std::move(workers)](Rank rank, std::int64_t iteration,
                                                       std::span<const Explanation::Segment> last_first) {
    if (!trace.shows_path(iteration)) return;
    std::vector<PathSpan> spans;
    for (const Explanation::Segment& segment : last_first | std::views::reverse) {
      const double latency_since_s =
          std::clamp(segment.end_s - segment.blame.latency_s, segment.since_s, segment.end_s);
      add_span(spans, what_is_blamed(segment.blame, links), segment.since_s, latency_since_s);
      add_span(spans, what_is_blamed({.on = SpentOn::latency}, links), latency_since_s, segment.end_s);
    }
    trace.path(workers[static_cast<std::size_t>(rank)], iteration, spans);
  };
}

}  // namespace starling

#include "analysis/critical_path/traced_paths.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/routes.hpp"
#include "sim/trace.hpp"

namespace starling {
namespace {

/// Keeps the last critical path that is traced.
struct PathOfWorker final : TraceSink {
  Rank worker = -1;
  std::vector<PathSpan> spans;

  void span(Rank, std::string_view, std::string_view, double, double, const SpanDetails&) override {}
  void path(Rank of_worker, std::int64_t, std::span<const PathSpan> of_path) override {
    worker = of_worker;
    spans.assign(of_path.begin(), of_path.end());
  }
};

TEST_CASE(
    "Spans of a traced path follow each other without a gap, and a message's latency follows its time on the "
    "link") {
  const std::vector<Link> links{{.name = "cable"}};
  PathOfWorker trace;
  const PathListener tell = timeline_listener(trace, links, {4, 7});
  const Blame on_cable{.on = SpentOn::link, .who = 0, .latency_s = 2};
  // The last segment is a message of which the iteration contains only 1 s, half of its latency.
  const std::vector<Explanation::Segment> last_first{
      {9, 5, on_cable}, {5, 2, {.on = SpentOn::compute, .who = 7}}, {2, 1, on_cable}};
  tell(1, 3, last_first);
  CHECK(trace.worker == 7);
  REQUIRE(trace.spans.size() == 4);
  const std::vector<double> ends_s{1, 2, 5, 7, 9};
  const std::vector<std::string_view> names{"latency", "compute of worker 7", "link cable", "latency"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(trace.spans[i].name == names[i]);
    CHECK(trace.spans[i].start_s == ends_s[i]);
    CHECK(trace.spans[i].end_s == ends_s[i + 1]);
  }
}

}  // namespace
}  // namespace starling

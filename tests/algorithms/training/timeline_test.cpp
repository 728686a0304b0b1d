#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "training_fixture.hpp"

namespace starling {
namespace {

/// Writes one line per span.
class TextTrace final : public TraceSink {
 public:
  void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
            const SpanDetails& details) override {
    text_ += fmt::format("{:8.3f} {:8.3f}  worker {}  {:<13}  {}", start_s, end_s, rank, strand, name);
    text_ += details.layers.empty() ? "\n" : fmt::format(": {}\n", details.layers);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Two iterations of two workers, of which the second is slower: three layers, seconds and bytes.
std::string timeline(const TrainingOptions& options) {
  Workload workload = workload_of({{{6}, 10, 20}, {{2, 2}, 10, 20}, {{8}, 10, 20}}, 0.25);
  for (std::size_t i = 0; i < workload.model.layers.size(); ++i)
    workload.model.layers[i].name = fmt::format("layer{}", i);
  TextTrace trace;
  train(options, workload,
        {.cluster = {.workers = 2, .alpha_s = 1, .bandwidth_Bps = 2, .gamma_s_per_byte = 0.25},
         .iterations = 2,
         .load = [](Rank rank, std::int64_t) { return Load{.delay_s = 0, .factor = rank == 1 ? 1.5 : 1}; },
         .trace = &trace});
  return trace.text();
}

/// With STARLING_UPDATE_GOLDEN set, the files are written instead of compared:
/// STARLING_UPDATE_GOLDEN=1 build/release/bin/tests_training -tc='*timeline*'
void compare(const std::string& name, const TrainingOptions& options) {
  const std::string path = std::string(GOLDEN_DIRECTORY) + "/" + name + ".txt";
  const std::string text = timeline(options);
  if (std::getenv("STARLING_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ostringstream golden;
  golden << std::ifstream(path).rdbuf();
  CAPTURE(path);
  CHECK(text == golden.str());
}

TEST_CASE("the timeline of wait-free backpropagation is as recorded") { compare("wfbp", WfbpOptions{}); }

TEST_CASE("the timeline of ddp is as recorded") {
  compare("ddp", DdpOptions{.bucket_bytes = 40, .first_bucket_bytes = 30});
}

TEST_CASE("the timeline of horovod is as recorded") {
  compare("horovod", HorovodOptions{.cycle_time_s = 25});
}

TEST_CASE("the timeline of bytescheduler is as recorded") {
  compare("bytescheduler", ByteSchedulerOptions{.partition_bytes = 16, .credit_bytes = 16});
}

TEST_CASE("the timeline of dear is as recorded") { compare("dear", DearOptions{.bucket_bytes = 45}); }

}  // namespace
}  // namespace starling

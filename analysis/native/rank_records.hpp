#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/native/mpi_job.hpp"
#include "sim/run_statistics.hpp"
#include "sim/trace.hpp"
#include "workloads/learning/learning_log.hpp"
#include "workloads/records/iteration_log.hpp"
#include "workloads/records/participation.hpp"

namespace starling {

/// A span of a timeline.
struct SpanRecord {
  Rank rank = 0;
  std::string strand;
  std::string name;
  double start_s = 0;
  double end_s = 0;
  std::string layers;
  std::string collective;
  std::vector<Rank> peers;
  SpanDetails details;  // but for the three above
};

/// Keeps the spans of this process's rank.
class SpanRecorder final : public TraceSink {
 public:
  void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
            const SpanDetails& details) override;
  /// Replaces every time.
  void align(const std::function<double(double)>& aligned_s);
  const std::vector<SpanRecord>& spans() const { return spans_; }

 private:
  std::vector<SpanRecord> spans_;
};

/// Collective: what the ranks have written, each of itself only, put together on every rank. Ranks must run
/// the same program on machines alike.
IterationLog gathered(const MpiJob& job, const IterationLog& own);
std::vector<double> gathered(const MpiJob& job, double own);
std::vector<SpanRecord> gathered(const MpiJob& job, const SpanRecorder& own);
/// Makespan is the longest, all else is added up.
RunStatistics gathered(const MpiJob& job, const RunStatistics& own);
/// Who was how far ahead follows from when iterations ended.
ParticipationLog gathered(const MpiJob& job, const ParticipationLog& own, const IterationLog& all);

/// Collective: the mean of all ranks' models.
RunningMean gathered(const MpiJob& job, std::span<const float> own_model);

/// Tells the spans once more.
void replay(const std::vector<SpanRecord>& spans, TraceSink& trace);

}  // namespace starling

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
  SpanDetails details;  // without the three above, which are empty in it
};

/// Records the spans of this process's rank.
class SpanRecorder final : public TraceSink {
 public:
  void span(Rank rank, std::string_view strand, std::string_view name, double start_s, double end_s,
            const SpanDetails& details) override;
  /// Replaces every time t by aligned_s(t).
  void align(const std::function<double(double)>& aligned_s);
  const std::vector<SpanRecord>& spans() const { return spans_; }

 private:
  std::vector<SpanRecord> spans_;
};

/// Collective: gathers the records that every rank has of itself, on all ranks. All ranks must run the same
/// program on machines with the same representation of data.
IterationLog gathered(const MpiJob& job, const IterationLog& own);
std::vector<double> gathered(const MpiJob& job, double own);
std::vector<SpanRecord> gathered(const MpiJob& job, const SpanRecorder& own);
/// The makespan is the longest; events, messages, bytes and late timers are added up.
RunStatistics gathered(const MpiJob& job, const RunStatistics& own);
/// How far workers got ahead follows from when iterations ended in `all`.
ParticipationLog gathered(const MpiJob& job, const ParticipationLog& own, const IterationLog& all);

/// Collective: the mean of all ranks' models.
RunningMean gathered(const MpiJob& job, std::span<const float> own_model);

/// Passes the spans to `trace`.
void replay(const std::vector<SpanRecord>& spans, TraceSink& trace);

}  // namespace starling

#include "analysis/native/rank_records.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>

#include "base/errors.hpp"

namespace starling {
namespace {

template <typename Item>
std::string as_bytes(const std::vector<Item>& items) {
  static_assert(std::is_trivially_copyable_v<Item>);
  std::string bytes(items.size() * sizeof(Item), '\0');
  if (!items.empty()) std::memcpy(bytes.data(), items.data(), bytes.size());
  return bytes;
}

template <typename Item>
std::vector<Item> from_bytes(std::string_view bytes) {
  STARLING_INVARIANT(bytes.size() % sizeof(Item) == 0);
  std::vector<Item> items(bytes.size() / sizeof(Item));
  if (!items.empty()) std::memcpy(items.data(), bytes.data(), bytes.size());
  return items;
}

/// What every rank gave.
template <typename Item>
std::vector<std::vector<Item>> gather_items(const MpiJob& job, const std::vector<Item>& own) {
  std::vector<std::vector<Item>> all;
  for (const std::string& bytes : job.gather_all(as_bytes(own))) all.push_back(from_bytes<Item>(bytes));
  return all;
}

/// The times of a span, and how long its strand's name and its own are in the text beside it.
struct PackedSpan {
  double start_s;
  double end_s;
  std::size_t strand;
  std::size_t name;
};

}  // namespace

void SpanRecorder::align(const std::function<double(double)>& aligned_s) {
  for (SpanRecord& record : spans_) {
    record.start_s = aligned_s(record.start_s);
    record.end_s = aligned_s(record.end_s);
  }
}

IterationLog gathered(const MpiJob& job, const IterationLog& own) {
  const std::span<const IterationRecord> records = own.of(job.rank());
  const auto of_ranks = gather_items<IterationRecord>(job, {records.begin(), records.end()});
  IterationLog all(job.size(), static_cast<std::int64_t>(records.size()));
  for (Rank rank = 0; rank < job.size(); ++rank)
    for (const IterationRecord& record : of_ranks[static_cast<std::size_t>(rank)]) all.add(rank, record);
  return all;
}

std::vector<double> gathered(const MpiJob& job, double own) {
  std::vector<double> all;
  for (const std::vector<double>& theirs : gather_items<double>(job, {own})) all.push_back(theirs.front());
  return all;
}

std::vector<SpanRecord> gathered(const MpiJob& job, const SpanRecorder& own) {
  std::vector<PackedSpan> packed;
  std::string text;
  for (const SpanRecord& record : own.spans()) {
    packed.push_back({record.start_s, record.end_s, record.strand.size(), record.name.size()});
    text += record.strand + record.name;
  }
  const auto spans = gather_items(job, packed);
  const std::vector<std::string> texts = job.gather_all(text);
  std::vector<SpanRecord> all;
  for (std::size_t rank = 0; rank < spans.size(); ++rank) {
    std::size_t at = 0;
    for (const PackedSpan& span : spans[rank]) {
      all.push_back({static_cast<Rank>(rank), texts[rank].substr(at, span.strand),
                     texts[rank].substr(at + span.strand, span.name), span.start_s, span.end_s});
      at += span.strand + span.name;
    }
  }
  return all;
}

RunStatistics gathered(const MpiJob& job, const RunStatistics& own) {
  RunStatistics all;
  for (const std::vector<RunStatistics>& items : gather_items<RunStatistics>(job, {own})) {
    const RunStatistics& statistics = items.front();
    all.makespan_s = std::max(all.makespan_s, statistics.makespan_s);
    all.events += statistics.events;
    all.messages += statistics.messages;
    all.bytes += statistics.bytes;
    all.late_timers.add(statistics.late_timers);
  }
  return all;
}

ParticipationLog gathered(const MpiJob& job, const ParticipationLog& own, const IterationLog& all) {
  ParticipationLog result(job.size());
  for (const auto& contributions : gather_items(job, own.contributions()))
    result.add_contributions(contributions);
  std::vector<std::pair<double, Rank>> ends;
  for (Rank rank = 0; rank < all.workers(); ++rank)
    for (const IterationRecord& record : all.of(rank)) ends.emplace_back(record.end_s, rank);
  std::sort(ends.begin(), ends.end());
  for (const auto& [end_s, rank] : ends) result.end_iteration(rank);
  return result;
}

void evaluate(const MpiJob& job, const std::vector<std::int64_t>& iterations,
              const std::vector<float>& models, LearningLog& log) {
  if (iterations.empty()) return;
  const auto all = gather_items(job, models);
  const std::size_t parameters = models.size() / iterations.size();
  for (std::size_t i = 0; i < iterations.size(); ++i)
    for (const std::vector<float>& of_rank : all)
      log.end_iteration(iterations[i], std::span(of_rank).subspan(i * parameters, parameters));
}

void replay(const std::vector<SpanRecord>& spans, TraceSink& trace) {
  for (const SpanRecord& span : spans)
    trace.span(span.rank, span.strand, span.name, span.start_s, span.end_s, {});
}

}  // namespace starling

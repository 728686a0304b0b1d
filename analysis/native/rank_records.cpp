#include "analysis/native/rank_records.hpp"

#include <algorithm>
#include <cstdint>
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

/// The items of every rank, by rank.
template <typename Item>
std::vector<std::vector<Item>> gather_items(const MpiJob& job, const std::vector<Item>& own) {
  std::vector<std::vector<Item>> all;
  for (const std::string& bytes : job.gather_all(as_bytes(own))) all.push_back(from_bytes<Item>(bytes));
  return all;
}

/// A span without its texts and peers, which are sent separately; their lengths are here.
struct PackedSpan {
  double start_s;
  double end_s;
  std::size_t strand;
  std::size_t name;
  std::size_t layers;
  std::size_t collective;
  std::size_t peers;
  SpanDetails details;
};

/// Splits a concatenation into its pieces, one after the other.
template <typename Whole>
class Pieces {
 public:
  explicit Pieces(const Whole& whole) : next_(whole.begin()) {}
  Whole take(std::size_t length) {
    const auto begin = next_;
    next_ += static_cast<std::ptrdiff_t>(length);
    return Whole(begin, next_);
  }

 private:
  typename Whole::const_iterator next_;
};

}  // namespace

void SpanRecorder::span(Rank rank, std::string_view strand, std::string_view name, double start_s,
                        double end_s, const SpanDetails& details) {
  SpanRecord record{.rank = rank,
                    .strand = std::string(strand),
                    .name = std::string(name),
                    .start_s = start_s,
                    .end_s = end_s,
                    .layers = std::string(details.layers),
                    .collective = std::string(details.collective.name),
                    .peers = {details.peers.begin(), details.peers.end()},
                    .details = details};
  record.details.layers = record.details.collective.name = {};
  record.details.peers = {};
  spans_.push_back(std::move(record));
}

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
  std::vector<Rank> peers;
  for (const SpanRecord& record : own.spans()) {
    packed.push_back({record.start_s, record.end_s, record.strand.size(), record.name.size(),
                      record.layers.size(), record.collective.size(), record.peers.size(), record.details});
    text += record.strand + record.name + record.layers + record.collective;
    peers.insert(peers.end(), record.peers.begin(), record.peers.end());
  }
  const auto spans = gather_items(job, packed);
  const std::vector<std::string> all_texts = job.gather_all(text);
  const auto all_peers = gather_items(job, peers);
  std::vector<SpanRecord> all;
  for (std::size_t rank = 0; rank < spans.size(); ++rank) {
    Pieces texts(all_texts[rank]);
    Pieces of_peers(all_peers[rank]);
    for (const PackedSpan& span : spans[rank]) {
      all.push_back({.rank = static_cast<Rank>(rank),
                     .strand = texts.take(span.strand),
                     .name = texts.take(span.name),
                     .start_s = span.start_s,
                     .end_s = span.end_s,
                     .layers = texts.take(span.layers),
                     .collective = texts.take(span.collective),
                     .peers = of_peers.take(span.peers),
                     .details = span.details});
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
  result.end_iterations(all);
  return result;
}

RunningMean gathered(const MpiJob& job, std::span<const float> own_model) {
  RunningMean mean;
  for (const auto& model : gather_items<float>(job, {own_model.begin(), own_model.end()})) mean.add(model);
  return mean;
}

void replay(const std::vector<SpanRecord>& spans, TraceSink& trace) {
  for (const SpanRecord& span : spans) {
    SpanDetails details = span.details;
    details.layers = span.layers;
    details.collective.name = span.collective;
    details.peers = span.peers;
    trace.span(span.rank, span.strand, span.name, span.start_s, span.end_s, details);
  }
}

}  // namespace starling

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "analysis/model/neighbor_exchange.hpp"
#include "analysis/model/recurrences.hpp"

namespace starling {
namespace {

/// When each rank is done with the exchange of a bucket that it begins at `begin_s`.
using BucketExchange = std::function<Moments(std::size_t bucket, const Moments& begin_s)>;

/// The counterpart of the training algorithms' exchange_during_backward(): buckets are exchanged one after
/// the other beside the backward pass.
void exchange_during_backward(ModeledRun& run, const std::vector<Bucket>& buckets,
                              const BucketExchange& exchange) {
  Moments free_s = run.now_s();
  for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
    run.backward_to(buckets[bucket].ready_layer);
    free_s = exchange(bucket, later_of(run.now_s(), free_s));
  }
  run.backward();
  if (!buckets.empty()) run.wait_until(free_s);
}

/// An exchange for each bucket, or one of the whole model if there are no buckets, each with `further`
/// elements more.
std::deque<NeighborExchange> exchanges_of(ModeledRun& run, const MixingSchedule& mixing,
                                          const std::vector<Bucket>& buckets, std::int64_t further) {
  std::deque<NeighborExchange> exchanges;
  for (const Bucket& bucket : buckets)
    exchanges.emplace_back(run, mixing, run.sizes().elements(bucket.tensors) + further);
  if (buckets.empty()) exchanges.emplace_back(run, mixing, run.sizes().elements() + further);
  return exchanges;
}

}  // namespace

void predict(const LocalSgd& algorithm, ModeledRun& run) {
  const std::vector<Bucket>& buckets = algorithm.buckets();
  const std::vector<const Schedule*> allreduces = algorithm.sequential_collectives();
  const auto average = [&](std::size_t bucket, const Moments& begin_s) {
    return run.collective(*allreduces[bucket], begin_s);
  };
  for (std::int64_t iteration = 0; iteration < run.iterations(); ++iteration) {
    const bool averages = (iteration + 1) % algorithm.sync_period() == 0;
    run.begin_iteration();
    run.forward();
    if (averages)
      exchange_during_backward(run, buckets, average);
    else
      run.backward();
    run.update_all();
    if (averages && buckets.empty()) run.wait_until(average(0, run.now_s()));
    run.end_iteration();
  }
}

void predict(const SlowMo& algorithm, ModeledRun& run) {
  std::optional<NeighborExchange> exchange;
  if (algorithm.mixing() != nullptr) {
    exchange.emplace(run, *algorithm.mixing(), run.sizes().elements() + 1);
    run.note_estimate("averages of all models are assumed not to contend with pushed models for links");
  }
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) {
    run.begin_iteration();
    run.forward();
    run.backward();
    run.update_all();
    if (exchange) {
      exchange->send(iteration, run.now_s());
      exchange->note_operations();
      run.wait_until(exchange->complete(run.now_s()));
    }
    if ((iteration + 1) % algorithm.options().sync_period == 0)
      run.wait_until(run.collective(algorithm.average(), run.now_s()));
    run.end_iteration();
  }
}

void predict(const Dpsgd& algorithm, ModeledRun& run) {
  const std::vector<Bucket> buckets = model_buckets(run.workload(), algorithm.options().bucket_bytes);
  std::deque<NeighborExchange> exchanges = exchanges_of(run, algorithm.mixing(), buckets, 0);
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) {
    const auto average = [&](std::size_t bucket, const Moments& begin_s) {
      exchanges[bucket].send(iteration, begin_s);
      exchanges[bucket].note_operations();
      return exchanges[bucket].complete(begin_s);
    };
    Moments averaged_s;
    if (algorithm.options().overlap) averaged_s = average(0, run.now_s());
    run.begin_iteration();
    run.forward();
    exchange_during_backward(run, buckets, average);
    if (!algorithm.options().overlap && buckets.empty()) averaged_s = average(0, run.now_s());
    if (!averaged_s.empty()) run.wait_until(averaged_s);
    run.update_all();
    run.end_iteration();
  }
}

void predict(const Sgp& algorithm, ModeledRun& run) {
  const std::int64_t overlap = algorithm.options().overlap;
  const HostSharing* const hosts = algorithm.hosts();
  const std::vector<Bucket> buckets = model_buckets(run.workload(), algorithm.options().bucket_bytes);
  std::deque<NeighborExchange> exchanges = exchanges_of(run, algorithm.mixing(), buckets, 1);
  // Models that are pushed meanwhile need the message processor of a host's first worker, as the host's sum
  // does.
  if (hosts != nullptr && overlap > 0 && run.network().costs.overhead_s > 0) run.note_several_collectives();
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) {
    const auto exchange = [&](std::size_t bucket, Moments begin_s) {
      NeighborExchange& of_bucket = exchanges[bucket];
      if (overlap > 0 && iteration % overlap != 0) return begin_s;
      if (overlap > 0 && iteration > 0) begin_s = of_bucket.complete(begin_s);
      of_bucket.send(overlap > 0 ? iteration / overlap : iteration, begin_s);
      if (overlap == 0) of_bucket.note_operations();
      return overlap > 0 ? of_bucket.launched_s() : of_bucket.complete(begin_s);
    };
    run.begin_iteration();
    run.forward();
    exchange_during_backward(run, buckets, exchange);
    if (hosts != nullptr) run.wait_until(run.collective(hosts->sum_schedule(), run.now_s()));
    run.update_all();
    if (buckets.empty()) run.wait_until(exchange(0, run.now_s()));
    if (hosts != nullptr) run.wait_until(run.collective(hosts->share_schedule(), run.now_s()));
    run.end_iteration();
  }
}

void predict(const Adpsgd&, ModeledRun& run) {
  for (std::int64_t iteration = 0; iteration < run.iterations(); ++iteration) {
    run.begin_iteration();
    run.forward();
    run.backward();
    run.update_all();
    run.end_iteration();
  }
}

namespace {

/// The averages that one iteration launches for the next one.
struct Launched {
  std::vector<Moments> end_s;  // of each bucket
  Moments last_s;              // when each rank's latest average so far ends
};

class DecentralizedRecurrence {
 public:
  DecentralizedRecurrence(const DecentralizedAdam& averaging, ModeledRun& run)
      : averaging_(averaging), run_(run) {}

  void iterate(std::int64_t iteration) {
    const auto& buckets = averaging_.buckets();
    arriving_ = std::move(launched_);
    launched_ = {.end_s = std::vector<Moments>(buckets.size()), .last_s = run_.now_s()};
    run_.begin_iteration();
    run_.forward();
    for (std::size_t b = 0; b < buckets.size(); ++b) {
      run_.backward_to(buckets[b].ready_layer);
      if (iteration > 0) mix(b, iteration);
      run_.update(buckets[b].tensors);
      if (iteration + 1 < run_.iterations() || !averaging_.options().overlap) launch(b, iteration + 1);
    }
    run_.backward();
    if (!averaging_.options().overlap)
      for (const Moments& end_s : launched_.end_s) run_.wait_until(end_s);
    run_.end_iteration();
  }

 private:
  void mix(std::size_t bucket, std::int64_t iteration) {
    run_.wait_until(arriving_.end_s[bucket]);
    for (Rank rank = 0; rank < run_.ranks(); ++rank) {
      const std::span<const Rank> members = averaging_.groups(iteration).members_with(rank);
      if (members.size() > 1 && members.front() == rank)
        run_.participation().add_operation(static_cast<int>(members.size()));
    }
  }

  void launch(std::size_t bucket, std::int64_t iteration) {
    const Moments now_s = run_.now_s();
    Moments begin_s = later_of(now_s, launched_.last_s);
    for (Rank rank = 0; iteration > 1 && rank < run_.ranks(); ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      if (is_same_group(rank, iteration))
        begin_s[at] = std::max(begin_s[at], arriving_.last_s[at]);
      else if (arriving_.last_s[at] > begin_s[at])
        run_.note_several_collectives(have_two_in_common(rank, iteration));
    }
    launched_.end_s[bucket] = run_.collective(averaging_.allreduce(iteration, bucket), begin_s);
    launched_.last_s = launched_.end_s[bucket];
    // A rank that is alone in its group has nothing to wait for.
    for (Rank rank = 0; rank < run_.ranks(); ++rank)
      if (averaging_.groups(iteration).members_with(rank).size() < 2)
        launched_.end_s[bucket][static_cast<std::size_t>(rank)] = now_s[static_cast<std::size_t>(rank)];
  }

  /// Whether the rank's group is the same as in the iteration before, so that its averages follow each other.
  bool is_same_group(Rank rank, std::int64_t iteration) const {
    return std::ranges::equal(averaging_.groups(iteration).members_with(rank),
                              averaging_.groups(iteration - 1).members_with(rank));
  }

  /// Whether the rank's groups of that iteration and of the one before have another member in common, so that
  /// messages of both averages may use the same connection.
  bool have_two_in_common(Rank rank, std::int64_t iteration) const {
    const std::span<const Rank> before = averaging_.groups(iteration - 1).members_with(rank);
    return std::ranges::count_if(averaging_.groups(iteration).members_with(rank), [&](Rank member) {
             return std::ranges::find(before, member) != before.end();
           }) > 1;
  }

  const DecentralizedAdam& averaging_;
  ModeledRun& run_;
  Launched arriving_;  // averages that this iteration mixes in
  Launched launched_;  // averages that it launches for the next one
};

}  // namespace

void predict(const DecentralizedAdam& algorithm, ModeledRun& run) {
  DecentralizedRecurrence recurrence(algorithm, run);
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) recurrence.iterate(iteration);
}

}  // namespace starling

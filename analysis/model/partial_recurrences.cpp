#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "analysis/model/recurrences.hpp"
#include "analysis/model/version_news.hpp"
#include "base/numbers/simultaneous.hpp"

namespace starling {
namespace {

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

bool is_any_earlier(const Moments& some_s, const Moments& others_s) {
  return !std::ranges::equal(some_s, others_s, std::greater_equal<>());
}

/// What becomes of a gradient whose call comes too late for its version.
enum class LateCalls { are_added, are_skipped };

/// The background strands of all workers, as in PartialCollectives: when each is done with every version of
/// every operation, and whose gradients or models were in it.
class PartialBackground {
 public:
  /// `run` must outlive it.
  PartialBackground(ModeledRun& run, PartialCollectivePlan plan, LateCalls late_calls);

  double call_s() const { return plan_.call_s; }

  /// Runs one version of all operations; called_s[operation][rank]: when each rank calls it.
  void execute(std::int64_t version, const std::vector<Moments>& called_s);
  /// When each rank is done with the newest version of all operations.
  Moments all_ended_s() const;

 private:
  struct Operation {
    Moments end_s;                    // when each rank ended its newest version
    std::deque<Moments> called_s;     // when each rank called: version by version, the newest last
    std::vector<std::int64_t> taken;  // the number of each rank's calls that have been taken or skipped
  };

  void take_all(std::int64_t version, std::size_t index, const Moments& start_s);
  /// Takes a rank's calls up to the moment at which it takes part. Returns whether it is sure which calls
  /// these are: none is simultaneous with that moment.
  bool take(Operation& operation, Rank rank, std::int64_t version, double start_s);
  void contribute(std::int64_t number, std::int64_t version, std::int64_t first, std::int64_t end);

  ModeledRun& run_;
  PartialCollectivePlan plan_;
  LateCalls late_calls_;
  VersionNews news_;
  Moments lane_end_s_;  // when each rank ended all operations so far
  std::vector<Operation> operations_;
};

PartialBackground::PartialBackground(ModeledRun& run, PartialCollectivePlan plan, LateCalls late_calls)
    : run_(run),
      plan_(std::move(plan)),
      late_calls_(late_calls),
      news_(run),
      lane_end_s_(at(run.ranks()), 0.0),
      operations_(plan_.counts.size()) {
  for (Operation& operation : operations_) {
    operation.end_s = lane_end_s_;
    operation.taken.assign(lane_end_s_.size(), 0);
  }
}

void PartialBackground::execute(std::int64_t version, const std::vector<Moments>& called_s) {
  const VersionStart start = plan_.start(version);
  for (std::size_t index = 0; index < operations_.size(); ++index) {
    Operation& operation = operations_[index];
    operation.called_s.push_back(called_s[index]);
    const Moments known_s = news_.spread(start, called_s[index], operation.end_s);
    const Moments start_s = later_of(known_s, plan_.is_serialized ? lane_end_s_ : operation.end_s);
    take_all(version, index, start_s);
    if (is_any_earlier(start_s, lane_end_s_)) run_.note_several_collectives(true);
    operation.end_s = run_.collective(plan_.schedule(static_cast<int>(index), version), start_s);
    lane_end_s_ = later_of(lane_end_s_, operation.end_s);
  }
}

Moments PartialBackground::all_ended_s() const {
  Moments latest_s(lane_end_s_.size(), 0.0);
  for (const Operation& operation : operations_) latest_s = later_of(std::move(latest_s), operation.end_s);
  return latest_s;
}

void PartialBackground::take_all(std::int64_t version, std::size_t index, const Moments& start_s) {
  Operation& operation = operations_[index];
  const std::int64_t number =
      version * static_cast<std::int64_t>(operations_.size()) + static_cast<std::int64_t>(index);
  bool is_sure = true;
  for (Rank rank = 0; rank < run_.ranks(); ++rank) {
    const std::int64_t first = operation.taken[at(rank)];
    is_sure = take(operation, rank, version, start_s[at(rank)]) && is_sure;
    contribute(number, version, first, operation.taken[at(rank)]);
  }
  if (!is_sure) run_.note_tie();
  const std::int64_t still_needed = version + 1 - std::ranges::min(operation.taken);
  operation.called_s.erase(operation.called_s.begin(), operation.called_s.end() - still_needed);
}

bool PartialBackground::take(Operation& operation, Rank rank, std::int64_t version, double start_s) {
  const auto called_s = [&](std::int64_t call) {
    return operation.called_s.end()[call - version - 1][at(rank)];
  };
  std::int64_t& taken = operation.taken[at(rank)];
  const std::int64_t before = taken;
  while (taken <= version && called_s(taken) <= start_s) ++taken;
  if (taken <= version && are_simultaneous(called_s(taken), start_s)) return false;
  if (taken == before || (taken > version && news_.is_own_call(rank))) return true;
  return !are_simultaneous(called_s(taken - 1), start_s);
}

/// Records the contribution of a rank whose calls `first` … `end` − 1 came since it took part in the version
/// before.
void PartialBackground::contribute(std::int64_t number, std::int64_t version, std::int64_t first,
                                   std::int64_t end) {
  ParticipationLog& log = run_.participation();
  if (!plan_.empties_send_buffers) return log.contribute(number, version, end - 1, end - 1);
  if (late_calls_ == LateCalls::are_skipped) first = std::max(first, version);
  if (first < end)
    log.contribute(number, version, first, end - 1);
  else
    log.contribute_nothing(number);
}

/// The forward and the backward pass, with a call of `call_s` for every bucket, once its gradients are ready
/// and `prepare` is done. Returns when each rank calls each bucket.
std::vector<Moments> call_during_backward(ModeledRun& run, const std::vector<Bucket>& buckets, double call_s,
                                          const std::function<void(const Bucket&)>& prepare) {
  run.begin_iteration();
  run.forward();
  std::vector<Moments> called_s;
  for (const Bucket& bucket : buckets) {
    run.backward_to(bucket.ready_layer);
    prepare(bucket);
    called_s.push_back(run.now_s());
    run.spend(call_s);
  }
  run.backward();
  return called_s;
}

}  // namespace

void predict(const EagerSgd& algorithm, ModeledRun& run) {
  const bool drops = algorithm.options().late_gradients == LateGradients::drop;
  PartialBackground background(run, algorithm.plan(run.iterations(), run.seed()),
                               drops ? LateCalls::are_skipped : LateCalls::are_added);
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) {
    background.execute(
        iteration, call_during_backward(run, algorithm.buckets(), background.call_s(), [](const Bucket&) {}));
    run.wait_until(background.all_ended_s());
    run.update_all();
    if (algorithm.synchronizes(iteration))
      run.wait_until(run.collective(algorithm.model_allreduce(), run.now_s()));
    run.end_iteration();
  }
}

void predict(const Wagma& algorithm, ModeledRun& run) {
  const bool updates_last = algorithm.options().published_code;
  PartialBackground background(run, algorithm.plan(run.iterations()), LateCalls::are_added);
  const auto update = [&](const Bucket& bucket) {
    if (!updates_last) run.update(bucket.tensors);
  };
  for (std::int64_t iteration = 0; run.goes_on(iteration); ++iteration) {
    const bool averages = algorithm.averages(iteration);
    const std::vector<Moments> called_s =
        call_during_backward(run, algorithm.buckets(), averages ? background.call_s() : 0, update);
    if (averages) {
      background.execute(algorithm.version_of(iteration), called_s);
      run.wait_until(background.all_ended_s());
    }
    if (updates_last) run.update_all();
    run.end_iteration();
  }
}

}  // namespace starling

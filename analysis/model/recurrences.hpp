#pragma once

#include <optional>

#include "algorithms/training/every_algorithm.hpp"
#include "analysis/model/modeled_run.hpp"

namespace starling {

// Each goes through all iterations of a run, and expresses who waits for what as sums and maxima. Notation:
// now(i) is the moment at which worker i is, ready(b) when bucket b's gradients are ready, and T(b; x) when
// each worker is done with the collective of b that it enters at x.

/// C(b) = T(b; max(ready(b), C(b−1))); an iteration ends with the update after the last C.
void predict(const WaitFreeBackpropagation& algorithm, ModeledRun& run);
/// RSend(g) = T(g; max(ready(g), RSend(g+1))); AGend(g) = T(g; max(AGend(g−1), when it is issued)); the
/// forward pass of group g begins at max(end of g−1, AGend(g)) + update(g).
void predict(const Dear& algorithm, ModeledRun& run);
/// A negotiation begins one cycle time after the one before began, or when that one ends if this is later.
/// Tensors that are ready on all workers when it begins are exchanged in the order in which they were agreed
/// on.
void predict(const Horovod& algorithm, ModeledRun& run);
/// Rank 0 takes the most urgent partition that is ready there while credit is left. Each partition then waits
/// for the one before it on its stream and for its gradients, and a layer's next forward pass for the layer's
/// partitions.
void predict(const ByteScheduler& algorithm, ModeledRun& run);
/// A worker knows of a version of an operation as soon as the first notification of its start arrives; its
/// background then takes part once it is done with the operation before. At the end of an iteration a worker
/// waits for the operations that have not ended.
void predict(const EagerSgd& algorithm, ModeledRun& run);
/// As eager-SGD, in the iterations that average.
void predict(const Wagma& algorithm, ModeledRun& run);
/// T(now) at the end of every τ-th iteration, or beside its backward pass, bucket by bucket.
void predict(const LocalSgd& algorithm, ModeledRun& run);
/// T(now) at the end of every τ-th iteration; over a graph a worker also waits for its neighbors' models in
/// each.
void predict(const SlowMo& algorithm, ModeledRun& run);
/// A worker waits for the models of its neighbors of the same iteration.
void predict(const Dpsgd& algorithm, ModeledRun& run);
/// A worker waits for the models of its neighbors of the same exchange, with overlap of the exchange before.
/// With per_host the workers of a host first sum their gradients, and at the end receive its first worker's
/// model.
void predict(const Sgp& algorithm, ModeledRun& run);
/// The main strand waits for nobody.
void predict(const Adpsgd& algorithm, ModeledRun& run);
/// D(s,b) = max(D(s,b−1) + c(b), C(b,s)) + u(b); C(b,s) = T(b; max(D(s−1,b), the group's collective before)).
void predict(const DecentralizedAdam& algorithm, ModeledRun& run);

/// How much of a run a recurrence covers.
struct RecurrenceScope {
  /// Who averages with whom, if a run consists of these exchanges only; else null.
  const MixingSchedule* mixing = nullptr;
  /// Whether a worker may be in several collectives at once. Absent if a run does not consist of collectives
  /// only, or is not evaluated as a whole.
  std::optional<bool> may_overlap = {};
  /// Whether collectives that a worker may be in at the same time are evaluated one after the other, each
  /// alone.
  bool looks_at_collectives_singly = false;
};

/// The scope of all algorithms without an overload of their own.
inline RecurrenceScope scope_of(const TrainingAlgorithm&) { return {}; }
inline RecurrenceScope scope_of(const Horovod&) { return {.may_overlap = true}; }
inline RecurrenceScope scope_of(const ByteScheduler&) { return {.may_overlap = true}; }
inline RecurrenceScope scope_of(const EagerSgd& algorithm) {
  const bool is_serialized = algorithm.options().serialized;
  return {.may_overlap = !is_serialized || algorithm.options().model_sync_iterations > 0,
          .looks_at_collectives_singly = !is_serialized};
}
inline RecurrenceScope scope_of(const Wagma& algorithm) {
  const bool is_serialized = algorithm.options().serialized;
  return {.may_overlap = !is_serialized, .looks_at_collectives_singly = !is_serialized};
}
inline RecurrenceScope scope_of(const Dpsgd& algorithm) { return {.mixing = &algorithm.mixing()}; }
inline RecurrenceScope scope_of(const Sgp& algorithm) {
  const bool is_whole = algorithm.hosts() == nullptr && algorithm.options().overlap == 0;
  return {.mixing = is_whole ? &algorithm.mixing() : nullptr};
}
inline RecurrenceScope scope_of(const DecentralizedAdam& algorithm) {
  return {.may_overlap = algorithm.options().overlap};
}

}  // namespace starling

#pragma once

#include <optional>

#include "algorithms/training/every_algorithm.hpp"
#include "analysis/model/modeled_run.hpp"

namespace starling {

// Each goes through all iterations of a run: who waits for what, as sums and maxima. With now(i) the moment
// of worker i, ready(b) when bucket b's gradients are there, and T(b; x) when each worker is done with the
// collective of b that it comes to at x.

/// C(b) = T(b; max(ready(b), C(b−1))); an iteration ends with the update after the last C.
void predict(const WaitFreeBackpropagation& algorithm, ModeledRun& run);
/// RSend(g) = T(g; max(ready(g), RSend(g+1))); AGend(g) = T(g; max(AGend(g−1), when it is issued)); the
/// forward pass of group g begins at max(end of g−1, AGend(g)) + update(g).
void predict(const Dear& algorithm, ModeledRun& run);
/// A negotiation begins a cycle after the one before, or when that one ends; what is ready on all workers by
/// then is exchanged in the order in which it was agreed on.
void predict(const Horovod& algorithm, ModeledRun& run);
/// Rank 0 takes the most urgent partition that is ready there while credit is left; each partition then waits
/// for the one before it and for its gradients, and a layer's next forward pass for its own partitions.
void predict(const ByteScheduler& algorithm, ModeledRun& run);
/// A version of an operation is known to a worker as soon as the first message of whoever starts it is there;
/// then its background takes part once it is done with the operation before. A worker waits for what has not
/// ended when it comes to the end of its iteration.
void predict(const EagerSgd& algorithm, ModeledRun& run);
void predict(const Wagma& algorithm, ModeledRun& run);
/// now + T at the end of every τ-th iteration, or T beside the backward pass.
void predict(const LocalSgd& algorithm, ModeledRun& run);
/// now + T at the end of every τ-th iteration; over a graph a worker waits for its neighbors' in each.
void predict(const SlowMo& algorithm, ModeledRun& run);
/// A worker waits for the models of its neighbors of the same iteration.
void predict(const Dpsgd& algorithm, ModeledRun& run);
/// The same of the neighbors of an exchange; with overlap for those of the exchange before. With per_host a
/// host's workers sum their gradients before, and have its first one's model after that.
void predict(const Sgp& algorithm, ModeledRun& run);
/// The main strand waits for nobody.
void predict(const Adpsgd& algorithm, ModeledRun& run);
/// D(s,b) = max(D(s,b−1) + c(b), C(b,s)) + u(b); C(b,s) = T(b; max(D(s−1,b), the group's collective before)).
void predict(const DecentralizedAdam& algorithm, ModeledRun& run);

/// How much of a run a recurrence looks at.
struct RecurrenceScope {
  /// Who averages with whom, if that tells all of the run; else null.
  const MixingSchedule* mixing = nullptr;
  /// Whether a worker may be in several collectives at once, or nothing if collectives are not all it is in.
  std::optional<bool> may_overlap = {};
  /// Whether it looks at one after the other of several that a worker may be in.
  bool looks_at_collectives_singly = false;
};

/// The scope of all other algorithms' recurrences.
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

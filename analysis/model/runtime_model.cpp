#include "analysis/model/runtime_model.hpp"

#include <utility>

#include "analysis/model/recurrences.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

/// Calls `act` with the algorithm as what it is. False if it is none of these.
template <typename Algorithm, typename... Others, typename Act>
bool dispatch(const TrainingAlgorithm& algorithm, const Act& act) {
  if (const auto* own = dynamic_cast<const Algorithm*>(&algorithm)) {
    act(*own);
    return true;
  }
  if constexpr (sizeof...(Others) > 0) return dispatch<Others...>(algorithm, act);
  return false;
}

template <typename Act>
bool dispatch_all(const TrainingAlgorithm& algorithm, const Act& act) {
  return dispatch<WaitFreeBackpropagation, Dear, Horovod, ByteScheduler, EagerSgd, Wagma, LocalSgd, Dpsgd,
                  Sgp, Adpsgd, DecentralizedAveraging>(algorithm, act);
}

/// Whether a worker may be in several at once, of those whose recurrences look at one after the other.
bool may_have_several_collectives(const TrainingAlgorithm& algorithm) {
  if (const auto* eager = dynamic_cast<const EagerSgd*>(&algorithm)) return !eager->options().serialized;
  const auto* wagma = dynamic_cast<const Wagma*>(&algorithm);
  return wagma != nullptr && !wagma->options().serialized;
}

}  // namespace

std::string name_of(ModelValidity validity) {
  switch (validity) {
    case ModelValidity::exact:
      return "exact";
    case ModelValidity::estimate:
      return "estimate";
    case ModelValidity::lower_bound:
      return "lower bound";
  }
  throw InvariantError("there is no such validity");
}

std::optional<std::string> reason_without_model(const TrainingAlgorithm& algorithm) {
  if (!dispatch_all(algorithm, [](const auto&) {}))
    return "it is an algorithm of another program, for which there is no recurrence";
  return std::nullopt;
}

Prediction predict(const PreparedRun& run, const ModeledNetwork& network, bool is_to_be_exact) {
  ModeledRun modeled(run, network, is_to_be_exact);
  const bool is_modeled =
      dispatch_all(run.algorithm, [&](const auto& algorithm) { predict(algorithm, modeled); });
  STARLING_INVARIANT(is_modeled);
  if (may_have_several_collectives(run.algorithm)) modeled.note_several_collectives();
  // Who is later may find data of others gone that an answer would have waited behind.
  if (modeled.have_messages_met() && network.rules.keep_order && modeled.sent().rendezvous_messages > 0)
    modeled.note_estimate("answers are taken to wait behind data that meets no other");
  Prediction prediction{.log = modeled.take_log(),
                        .has_ties = modeled.has_ties(),
                        .statistics = modeled.statistics(),
                        .participation = std::move(modeled.participation())};
  const auto leave_out = [&](std::string what) {
    prediction.validity = ModelValidity::lower_bound;
    prediction.reasons.push_back(std::move(what));
  };
  for (const std::string& estimate : modeled.estimates()) prediction.reasons.push_back(estimate);
  if (modeled.have_messages_met()) leave_out("messages meet on links, and wait for each other there");
  if (run.workload.communication_slowdown > 0) leave_out("communication slows computing down");
  if (network.costs.wake_up_s > 0) leave_out("workers notice messages late");
  // Whatever is left out besides: what is taken for granted may make it too great.
  if (!modeled.estimates().empty()) prediction.validity = ModelValidity::estimate;
  return prediction;
}

}  // namespace starling

#include "analysis/model/runtime_model.hpp"

#include <set>
#include <utility>

#include "analysis/model/recurrences.hpp"
#include "analysis/running/run_facts.hpp"
#include "base/errors.hpp"

namespace starling {
namespace {

/// Calls `act` with the algorithm as its own type. Returns false if it is none of these types.
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
  return dispatch<WaitFreeBackpropagation, Dear, Horovod, ByteScheduler, EagerSgd, Wagma, LocalSgd, SlowMo,
                  Dpsgd, Sgp, Adpsgd, DecentralizedAdam>(algorithm, act);
}

/// Whether, of two workers that send to each other, the answer of one (of a rendezvous) may wait behind its
/// own data. Under `event` no answer does; where answers have a channel of their own, only behind small
/// messages.
bool may_answers_follow_data(const ModeledRun& modeled) {
  if (modeled.sent().rendezvous_messages == 0) return false;
  const ModeledNetwork& network = modeled.network();
  const bool may_data_be_small = modeled.are_small(network.costs.eager_threshold_bytes);
  return network.rules.keep_order || (may_data_be_small && !network.rules.take_links);
}

/// The effects that make workers later and that the model leaves out, each as a clause.
std::vector<std::string> left_out_of(const ModeledRun& modeled) {
  const ModeledNetwork& network = modeled.network();
  std::vector<std::string> what;
  if (modeled.have_messages_met())
    what.emplace_back("messages contend for links; the time for which they wait there is left out");
  if (modeled.workload().communication_slowdown > 0)
    what.emplace_back("the slowdown of computing by communication (communication_slowdown) is left out");
  if (network.costs.wake_up_s > 0)
    what.emplace_back("the time until workers notice arrived messages (wake_up) is left out");
  if (network.has_windows) what.emplace_back("the windows of connections (fair/window) are left out");
  if (network.has_connection_rate)
    what.emplace_back("the limit on the rate of connections (fair/connection_rate) is left out");
  return what;
}

/// Sets the validity of a prediction, and the reasons why it is not exact.
void add_reasons(const ModeledRun& modeled, Prediction& prediction) {
  const std::vector<std::string> left_out = left_out_of(modeled);
  std::set<std::string> estimates = modeled.estimates();
  if (!left_out.empty()) estimates.insert(modeled.orders().begin(), modeled.orders().end());
  prediction.reasons.assign(estimates.begin(), estimates.end());
  prediction.reasons.insert(prediction.reasons.end(), left_out.begin(), left_out.end());
  if (!left_out.empty()) prediction.validity = ModelValidity::lower_bound;
  // With an assumption that need not hold times may be too long, so it is no lower bound.
  if (!estimates.empty()) prediction.validity = ModelValidity::estimate;
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
    return "no recurrence of the model covers this algorithm, which another program has registered";
  return std::nullopt;
}

RecurrenceScope recurrence_scope(const TrainingAlgorithm& algorithm) {
  RecurrenceScope scope;
  dispatch_all(algorithm, [&](const auto& own) { scope = scope_of(own); });
  return scope;
}

Prediction predict(const PreparedRun& run, const ModeledNetwork& network, bool is_to_be_exact) {
  ModeledRun modeled(run, network, is_to_be_exact);
  const bool is_modeled =
      dispatch_all(run.algorithm, [&](const auto& algorithm) { predict(algorithm, modeled); });
  STARLING_INVARIANT(is_modeled);
  if (recurrence_scope(run.algorithm).looks_at_collectives_singly) modeled.note_several_collectives();
  if (may_answers_follow_data(modeled))
    modeled.note_order(
        "answers of a rendezvous are assumed to wait behind the same data as without the delays left out");
  Prediction prediction{.log = modeled.take_log(),
                        .has_ties = modeled.has_ties(),
                        .statistics = modeled.statistics(),
                        .participation = std::move(modeled.participation())};
  add_reasons(modeled, prediction);
  return prediction;
}

bool draws_numbers(const TrainingOptions& options) {
  if (const auto* const eager = options.get_if<EagerOptions>()) return eager->kind == EagerOptions::majority;
  const auto* const adpsgd = options.get_if<AdpsgdOptions>();
  return adpsgd != nullptr && adpsgd->mixing;
}

}  // namespace starling

#pragma once

#include "sim/networks/network_model.hpp"
#include "sim/routes.hpp"

namespace starling {

/// A message whose arrival is to be explained. Where the scheduler records a CausalLog and the model does not
/// explain arrivals itself, all transfers that the model is given are of this type.
///
/// From the end of its cause, at cause_s, to its arrival the message spent `latency_s` on latency and the
/// rest on `link`. Whoever starts the message fills these fields as for a message alone on its links; a
/// network model changes them where the message meets others.
struct CausedTransfer : Transfer {
  CausalLog::Index cause = 0;
  double cause_s = 0;
  LinkIndex link = 0;
  double latency_s = 0;
  CausalLog::Index cause_of_leaving = 0;

  /// Records that the message could not proceed before until_s, because of `step`.
  void waited_for(CausalLog::Index step, double until_s) {
    cause = cause_of_leaving = step;
    cause_s = until_s;
  }
};

inline CausedTransfer& caused(Transfer& transfer) { return static_cast<CausedTransfer&>(transfer); }

}  // namespace starling

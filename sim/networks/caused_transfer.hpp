#pragma once

#include "sim/networks/network_model.hpp"
#include "sim/routes.hpp"

namespace starling {

/// A message of which someone finds out why it arrives when it does: all are, where the scheduler has Causes
/// and the model does not explain it itself.
///
/// From the moment at which the cause ended it took `latency_s` until the message arrived, and the rest on
/// `link`. Whoever starts it says what it would be alone on its links, from the moment it is sent; a network
/// model changes that where it knows better.
struct CausedTransfer : Transfer {
  Causes::Index cause = 0;
  double cause_s = 0;
  LinkIndex link = 0;
  double latency_s = 0;
  Causes::Index cause_of_leaving = 0;

  /// It could not go on before that.
  void waited_for(Causes::Index step, double until_s) {
    cause = cause_of_leaving = step;
    cause_s = until_s;
  }
};

inline CausedTransfer& caused(Transfer& transfer) { return static_cast<CausedTransfer&>(transfer); }

}  // namespace starling

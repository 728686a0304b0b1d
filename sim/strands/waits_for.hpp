#pragma once

#include <string>

#include "base/types.hpp"

namespace starling {

struct WaitsFor;

/// An object that waits on behalf of a strand, and knows what it is waiting for at the moment.
class WaitsOnBehalf {
 public:
  virtual ~WaitsOnBehalf() = default;
  virtual WaitsFor waits_for() const = 0;
};

/// What a blocked strand waits for; turned into text only when a run deadlocks.
struct WaitsFor {
  enum class What { nothing, time, message, sending, notification, event, others };
  What what = What::nothing;
  Rank peer = -1;
  Tag tag = 0;
  const char* name = "";                  // the name of an event
  const WaitsOnBehalf* others = nullptr;  // the object that waits on behalf of the strand
};

/// What the strand waits for, as the predicate of a sentence whose subject is the strand.
std::string describe(const WaitsFor& waits_for);

}  // namespace starling

#pragma once

#include <string>

#include "base/types.hpp"

namespace starling {

struct WaitsFor;

/// Whoever a strand left its waiting to: knows what is waited for just now.
class WaitsOnBehalf {
 public:
  virtual ~WaitsOnBehalf() = default;
  virtual WaitsFor waits_for() const = 0;
};

/// What a blocked strand waits for; put into prose only when a run deadlocks.
struct WaitsFor {
  enum class What { nothing, time, message, sending, notification, event, others };
  What what = What::nothing;
  Rank peer = -1;
  Tag tag = 0;
  const char* name = "";                  // of the event
  const WaitsOnBehalf* others = nullptr;  // who wait for this strand
};

/// What it waits for, as the end of a sentence that begins with who waits.
std::string describe(const WaitsFor& waits_for);

}  // namespace starling

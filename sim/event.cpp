#include "sim/event.hpp"

#include <utility>

#include "sim/scheduler.hpp"

namespace starling {

void Event::set() {
  is_set_ = true;
  for (Strand* strand : std::exchange(waiting_, {})) scheduler_.make_ready(*strand);
}

void Event::wait() {
  while (!is_set_) {
    waiting_.push_back(&scheduler_.current());
    scheduler_.block({.what = WaitsFor::What::event, .name = name_});
  }
}

}  // namespace starling

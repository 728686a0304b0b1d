#include "sim/strands/waits_for.hpp"

#include <fmt/format.h>

namespace starling {

std::string describe(const WaitsFor& waits_for) {
  switch (waits_for.what) {
    case WaitsFor::What::nothing:
      return "is ready";
    case WaitsFor::What::time:
      return "waits for a point in time";
    case WaitsFor::What::message:
      return fmt::format("waits for a message from rank {} with tag {}", waits_for.peer, waits_for.tag);
    case WaitsFor::What::sending:
      return fmt::format("waits for rank {} to receive its message with tag {}", waits_for.peer,
                         waits_for.tag);
    case WaitsFor::What::notification:
      return "waits for a notification";
    case WaitsFor::What::event:
      return fmt::format("waits for {}", waits_for.name);
    case WaitsFor::What::others:
      return describe(waits_for.others->waits_for());
  }
  return "waits";
}

}  // namespace starling

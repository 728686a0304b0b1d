#include "commands/measuring.hpp"

namespace starling {

Measuring measuring() {
  return {.natively = measure_natively, .costs = measure_costs, .require = [] {}};
}

}  // namespace starling

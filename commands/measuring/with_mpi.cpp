#include "base/module.hpp"
#include "commands/measuring.hpp"

namespace starling {
namespace {

/// The functions of the module, which is loaded at the first call. Its symbols are global, as components that
/// MPI loads later need those of MPI.
const Measuring& loaded() {
  static const Measuring measuring = [] {
    Measuring found;
    Module("mpi", "what runs under mpirun", ModuleSymbols::shared)
        .function<void(Measuring&)>("starling_measuring")(found);
    return found;
  }();
  return measuring;
}

}  // namespace

Measuring measuring() {
  return {.natively = [](const NativeArguments& arguments) { loaded().natively(arguments); },
          .costs = [](const CalibrateArguments& arguments) { loaded().costs(arguments); },
          .require = [] {}};
}

}  // namespace starling

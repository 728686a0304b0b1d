#include "io/version.hpp"

namespace starling {

std::string_view version() { return STARLING_VERSION; }

}  // namespace starling

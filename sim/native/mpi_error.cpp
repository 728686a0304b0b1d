#include "sim/native/mpi_error.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <string_view>

#include "base/errors.hpp"

namespace starling {

void check_mpi(int code, const char* operation) {
  if (code == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  throw CommunicationError(
      fmt::format("{}: {}", operation, std::string_view(text.data(), static_cast<std::size_t>(length))));
}

}  // namespace starling

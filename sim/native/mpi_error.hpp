#pragma once

namespace starling {

/// Does nothing if `code` is MPI_SUCCESS. @throws CommunicationError with `operation` and MPI's text for the
/// code.
void check_mpi(int code, const char* operation);

}  // namespace starling

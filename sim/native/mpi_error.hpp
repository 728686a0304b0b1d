#pragma once

namespace starling {

/// Does nothing if `code` is MPI_SUCCESS. @throws CommunicationError with MPI's words for it.
void check_mpi(int code, const char* operation);

}  // namespace starling

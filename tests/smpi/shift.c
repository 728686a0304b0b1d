/* Times a shift under SMPI: smpirun … shift BYTES DISTANCE
 * Every rank sends so many bytes to the one that far further on, all at once, and prints "RANK SECONDS" until it has
 * received. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int bytes = atoi(argv[1]);
  const int distance = atoi(argv[2]);
  char* from = calloc((size_t)bytes, 1);
  char* into = calloc((size_t)bytes, 1);
  MPI_Request requests[2];
  const double start_s = MPI_Wtime();
  MPI_Irecv(into, bytes, MPI_BYTE, (rank + size - distance) % size, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(from, bytes, MPI_BYTE, (rank + distance) % size, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  printf("%d %.17g\n", rank, MPI_Wtime() - start_s);
  MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
  free(from);
  free(into);
  MPI_Finalize();
  return 0;
}

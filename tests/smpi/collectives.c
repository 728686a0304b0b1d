/* Times collectives under SMPI: smpirun … collectives allreduce|broadcast COUNT...
 * Each rank prints, for each count of floats, "COUNT SECONDS". Collectives start on all ranks at once: the
 * i-th after 10 i seconds of simulated time. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void sleep_until(double time_s) {
  const double left_s = time_s - MPI_Wtime();
  struct timespec left = {(time_t)left_s, 0};
  left.tv_nsec = (long)(1e9 * (left_s - (double)left.tv_sec));
  nanosleep(&left, NULL);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int i = 2; i < argc; ++i) {
    const int count = atoi(argv[i]);
    float* from = calloc((size_t)count + 1, sizeof(float));
    float* into = calloc((size_t)count + 1, sizeof(float));
    sleep_until(10.0 * (i - 1));
    const double start_s = MPI_Wtime();
    if (strcmp(argv[1], "broadcast") == 0) {
      MPI_Bcast(from, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
    } else {
      MPI_Allreduce(from, into, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("%d %.12e\n", count, MPI_Wtime() - start_s);
    free(from);
    free(into);
  }
  MPI_Finalize();
  return 0;
}

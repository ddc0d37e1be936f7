/* A program whose broadcasts take longer by MPI's way, then by messages, then by MPI's way again: what the library in
   front of MPI calls is here, and waits before it is MPI's. The other way waits too, as between sites. Checks every
   result.

   change [USES]: of each of the three parts */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static useconds_t collectives_late = 0, messages_late = 0;

int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  typedef int function(void*, int, MPI_Datatype, int, MPI_Comm);
  static function* next = NULL;
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "PMPI_Bcast");
  if (collectives_late > 0) usleep(collectives_late);
  return next(buffer, count, type, root, comm);
}

int MPI_Isend(void const* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  if (messages_late > 0) usleep(messages_late);
  return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int main(int argc, char** argv) {
  long const uses = argc > 1 ? atol(argv[1]) : 300;
  long checks = 0, failures = 0;
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int part = 0; part < 3; ++part) {
    /* Far beyond what a scheduler keeps a process waiting. Each change makes uses longer than any trial before it took,
       so that it is tried however many trials were in vain. */
    collectives_late = (useconds_t[]){30000, 3000, 300000}[part], messages_late = part == 1 ? 60000 : 3000;
    for (long i = 0; i < uses; ++i) {
      double number = rank == 0 ? (double)(uses * part + i) : -1;
      MPI_Bcast(&number, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      ++checks, failures += number != (double)(uses * part + i);
    }
  }
  long const mine[2] = {checks, failures};
  long all[2];
  MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld of %ld checks failed\n", all[1], all[0]);
  MPI_Finalize();
  return failures > 0;
}

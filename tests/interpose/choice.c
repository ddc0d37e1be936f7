/* Calls collectives of a few kinds so often that looking for a better way for them pays, on communicators that come
   and go too, and checks every result. Knows nothing of skel.

   choice [USES [WAIT]]: one broadcast in 100 is late by WAIT microseconds */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static long checks = 0, failures = 0;
static useconds_t late = 2000;

static void use(MPI_Comm comm, long uses) {
  int rank, size;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &size);
  static double data[4096], sums[4096];
  for (long i = 0; i < uses; ++i) {
    int const count = i % 2 == 0 ? 1 : i % 100 == 1 ? 4096 : 100 + (int)(i % 20), last = count - 1;
    for (int at = 0; at<count; at += count> 1 ? last : 1) data[at] = rank == 0 ? (double)(i + at) : -1;
    if (rank == 0 && i % 100 == 0) usleep(late); /* the others wait: time that looking for a better way may win */
    MPI_Bcast(data, count, MPI_DOUBLE, 0, comm);
    ++checks, failures += data[0] != (double)i || data[last] != (double)(i + last);
    data[0] = (double)(i % 7 + rank), data[last] = (double)(i % 5 + rank);
    double const first = data[0], end = data[last];
    MPI_Allreduce(data, sums, count, MPI_DOUBLE, MPI_SUM, comm);
    double const ranks = (double)(size * (size - 1) / 2);
    ++checks, failures += sums[0] != ranks + (first - rank) * size || sums[last] != ranks + (end - rank) * size;
    if (i % 4 == 0) MPI_Barrier(comm);
  }
}

int main(int argc, char** argv) {
  long const uses = argc > 1 ? atol(argv[1]) : 20000;
  if (argc > 2) late = (useconds_t)atol(argv[2]);
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  use(MPI_COMM_WORLD, uses);
  for (int i = 0; i < 20; ++i) {
    MPI_Comm copy, part;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_split(copy, rank % 2, -rank, &part);
    use(copy, uses / 100);
    use(part, uses / 100);
    MPI_Comm_free(&copy);
    use(part, uses / 100);
    MPI_Comm_free(&part);
  }
  long total[2] = {checks, failures}, all[2];
  MPI_Reduce(total, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld of %ld checks failed\n", all[1], all[0]);
  MPI_Finalize();
  return failures > 0;
}

/* Collectives of several threads at the same time, each on a communicator of its own; with the argument "unequal", one
   after the other, and odd ranks ask MPI for no threads. */
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { threads = 3, rounds = 40, most = 3000 };

/* Instead of MPI's: Open MPI 4.1 does not lock it against threads that complete each other's requests, so libskel_mpi.so
   may not call it where there are threads. The race itself comes once in many loaded runs. */
static atomic_int unlocked;
int MPI_Waitany(int count, MPI_Request requests[], int* which, MPI_Status* status) {
  int level;
  MPI_Query_thread(&level);
  unlocked += level == MPI_THREAD_MULTIPLE;
  return PMPI_Waitany(count, requests, which, status);
}

struct task {
  MPI_Comm comm;
  int number, failures;
  pthread_t thread;
};

static void* work(void* argument) {
  struct task* const mine = argument;
  int rank, size;
  MPI_Comm_rank(mine->comm, &rank), MPI_Comm_size(mine->comm, &size);
  for (int round = 0; round < rounds; ++round) {
    int const count = 1 + (round * 331 + mine->number * 57) % most, root = round % size;
    int data[most], sums[most], wrong = 0;
    for (int i = 0; i < count; ++i) data[i] = rank == root ? i ^ round ^ mine->number : -1;
    MPI_Bcast(data, count, MPI_INT, root, mine->comm);
    for (int i = 0; i < count; ++i) wrong += data[i] != (i ^ round ^ mine->number);
    for (int i = 0; i < count; ++i) data[i] = rank + i + mine->number;
    MPI_Allreduce(data, sums, count, MPI_INT, MPI_SUM, mine->comm);
    for (int i = 0; i < count; ++i) wrong += sums[i] != size * (size - 1) / 2 + size * (i + mine->number);
    mine->failures += wrong > 0;
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, level, rank, failures = 0, all = 0;
  int const in_turn = argc > 1;
  char const* const place = getenv("OMPI_COMM_WORLD_RANK");
  int const wanted = in_turn && place != NULL && atoi(place) % 2 == 1 ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE;
  MPI_Init_thread(&argc, &argv, wanted, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Query_thread(&level);
  if (level != provided) {
    printf("rank %d: MPI provided thread level %d, and says %d now\n", rank, provided, level);
    failures = 1;
  }
  if (!in_turn && provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("0 of 0 checks failed: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  struct task tasks[threads];
  for (int again = 0; again < 3; ++again) {
    for (int t = 0; t < threads; ++t) {
      tasks[t].number = t, tasks[t].failures = 0;
      if (in_turn)
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &tasks[t].comm);
      else
        MPI_Comm_dup(MPI_COMM_WORLD, &tasks[t].comm);
    }
    for (int t = 0; t < threads; ++t)
      if (in_turn)
        work(&tasks[t]);
      else
        pthread_create(&tasks[t].thread, NULL, work, &tasks[t]);
    for (int t = 0; t < threads; ++t) {
      if (!in_turn) pthread_join(tasks[t].thread, NULL);
      failures += tasks[t].failures;
    }
    for (int t = 0; t < threads; ++t) MPI_Comm_free(&tasks[t].comm);
  }
  if (unlocked > 0) {
    printf("rank %d: MPI_Waitany was called %d times beside other threads\n", rank, unlocked);
    failures += 1;
  }
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%d of %d checks failed\n", all, 3 * threads * rounds);
  MPI_Finalize();
  return failures > 0;
}

/* Communicators that end, and groups that come back: every collective is to give what the one of MPI gives.
 * Usage: mpi_exercise_lifetimes CALLS. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 32768

static int wrong, checked;

/* So many sums over the ranks, compared with MPI's own. */
static void use(MPI_Comm among, int calls, int count) {
  static int sent[MOST], got[MOST], wanted[MOST];
  int rank;
  MPI_Comm_rank(among, &rank);
  for (int i = 0; i < calls; ++i) {
    for (int k = 0; k < count; ++k) sent[k] = 31 * rank + k + i;
    MPI_Allreduce(sent, got, count, MPI_INT, MPI_SUM, among);
    PMPI_Allreduce(sent, wanted, count, MPI_INT, MPI_SUM, among);
    ++checked;
    if (memcmp(got, wanted, sizeof(int) * (size_t)count) != 0) ++wrong;
  }
}

/* Called while a communicator is freed, after the library has lost its own attribute: it is the newer one. */
static int with_a_sum(MPI_Comm among, int key, void* value, void* extra) {
  (void)key, (void)value, (void)extra;
  use(among, 3, 1);
  return MPI_SUCCESS;
}

/* The first ranks, so many, from one of them on in a circle; without rank 1 where that is said. */
static MPI_Comm group_of(int count, int turn, int without_1) {
  int ranks[16];
  MPI_Group world, some;
  MPI_Comm made;
  for (int i = 0; i < count; ++i) {
    int const at = (i + turn) % count;
    ranks[i] = at + (without_1 && at > 0);
  }
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, count, ranks, &some);
  MPI_Comm_create_group(MPI_COMM_WORLD, some, 7, &made);
  MPI_Group_free(&world), MPI_Group_free(&some);
  return made;
}

int main(int argc, char** argv) {
  int rank, size, key, calls = argc > 1 ? atoi(argv[1]) : 1000;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);

  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, with_a_sum, &key, NULL);
  for (int i = 0; i < 40; ++i) {
    MPI_Comm among;
    MPI_Comm_split(MPI_COMM_WORLD, i % 2 ? 0 : rank / 2, rank, &among);
    MPI_Comm_set_attr(among, key, NULL);
    use(among, 5, 1);
    MPI_Comm_free(&among);
  }
  MPI_Comm_free_keyval(&key);

  /* Rank 0 is in many groups without rank 1, and has forgotten all others when that of both comes back. */
  int const members = size < 4 ? size : 4;
  for (int count = 16; count < MOST; count *= 8) {
    MPI_Comm among;
    for (int time = 0; time < 2; ++time) {
      if (rank < members) {
        among = group_of(members, 0, 0);
        use(among, calls, time == 0 ? count : count + count / 4);
        if (time == 1) use(among, calls, count + count / 2);
        MPI_Comm_free(&among);
      }
      for (int others = 2; time == 0 && others < size; ++others)
        for (int turn = 0; turn < others; ++turn) {
          if (rank == 1 || rank > others) continue;
          among = group_of(others, turn, 1);
          use(among, 2, 1);
          MPI_Comm_free(&among);
        }
    }
  }
  int all[2] = {wrong, checked};
  PMPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%d of %d checks failed\n", all[0], all[1]);
  MPI_Finalize();
  return all[0] != 0;
}

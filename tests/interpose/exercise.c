/* Calls MPI's collectives in every way that it knows and compares with what it computes itself. Knows nothing of skel:
   it runs with MPI alone and with libskel_mpi.so in front of it.

   exercise [ROUNDS [SEED]] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layouts.h"

static long checks = 0, failures = 0;
static uint64_t call_number = 0;

static void expect(int fine, char const* what, char const* how, long count, int root, int size) {
  ++checks;
  if (fine) return;
  ++failures;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "rank %d: %s (%s), count %ld, root %d of %d ranks, call %llu: wrong\n", rank, what, how, count, root,
          size, (unsigned long long)call_number);
}

/* The same on every rank. */
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}
static uint64_t state = 1;
static long draw(long below) {
  state = mix(state);
  return (long)(state % (uint64_t)below);
}

/* What rank `from` gives rank `to` in this call. */
static void data_of(int from, int to, unsigned char* out, long bytes) {
  for (long i = 0; i < bytes; ++i)
    out[i] = (unsigned char)mix(mix(call_number * 1000003u + (uint64_t)(from * 131 + to)) + (uint64_t)i);
}
static unsigned char* made(int from, int to, long bytes) {
  unsigned char* const out = malloc((size_t)bytes + 1);
  data_of(from, to, out, bytes);
  return out;
}
static int holds(struct layout const* how, struct place const* where, long first, long elements, int from, int to) {
  long const bytes = elements * layout_bytes(how);
  unsigned char *const wanted = made(from, to, bytes), *const is = malloc((size_t)bytes + 1);
  get(how, where, first, elements, is);
  int const same = memcmp(wanted, is, (size_t)bytes) == 0;
  free(wanted), free(is);
  return same;
}
static void fill(struct layout const* how, struct place const* where, long first, long elements, int from, int to) {
  unsigned char* const data = made(from, to, elements * layout_bytes(how));
  put(how, where, first, elements, data);
  free(data);
}

static void try_broadcast(MPI_Comm comm, int rank, int size, struct layout const* mine, long count, int root) {
  struct place where = make_place(mine, count);
  if (rank == root) fill(mine, &where, 0, count, root, 0);
  MPI_Bcast(where.base, (int)count, mine->type, root, comm);
  expect(holds(mine, &where, 0, count, root, 0) && gaps_are_whole(mine, &where, count), "bcast", mine->name, count,
         root, size);
  free_place(&where);
}

static void try_scatter(MPI_Comm comm, int rank, int size, struct layout const* a, struct layout const* b, long count,
                        int root, int in_place) {
  struct place all = make_place(a, count * size), part = make_place(b, count);
  if (rank == root)
    for (int r = 0; r < size; ++r) fill(a, &all, r * count, count, root, r);
  void* const to = in_place && rank == root ? MPI_IN_PLACE : part.base;
  MPI_Scatter(rank == root ? all.base : NULL, (int)count, a->type, to, (int)count, b->type, root, comm);
  if (to != MPI_IN_PLACE)
    expect(holds(b, &part, 0, count, root, rank) && gaps_are_whole(b, &part, count), "scatter", b->name, count, root,
           size);
  if (rank == root)
    for (int r = 0; r < size; ++r)
      expect(holds(a, &all, r * count, count, root, r), "scatter's input", a->name, count, root, size);
  free_place(&all), free_place(&part);
}

static void try_gather(MPI_Comm comm, int rank, int size, struct layout const* a, struct layout const* b, long count,
                       int root, int in_place) {
  struct place part = make_place(a, count), all = make_place(b, count * size);
  fill(a, &part, 0, count, rank, 0);
  int const here = in_place && rank == root;
  if (here) fill(b, &all, rank * count, count, rank, 0);
  MPI_Gather(here ? MPI_IN_PLACE : part.base, (int)count, a->type, rank == root ? all.base : NULL, (int)count, b->type,
             root, comm);
  if (rank == root) {
    for (int r = 0; r < size; ++r) expect(holds(b, &all, r * count, count, r, 0), "gather", b->name, count, root, size);
    expect(gaps_are_whole(b, &all, count * size), "gather's gaps", b->name, count, root, size);
  }
  free_place(&part), free_place(&all);
}

static void try_allgather(MPI_Comm comm, int rank, int size, struct layout const* a, struct layout const* b, long count,
                          int in_place) {
  struct place part = make_place(a, count), all = make_place(b, count * size);
  fill(a, &part, 0, count, rank, 0);
  if (in_place) fill(b, &all, rank * count, count, rank, 0);
  MPI_Allgather(in_place ? MPI_IN_PLACE : part.base, (int)count, a->type, all.base, (int)count, b->type, comm);
  for (int r = 0; r < size; ++r) expect(holds(b, &all, r * count, count, r, 0), "allgather", b->name, count, -1, size);
  expect(gaps_are_whole(b, &all, count * size), "allgather's gaps", b->name, count, -1, size);
  free_place(&part), free_place(&all);
}

static void try_alltoall(MPI_Comm comm, int rank, int size, struct layout const* a, struct layout const* b, long count,
                         int in_place) {
  struct place from = make_place(a, count * size), to = make_place(b, count * size);
  for (int r = 0; r < size; ++r) {
    fill(a, &from, r * count, count, rank, r);
    if (in_place) fill(b, &to, r * count, count, rank, r);
  }
  MPI_Alltoall(in_place ? MPI_IN_PLACE : from.base, (int)count, a->type, to.base, (int)count, b->type, comm);
  for (int r = 0; r < size; ++r) expect(holds(b, &to, r * count, count, r, rank), "alltoall", b->name, count, -1, size);
  expect(gaps_are_whole(b, &to, count * size), "alltoall's gaps", b->name, count, -1, size);
  free_place(&from), free_place(&to);
}

/* Associative and not commutative: (a, b) is x -> a x + b of unsigned ints. first, then second. */
static void after(unsigned const* first, unsigned* second) {
  unsigned const a = second[0] * first[0], b = second[0] * first[1] + second[1];
  second[0] = a, second[1] = b;
}
static struct layout const* of_user = NULL; /* the layout that the operator is called for */
static void user_after(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    unsigned first[2], second[2];
    struct place const theirs = {NULL, in, 0}, mine = {NULL, inout, 0};
    get(of_user, &theirs, i, 1, (unsigned char*)first);
    get(of_user, &mine, i, 1, (unsigned char*)second);
    after(first, second);
    put(of_user, &mine, i, 1, (unsigned char*)second);
  }
}
static void user_plus(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) {
    unsigned a[2], b[2];
    struct place const theirs = {NULL, in, 0}, mine = {NULL, inout, 0};
    get(of_user, &theirs, i, 1, (unsigned char*)a);
    get(of_user, &mine, i, 1, (unsigned char*)b);
    b[0] += a[0], b[1] ^= a[1];
    put(of_user, &mine, i, 1, (unsigned char*)b);
  }
}

/* An operator of the program, or MPI_SUM of ints, which is computed in unsigned. root < 0: allreduce. */
static void try_user_reduce(MPI_Comm comm, int rank, int size, struct layout const* how, MPI_Op op, int ordered,
                            long count, int root, int in_place) {
  long const bytes = count * layout_bytes(how);
  unsigned* const wanted = (unsigned*)made(0, 0, bytes);
  for (int r = 1; r < size; ++r) {
    unsigned* const next = (unsigned*)made(r, 0, bytes);
    for (long i = 0; i < count; ++i) {
      if (ordered) {
        after(wanted + 2 * i, next + 2 * i);
        wanted[2 * i] = next[2 * i], wanted[2 * i + 1] = next[2 * i + 1];
      } else {
        wanted[2 * i] += next[2 * i], wanted[2 * i + 1] ^= next[2 * i + 1];
      }
    }
    free(next);
  }
  struct place from = make_place(how, count), to = make_place(how, count);
  int const gets = root < 0 || rank == root, here = in_place && gets;
  fill(how, here ? &to : &from, 0, count, rank, 0);
  of_user = how;
  if (root < 0)
    MPI_Allreduce(here ? MPI_IN_PLACE : from.base, to.base, (int)count, how->type, op, comm);
  else
    MPI_Reduce(here ? MPI_IN_PLACE : from.base, gets ? to.base : NULL, (int)count, how->type, op, root, comm);
  if (gets) {
    unsigned* const is = malloc((size_t)bytes + 1);
    get(how, &to, 0, count, (unsigned char*)is);
    expect(memcmp(is, wanted, (size_t)bytes) == 0 && gaps_are_whole(how, &to, count),
           ordered ? "ordered reduction" : "reduction", how->name, count, root, size);
    free(is);
  }
  if (!here) expect(holds(how, &from, 0, count, rank, 0), "reduction's input", how->name, count, root, size);
  free_place(&from), free_place(&to), free(wanted);
}

/* A predefined operator on a predefined type: small whole numbers, so that floating-point sums are exact. */
#define TRY_PREDEFINED(NAME, C, TYPE, OP, NEXT)                                                              \
  do {                                                                                                       \
    C *mine = malloc(sizeof(C) * (size_t)(count + 1)), *got = malloc(sizeof(C) * (size_t)(count + 1));       \
    for (long i = 0; i < count; ++i) mine[i] = (C)(mix(call_number * 77 + (uint64_t)(rank * 1009 + i)) % 7); \
    MPI_Allreduce(mine, got, (int)count, TYPE, OP, comm);                                                    \
    int fine = 1;                                                                                            \
    for (long i = 0; i < count; ++i) {                                                                       \
      C sum = (C)(mix(call_number * 77 + (uint64_t)i) % 7);                                                  \
      for (int r = 1; r < size; ++r) {                                                                       \
        C const next = (C)(mix(call_number * 77 + (uint64_t)(r * 1009 + i)) % 7);                            \
        sum = (C)(NEXT);                                                                                     \
      }                                                                                                      \
      fine = fine && sum == got[i];                                                                          \
    }                                                                                                        \
    expect(fine, "predefined operator", NAME, count, -1, size);                                              \
    free(mine), free(got);                                                                                   \
    ++call_number;                                                                                           \
  } while (0)

static void try_predefined(MPI_Comm comm, int rank, int size, long count) {
  TRY_PREDEFINED("sum of ints", int, MPI_INT, MPI_SUM, sum + next);
  TRY_PREDEFINED("sum of doubles", double, MPI_DOUBLE, MPI_SUM, sum + next);
  TRY_PREDEFINED("sum of long doubles", long double, MPI_LONG_DOUBLE, MPI_SUM, sum + next);
  TRY_PREDEFINED("product of shorts", short, MPI_SHORT, MPI_PROD, sum* next);
  TRY_PREDEFINED("maximum of floats", float, MPI_FLOAT, MPI_MAX, sum > next ? sum : next);
  TRY_PREDEFINED("minimum of bytes", unsigned char, MPI_UNSIGNED_CHAR, MPI_MIN, sum < next ? sum : next);
  TRY_PREDEFINED("and of words", uint64_t, MPI_UINT64_T, MPI_BAND, sum & next);
  TRY_PREDEFINED("or of bytes", unsigned char, MPI_BYTE, MPI_BOR, sum | next);
  TRY_PREDEFINED("exclusive or of longs", long, MPI_LONG, MPI_LXOR, !sum != !next);
}

struct double_int {
  double value;
  int index;
};
static void try_minloc(MPI_Comm comm, int rank, int size, long count, int root) {
  struct double_int *mine = malloc(sizeof *mine * (size_t)(count + 1)),
                    *got = malloc(sizeof *got * (size_t)(count + 1));
  for (long i = 0; i < count; ++i) {
    mine[i].value = (double)(mix(call_number * 31 + (uint64_t)(rank * 1009 + i)) % 5);
    mine[i].index = rank;
  }
  MPI_Reduce(mine, got, (int)count, MPI_DOUBLE_INT, MPI_MINLOC, root, comm);
  int fine = 1;
  for (long i = 0; rank == root && i < count; ++i) {
    struct double_int least = {10, -1};
    for (int r = 0; r < size; ++r) {
      double const value = (double)(mix(call_number * 31 + (uint64_t)(r * 1009 + i)) % 5);
      if (value < least.value) least.value = value, least.index = r;
    }
    fine = fine && least.value == got[i].value && least.index == got[i].index;
  }
  expect(fine, "minloc", "double and int", count, root, size);
  free(mine), free(got);
}

static void try_all(MPI_Comm comm, int rounds) {
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  struct layout ints[layouts_of_ints], mixed = make_mixed();
  make_layouts(ints);
  MPI_Op ordered, plus;
  MPI_Op_create(user_after, 0, &ordered);
  MPI_Op_create(user_plus, 1, &plus);
  for (int round = 0; round < rounds; ++round) {
    long const sizes[] = {0, 1, 2 + draw(20), draw(390)};
    /* Interleaved elements have room for 400 in all. */
    long const count = sizes[draw(4)], few = count * size <= 400 ? count : 400 / size;
    int const root = (int)draw(size), in_place = (int)draw(2);
    uint64_t const seed = mix(state + (uint64_t)rank); /* each rank has layouts of its own */
    struct layout const *const a = &ints[seed % layouts_of_ints], *const b = &ints[mix(seed) % layouts_of_ints];
    struct layout const* const same = &ints[draw(layouts_of_ints)];
    state = mix(state + 1);
    ++call_number, try_broadcast(comm, rank, size, a, count, root);
    ++call_number, try_broadcast(comm, rank, size, &mixed, count, root);
    ++call_number, try_scatter(comm, rank, size, a, b, few, root, in_place);
    ++call_number, try_gather(comm, rank, size, a, b, few, root, in_place);
    ++call_number, try_allgather(comm, rank, size, a, b, few, in_place);
    ++call_number, try_alltoall(comm, rank, size, in_place ? same : a, in_place ? same : b, few, in_place);
    ++call_number, try_user_reduce(comm, rank, size, same, ordered, 1, count, root, in_place);
    ++call_number, try_user_reduce(comm, rank, size, same, ordered, 1, count, -1, in_place);
    ++call_number, try_user_reduce(comm, rank, size, same, plus, 0, count, root, in_place);
    ++call_number, try_user_reduce(comm, rank, size, same, plus, 0, count, -1, in_place);
    ++call_number, try_predefined(comm, rank, size, count);
    ++call_number, try_minloc(comm, rank, size, count, root);
    MPI_Barrier(comm);
  }
  for (int i = 0; i < layouts_of_ints; ++i) free_layout(&ints[i]);
  free_layout(&mixed);
  MPI_Op_free(&ordered), MPI_Op_free(&plus);
}

/* A barrier keeps ranks until the last has come: each tells rank 0 that it is there before it enters. */
static void try_barrier(MPI_Comm comm) {
  int rank, size, there = 0;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &size);
  if (rank != 0) MPI_Send(&rank, 1, MPI_INT, 0, 5, comm);
  MPI_Barrier(comm);
  for (int r = 1; rank == 0 && r < size; ++r) {
    int flag = 0;
    MPI_Iprobe(r, 5, comm, &flag, MPI_STATUS_IGNORE);
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, r, 5, comm, MPI_STATUS_IGNORE);
    there += got == r;
  }
  expect(rank != 0 || there == size - 1, "barrier", "", 0, 0, size);
}

/* A receive from anybody stays open while a collective passes. */
static void try_open_receive(MPI_Comm comm) {
  int rank, size, got = -1, value;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &size);
  MPI_Request request;
  MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
  value = rank == 0 ? 42 : 0;
  MPI_Bcast(&value, 1, MPI_INT, 0, comm);
  int const next = (rank + 1) % size;
  MPI_Send(&rank, 1, MPI_INT, next, 3, comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect(value == 42 && got == (rank + size - 1) % size, "open receive", "", 1, 0, size);
}

static void try_between(void) {
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2) return;
  int const side = rank % 2;
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 9, &between);
  int value = side == 0 ? 7 : -1;
  MPI_Bcast(&value, 1, MPI_INT, side == 0 ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0, between);
  expect(value == 7, "bcast between groups", "int", 1, 0, size);
  int sum = -1, one = side + 1, theirs = (size + side) / 2;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, between);
  expect(sum == theirs * (2 - side), "allreduce between groups", "int", 1, 0, size);
  MPI_Barrier(between);
  MPI_Comm_free(&between), MPI_Comm_free(&half);
}

static int handled = 0;
static void handler(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++handled;
}
static int class_of(int code) {
  int class = code;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}
static void try_errors(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int size, value = 0, other = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  expect(class_of(MPI_Bcast(&value, -1, MPI_INT, 0, comm)) == MPI_ERR_COUNT, "error", "negative count", -1, 0, size);
  expect(class_of(MPI_Bcast(&value, 1, MPI_INT, size, comm)) == MPI_ERR_ROOT, "error", "root", 1, size, size);
  expect(class_of(MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, comm)) == MPI_ERR_TYPE, "error", "type", 1, 0, size);
  expect(class_of(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_OP_NULL, comm)) == MPI_ERR_OP, "error", "op", 1, 0,
         size);
  expect(class_of(MPI_Allreduce(&value, &other, 1, MPI_INT, MPI_MINLOC, comm)) == MPI_ERR_OP, "error", "op on type", 1,
         0, size);
  /* What MPI refuses of one process, it refuses of many. */
  MPI_Comm alone;
  MPI_Comm_dup(MPI_COMM_SELF, &alone);
  MPI_Errhandler of_world; /* Open MPI 4.1 reports this to the world's */
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_world);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
  for (int count = 1; count <= 2; ++count) {
    int here[2] = {1, 2}, rank;
    MPI_Comm_rank(comm, &rank);
    int const all = class_of(MPI_Allreduce(here, here, count, MPI_INT, MPI_SUM, alone));
    expect(class_of(MPI_Allreduce(here, here, count, MPI_INT, MPI_SUM, comm)) == all, "error",
           "allreduce to where it comes from", count, -1, size);
    expect(here[0] == (all == MPI_SUCCESS ? size : 1), "allreduce", "to where it comes from", count, -1, size);
    /* MPI looks at the root only; the others would wait. */
    int const one = class_of(MPI_Reduce(here, here, count, MPI_INT, MPI_SUM, 0, alone));
    if (one != MPI_SUCCESS && rank == 0)
      expect(class_of(MPI_Reduce(here, here, count, MPI_INT, MPI_SUM, 0, comm)) == one, "error",
             "reduce to where it comes from", count, 0, size);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, of_world);
  MPI_Errhandler_free(&of_world);
  MPI_Comm_free(&alone);
  MPI_Datatype raw;
  MPI_Type_vector(2, 1, 2, MPI_INT, &raw);
  expect(class_of(MPI_Bcast(&value, 1, raw, 0, comm)) == MPI_ERR_TYPE, "error", "type not committed", 1, 0, size);
  MPI_Type_free(&raw);
  MPI_Errhandler mine;
  MPI_Comm_create_errhandler(handler, &mine);
  MPI_Comm_set_errhandler(comm, mine);
  handled = 0;
  MPI_Bcast(&value, -1, MPI_INT, 0, comm);
  expect(handled == 1, "error handler", "called once", -1, 0, size);
  MPI_Errhandler_free(&mine);
  MPI_Comm_free(&comm);
}

static int copied = 0;
static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)key, (void)extra;
  *(void**)out = in, *flag = 1, ++copied;
  return MPI_SUCCESS;
}
/* Communicators that come and go, with attributes of their own. */
static void try_many_communicators(void) {
  int key, rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  for (int i = 0; i < 50; ++i) {
    MPI_Comm one, two;
    MPI_Comm_dup(MPI_COMM_WORLD, &one);
    MPI_Comm_set_attr(one, key, &key);
    copied = 0;
    int sum = 0, value = rank + i;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, one);
    expect(sum == size * (size - 1) / 2 + i * size && copied == 0, "allreduce", "on a duplicate", 1, -1, size);
    MPI_Comm_dup(one, &two);
    expect(copied == 1, "attribute", "copied once", 1, -1, size);
    MPI_Comm_free(&one);
    sum = 0;
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, two);
    expect(sum == size * (size - 1) / 2 + i * size, "allreduce", "on a duplicate's duplicate", 1, -1, size);
    MPI_Comm_free(&two);
  }
  MPI_Comm_free_keyval(&key);
}

int main(int argc, char** argv) {
  int const rounds = argc > 1 ? atoi(argv[1]) : 20;
  MPI_Init(&argc, &argv);
  state = argc > 2 ? (uint64_t)atoi(argv[2]) : 1;
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_Comm_size(MPI_COMM_WORLD, &size);
  try_all(MPI_COMM_WORLD, rounds);
  try_all(MPI_COMM_SELF, 1);
  uint64_t const before = state, number = call_number;
  MPI_Comm part, ring;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0, -rank, &part);
  try_all(part, rounds / 2 + 1);
  MPI_Comm_free(&part);
  state = before, call_number = number; /* the parts have drawn differently */
  int const periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  try_all(ring, rounds / 4 + 1);
  try_barrier(ring);
  try_open_receive(ring);
  try_between();
  try_errors();
  try_many_communicators();
  long total[2] = {checks, failures}, all[2];
  MPI_Reduce(total, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("%ld of %ld checks failed\n", all[1], all[0]);
  MPI_Finalize(); /* `ring` is left to MPI */
  return failures > 0;
}

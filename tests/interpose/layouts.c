#include "layouts.h"

#include <stdlib.h>
#include <string.h>

enum { mark = 0xA5, margin = 64 };

static struct layout two_ints(char const* name, MPI_Datatype type, long first, long second, long extent) {
  struct layout result = {name, type, 2, {first, second}, {sizeof(int), sizeof(int)}, extent};
  MPI_Type_commit(&result.type);
  return result;
}

void make_layouts(struct layout out[layouts_of_ints]) {
  MPI_Datatype type, inner;
  MPI_Type_contiguous(2, MPI_INT, &type);
  out[0] = two_ints("contiguous", type, 0, 4, 8);
  MPI_Type_dup(out[0].type, &type);
  out[1] = two_ints("duplicate", type, 0, 4, 8);
  MPI_Type_vector(2, 1, 3, MPI_INT, &type);
  out[2] = two_ints("vector", type, 0, 12, 16);
  {
    int lengths[] = {1, 1}, places[] = {1, 0};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &type);
    out[3] = two_ints("reversed", type, 4, 0, 8);
  }
  {
    int lengths[] = {1, 1};
    MPI_Aint places[] = {-12, 4};
    MPI_Type_create_hindexed(2, lengths, places, MPI_INT, &inner);
    MPI_Type_create_resized(inner, -16, 32, &type);
    MPI_Type_free(&inner);
    out[4] = two_ints("behind", type, -12, 4, 32);
  }
  MPI_Type_contiguous(2, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 0, 20, &type);
  MPI_Type_free(&inner);
  out[5] = two_ints("spread", type, 0, 4, 20);
  /* The second int of an element stands 400 ints behind the first: columns that lie between each other. */
  MPI_Type_vector(2, 1, 400, MPI_INT, &inner);
  MPI_Type_create_resized(inner, 0, 4, &type);
  MPI_Type_free(&inner);
  out[6] = two_ints("interleaved", type, 0, 1600, 4);
}

struct layout make_mixed(void) {
  struct layout result = {"mixed", MPI_DATATYPE_NULL, 2, {0, 8}, {1, 8}, 24};
  int lengths[] = {1, 1};
  MPI_Aint places[] = {0, 8};
  MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE}, inner;
  MPI_Type_create_struct(2, lengths, places, types, &inner);
  MPI_Type_create_resized(inner, 0, 24, &result.type);
  MPI_Type_free(&inner);
  MPI_Type_commit(&result.type);
  return result;
}

void free_layout(struct layout* what) {
  MPI_Type_free(&what->type);
}

int layout_bytes(struct layout const* what) {
  int sum = 0;
  for (int f = 0; f < what->fields; ++f) sum += what->bytes[f];
  return sum;
}

struct place make_place(struct layout const* what, long elements) {
  long low = 0, high = 0;
  for (int f = 0; f < what->fields; ++f)
    for (int end = 0; end < 2; ++end) {
      long const at = what->offset[f] + (end && elements > 0 ? (elements - 1) * what->extent : 0);
      if (at < low) low = at;
      if (at + what->bytes[f] > high) high = at + what->bytes[f];
    }
  low -= margin;
  low -= ((low % 16) + 16) % 16;
  struct place result;
  result.size = high - low + margin;
  result.memory = malloc((size_t)result.size);
  memset(result.memory, mark, (size_t)result.size);
  result.base = result.memory - low;
  return result;
}

void put(struct layout const* what, struct place const* where, long first, long elements, unsigned char const* data) {
  for (long e = first; e < first + elements; ++e)
    for (int f = 0; f < what->fields; ++f) {
      memcpy(where->base + e * what->extent + what->offset[f], data, (size_t)what->bytes[f]);
      data += what->bytes[f];
    }
}

void get(struct layout const* what, struct place const* where, long first, long elements, unsigned char* data) {
  for (long e = first; e < first + elements; ++e)
    for (int f = 0; f < what->fields; ++f) {
      memcpy(data, where->base + e * what->extent + what->offset[f], (size_t)what->bytes[f]);
      data += what->bytes[f];
    }
}

int gaps_are_whole(struct layout const* what, struct place const* where, long elements) {
  unsigned char* const data = calloc((size_t)where->size, 1);
  long const offset = where->base - where->memory;
  for (long e = 0; e < elements; ++e)
    for (int f = 0; f < what->fields; ++f)
      memset(data + offset + e * what->extent + what->offset[f], 1, (size_t)what->bytes[f]);
  int whole = 1;
  for (long i = 0; i < where->size; ++i)
    if (!data[i] && where->memory[i] != mark) whole = 0;
  free(data);
  return whole;
}

void free_place(struct place* where) {
  free(where->memory);
}

/* Datatypes whose place in memory the test knows, byte by byte. */
#ifndef SKEL_TESTS_INTERPOSE_LAYOUTS_H
#define SKEL_TESTS_INTERPOSE_LAYOUTS_H

#include <mpi.h>

enum { most_fields = 6, layouts_of_ints = 7 };

/* An element: fields in the order of the type map. */
struct layout {
  char const* name;
  MPI_Datatype type;
  int fields;
  long offset[most_fields];
  int bytes[most_fields];
  long extent;
};

/* Layouts of two ints: their type signatures match each other. */
void make_layouts(struct layout out[layouts_of_ints]);
/* A char and a double with a gap between them and behind them. */
struct layout make_mixed(void);
void free_layout(struct layout* what);

int layout_bytes(struct layout const* what);

/* Memory for elements, all of it set to a mark; element 0 is at `base`. */
struct place {
  unsigned char *memory, *base;
  long size;
};
struct place make_place(struct layout const* what, long elements);
/* Writes, or compares, the data of elements from `first` on with bytes in a row. */
void put(struct layout const* what, struct place const* where, long first, long elements, unsigned char const* data);
void get(struct layout const* what, struct place const* where, long first, long elements, unsigned char* data);
/* Whether the memory between the data of elements 0 .. elements-1 still has the mark. */
int gaps_are_whole(struct layout const* what, struct place const* where, long elements);
void free_place(struct place* where);

#endif

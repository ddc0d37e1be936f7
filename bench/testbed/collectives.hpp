#pragma once

#include <string>
#include <vector>

#include "support/both_ways.hpp"

namespace bench {

/// What is compared on which grids.
struct collectives_choice {
  std::vector<std::string> sites{"3+3", "4+4+4", "5+2+1"};  ///< hosts of each site of a grid
  std::vector<std::string> between{"0.001:125e6", "0.005:25e6",
                                   "0.02:12.5e6"};  ///< latency [s] and bandwidth [B/s] between sites
  std::vector<std::string> operations{};            ///< empty: all
  int least_bytes = 8, most_bytes = 2 << 20;
  int step = 16;         ///< how many times as large the next size is
  bool shared = false;   ///< all hosts of two sites share the link between them
  bool known = false;    ///< the library is given the platform, and measures none
  int calls = 0;         ///< of a program that makes so many of each size and operation; 0: it goes on for long
  double seconds = 0.5;  ///< for each figure, beside what its least number of calls takes
  double minutes = 60;   ///< for all grids together; figures that do not fit in are left out or given up, and counted
};

/// The bytes of messages, least first.
std::vector<int> sizes_of(collectives_choice const& choice);
/// The operations, on buffers that outlive them.
std::vector<collective_call> calls_of(collectives_choice const& choice, message_buffers& buffers);

/// Compares libskel_mpi.so with Open MPI's own collectives on emulated grids, in turn, and prints tables.
/// Throws std::runtime_error for a grid that cannot be meant or made.
void print_collectives(collectives_choice const& choice);

/// What runs on the hosts for that: rank 0 prints one line of JSON for each figure.
void print_collective_times(collectives_choice const& choice);

}  // namespace bench

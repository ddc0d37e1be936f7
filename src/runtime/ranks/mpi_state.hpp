#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <mpi.h>

#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime {

/// The objects that a communicator has of MPI. Without mpirun there is none: `active` is false and nothing is called.
struct communicator::state {
  bool active = false;
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Comm near = MPI_COMM_NULL;  // the ranks of this host
  MPI_Win bells = MPI_WIN_NULL;
  rendezvous* meeting = nullptr;  // if there is more than one rank
  std::uint64_t number = 0;
  int rank = 0;
  int size = 1;
  std::vector<std::string> hosts;
  std::vector<rank_process> processes;  // of each rank
  std::vector<doorbell::word*> words;  // per rank; nullptr: on another host
  doorbell::word own{0};
  std::unique_ptr<std::byte[]> bin;
};

}  // namespace skel::runtime

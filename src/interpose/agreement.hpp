#pragma once

#include <array>

#include <mpi.h>

#include "change_watch.hpp"

namespace skel::interpose {

/// The exchange by which ranks tell each other of a kind of calls, beside the program's calls. It begins with the value
/// and is over when it has been read. If it is not read any more, its end is waited for.
class agreement {
 public:
  /// Collective over `among`, like a collective of the program: at the same place of their order on all ranks. Does not
  /// wait.
  agreement(MPI_Comm among, told_of_change const& mine);
  ~agreement();
  agreement(agreement const&) = delete;
  agreement& operator=(agreement const&) = delete;

  /// The greatest of each figure. Waits until all have begun it.
  told_of_change read();

  /// Waits for all that are under way in this process: before MPI is finalised.
  static void finish_all();

 private:
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::array<double, 4> mine_{}, all_{};
};

}  // namespace skel::interpose

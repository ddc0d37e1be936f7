#pragma once

#include <cstddef>
#include <cstdlib>

#include <mpi.h>

#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime {

/// The MPI communicator over the ranks of a run; MPI_COMM_NULL in a process that mpirun has not started. It stays the
/// run's: do not free it, and keep messages of your own to a duplicate (own_communicator).
MPI_Comm native(communicator const& ranks);

/// True if an MPI launcher (mpirun, srun) started this process.
inline bool is_launched() {
  for (char const* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return true;
  return false;
}

/// MPI for a command that mostly needs none. It starts only if a launcher started the process, so that the command also
/// works where MPI cannot start. One per process.
class launched_session {
 public:
  launched_session() : active_(is_launched()) {
    if (!active_) return;
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  }
  ~launched_session() {
    if (active_) MPI_Finalize();
  }
  launched_session(launched_session const&) = delete;
  launched_session& operator=(launched_session const&) = delete;

  bool is_active() const { return active_; }
  int rank() const { return rank_; }  ///< 0 without a launcher

 private:
  bool active_;
  int rank_ = 0;
};

/// Longer messages go as several: MPI counts are int. Each piece costs a latency, some millionth of its transfer.
inline constexpr std::size_t longest_piece = std::size_t{1} << 26;

/// Calls use(piece) for a span of bytes, from its front to its end; once for an empty one.
template <class Span, class Use>
void for_each_piece(Span bytes, Use use, std::size_t longest = longest_piece) {
  while (bytes.size() > longest) {
    use(bytes.first(longest));
    bytes = bytes.subspan(longest);
  }
  use(bytes);
}

}  // namespace skel::runtime

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <vector>

#include <mpi.h>

#include <skel/mapping/collective_mapper.hpp>
#include <skel/runtime/collective.hpp>

namespace skel::interpose {

/// What is kept of a communicator of the program, as its attribute: made by the first collective on it that can be
/// served, freed with it. Its own mapper and its own communicator for messages: calls on different communicators share
/// nothing, and MPI allows one collective at a time on one communicator.
class known_communicator {
 public:
  /// Collective over `original`, at its first call. nullptr where nothing is served: on inter-communicators, with one
  /// rank, or with processes that were spawned. All ranks get one or none does.
  static known_communicator* of(MPI_Comm original);

  /// The attribute, once per process.
  static int make_key();

  ~known_communicator();
  known_communicator(known_communicator const&) = delete;
  known_communicator& operator=(known_communicator const&) = delete;

  std::size_t size() const { return size_; }
  std::size_t rank() const { return rank_; }
  MPI_Comm messages() const { return messages_; }
  /// A tag on messages() that no collective uses.
  static constexpr int free_tag = static_cast<int>(runtime::strand_tags);

  /// What this rank does for a request; nullptr where no way is known, on all ranks then.
  plan::rank_schedule const* steps(mapping::collective_request const& request);

 private:
  known_communicator(MPI_Comm original);

  plan::rank_schedule const* forced_steps(mapping::collective_request const& request);
  void tell(mapping::collective_request const& request, std::string const& how);

  MPI_Comm messages_ = MPI_COMM_NULL;
  std::size_t size_ = 0, rank_ = 0;
  std::optional<mapping::collective_mapper> mapper_{};
  plan::rank_schedule forced_{};
  std::set<std::tuple<plan::collective, std::uint64_t, std::size_t>> told_{};
};

}  // namespace skel::interpose

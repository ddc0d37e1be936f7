#pragma once

#include <cstddef>
#include <span>

#include <skel/grid/collective_calls.hpp>
#include <skel/grid/find_hosts.hpp>
#include <skel/mapping/collective_mapper.hpp>
#include <skel/runtime/quiet.hpp>

namespace skel {

/// Collectives among the ranks of a run: the mapper says how, the runtime does it. On a communicator of its own.
/// Construction and destruction are collective.
class collective_engine {
 public:
  collective_engine(MPI_Comm among, run_platform where);

  mapping::collective_decision const& decide(mapping::collective_request const& request);
  /// Some uses of a request are timed, fewer and fewer: they begin with a barrier, and the mapper is told their time.
  void perform(mapping::collective_request const& request, std::span<std::byte const> input,
               std::span<std::byte> output, combining const& combine);

  /// On which the messages of collectives go.
  MPI_Comm messages() const { return messages_.get(); }

 private:
  runtime::own_communicator messages_;
  std::size_t rank_ = 0;
  mapping::collective_mapper mapper_;
};

}  // namespace skel

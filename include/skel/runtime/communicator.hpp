#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include <skel/runtime/doorbell.hpp>

namespace skel::runtime {

/// The ranks of a run. One process without mpirun is one rank and never starts MPI.
class communicator {
 public:
  /// Joins the ranks that mpirun has started, initialising MPI unless that has been done. Collective.
  /// Throws skel::error when MPI cannot be used from the thread that calls.
  communicator();
  ~communicator();
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;

  int rank() const;
  int size() const;
  std::vector<std::string> const& hosts() const;  ///< host name per rank

  /// Wakes the communication thread of this rank.
  doorbell bell() const;
  /// Wakes that of another rank where it shares this rank's host; otherwise does nothing.
  void ring(int rank) const;
  /// Whether every rank can be rung.
  bool all_ring() const;

  /// Every rank's text on every rank, in rank order. Collective.
  std::vector<std::string> all_gather(std::string const& mine) const;
  /// The text of rank 0 on every rank. Collective. Ranks that wait sleep.
  std::string broadcast(std::string const& text) const;

  struct state;
  state& native() const { return *state_; }

 private:
  std::unique_ptr<state> state_;
};

}  // namespace skel::runtime

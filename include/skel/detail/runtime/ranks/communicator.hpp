#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <skel/detail/runtime/ranks/run_watch.hpp>

namespace skel::runtime {

/// Wakes one sleeping thread, from any thread of any process that shares the word's memory. Ringing a thread that is
/// awake costs a fence and a load.
class doorbell {
 public:
  using word = std::atomic<std::uint32_t>;

  explicit doorbell(word& shared) : word_(&shared) {}

  /// Wakes the sleeper, if there is one; the caller's earlier writes are visible to it.
  void ring() const;

  /// Announces that the caller is about to sleep. It must look for work once more after this and then call sleep() or
  /// awake(): all rings from now on are heard.
  void drowse() const;
  /// Sleeps until somebody rings, or `seconds` have passed, or a signal arrives.
  void sleep(double seconds) const;
  void awake() const;
  /// True if the sleeper has been neither rung nor woken up since. Any thread.
  bool is_silent() const;

 private:
  word* word_;
};

class rendezvous;

/// The ranks of a run. One process without mpirun is one rank and never starts MPI. Several may live at once or one
/// after the other, made in the same order on all ranks.
class communicator {
 public:
  /// Joins the ranks that mpirun has started. Initialises MPI unless that has been done; it is then finalised when the
  /// process exits, even if communicators are destroyed later or never. Collective.
  /// Throws skel::error when MPI cannot be used from the thread that calls, or has been finalised.
  communicator();
  ~communicator();
  communicator(communicator const&) = delete;
  communicator& operator=(communicator const&) = delete;

  int rank() const;
  int size() const;
  std::vector<std::string> const& hosts() const;       ///< host name per rank
  std::vector<rank_process> const& processes() const;  ///< of each rank

  /// Wakes the communication thread of this rank.
  doorbell bell() const;
  /// Wakes that of another rank if it shares this rank's host; otherwise does nothing.
  void ring(int rank) const;
  /// True if every rank can be rung.
  bool all_ring() const;

  /// Room for pieces of messages that nobody takes, of so many bytes at most [B]. It is there from the beginning, as
  /// there may be no memory for it later; nullptr if there is one rank.
  static constexpr std::size_t longest_piece = std::size_t{1} << 22U;
  std::byte* bin() const;

  /// Every rank's text on every rank, in rank order. Collective.
  std::vector<std::string> all_gather(std::string const& mine) const;
  /// The text of rank 0 on every rank. Collective. Ranks that wait sleep.
  std::string broadcast(std::string const& text) const;

  /// The object by which its ranks ensure that they make the same calls; nullptr: there is one rank. The same for all
  /// communicators of a process.
  rendezvous* meeting() const;
  /// Which communicator of its process it is, from 1; 0 if there is no MPI.
  std::uint64_t number() const;

  struct state;
  state& native() const { return *state_; }

 private:
  std::unique_ptr<state> state_;
};

}  // namespace skel::runtime

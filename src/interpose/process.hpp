#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <mpi.h>

#include <skel/plan/collective.hpp>
#include <skel/plan/placement.hpp>
#include <skel/platform/description.hpp>

#include "settings.hpp"

namespace skel::interpose {

inline constexpr std::size_t operations = 8;  ///< of plan::collective

/// What this process knows of its run from the moment that MPI was initialised, the same on every rank. There is one,
/// which is never destroyed: MPI may be finalised after the destructors of static objects have run.
class process {
 public:
  static process& self();

  /// Reads the settings on rank 0, finds the platform and the hosts of the ranks, and tells all. Called when MPI has
  /// been initialised, by all ranks. What cannot be accepted is said once; then nothing is served, or the run ends
  /// where that was asked.
  void begin();
  /// Ends serving. Called when MPI_Finalize begins.
  void end();

  /// Whether collectives are served at all. False before begin() and from MPI_Finalize on.
  bool serving() const { return serving_.load(std::memory_order_acquire); }

  bool verbose() const { return verbose_; }
  /// Whether this is rank 0 of MPI_COMM_WORLD.
  bool first() const { return rank_ == 0; }
  platform::description const& machine() const { return machine_; }
  std::map<plan::collective, forced_algorithm> const& forced() const { return forced_; }
  /// Where the ranks of a communicator's group are. Empty when there are processes of another MPI_COMM_WORLD.
  std::vector<plan::host_id> hosts_of(MPI_Group group) const;
  /// The attribute of communicators under which what is known of them is kept.
  int key() const { return key_; }
  /// A communicator of this process alone that returns errors: for calls that send nothing.
  MPI_Comm alone() const { return alone_; }

  void count(plan::collective operation, bool is_served);

 private:
  void start(std::string const& opening, std::vector<std::string> const& names);
  std::string summary() const;

  std::atomic<bool> serving_{false};
  bool verbose_ = false;
  int rank_ = 0, key_ = MPI_KEYVAL_INVALID;
  MPI_Comm alone_ = MPI_COMM_NULL;
  platform::description machine_{};
  std::vector<plan::host_id> host_of_rank_{};
  std::map<plan::collective, forced_algorithm> forced_{};
  std::array<std::atomic<std::uint64_t>, operations> called_{}, served_{};
};

/// True while this thread serves a call or prepares to: collectives that it calls then are the library's own.
class inside {
 public:
  inside() : before_(flag()) { flag() = true; }
  ~inside() { flag() = before_; }
  inside(inside const&) = delete;
  inside& operator=(inside const&) = delete;

  static bool& flag() {
    thread_local bool value = false;
    return value;
  }

 private:
  bool before_;
};

}  // namespace skel::interpose

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include <skel/detail/plan/collective.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/platform/description.hpp>
#include <skel/detail/platform/kept_entries.hpp>
#include <skel/detail/record/decision_file.hpp>

#include "group_knowledge.hpp"
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

  /// Whether collectives are served at all. False before begin() and from MPI_Finalize on. One look at memory: it is
  /// all that a call costs where nothing is served.
  static bool serving() { return serving_.load(std::memory_order_acquire); }

  /// 0: silent; 1: decisions and totals; 2: trials too.
  int verbose() const { return verbose_; }
  /// Whether skel's way is taken wherever there is one.
  bool always() const { return always_; }
  /// Whether mapping::tuned_price holds of MPI's own collectives.
  bool mpi_is_tuned() const { return mpi_is_tuned_; }
  /// The same on all ranks.
  prices_of_looking const& looking() const { return looking_; }
  /// Whether this is rank 0 of MPI_COMM_WORLD.
  bool first() const { return rank_ == 0; }
  platform::description const& machine() const { return machine_; }
  std::map<plan::collective, forced_algorithm> const& forced() const { return forced_; }
  /// The ranks of a group in MPI_COMM_WORLD; MPI_UNDEFINED for processes of another.
  static std::vector<int> ranks_of(MPI_Group group);
  /// Whether ranks of MPI_COMM_WORLD are all on the same host: as MPI calls them, or as the user has said.
  bool on_one_host(std::vector<int> const& ranks) const;
  /// What is known of a group of ranks of MPI_COMM_WORLD. With MPI_THREAD_MULTIPLE, threads use communicators of a
  /// group at the same time, and each has knowledge of its own.
  std::shared_ptr<group_knowledge> knowledge_of(std::vector<int> const& ranks);
  /// Whether what is learnt of a group is certainly the same on all its ranks, as none may have forgotten it.
  bool is_alike(group_knowledge const& group) const { return threads_ || of_all_.get() == &group; }
  /// The attribute of communicators under which what is known of them is kept.
  int key() const { return key_; }
  /// Whether MPI refuses reductions from where their results go to: it checks arguments unless it is told not to.
  bool mpi_refuses_aliases() const { return refuses_aliases_; }
  /// A communicator of this process alone that returns errors: for calls that send nothing.
  MPI_Comm alone() const { return alone_; }

  void count(plan::collective operation, bool is_served);

 private:
  void start(std::string const& opening, std::vector<std::string> const& names);
  std::string summary() const;
  /// Measures how far ways between clusters are apart, where the platform does not say. Collective.
  void see_ways_apart();
  /// What earlier processes have kept, the same on all ranks, and who is told of decisions. Collective.
  void remember(std::string const& decisions, std::vector<std::string> const& names);
  void keep_what_was_learnt();

  inline static constinit std::atomic<bool> serving_{false};
  bool always_ = false, threads_ = false, refuses_aliases_ = true, mpi_is_tuned_ = false;
  int verbose_ = 0;
  prices_of_looking looking_{};
  int rank_ = 0, key_ = MPI_KEYVAL_INVALID;
  MPI_Comm alone_ = MPI_COMM_NULL;
  platform::description machine_{};
  std::vector<plan::host_id> host_of_rank_{};
  std::vector<std::uint64_t> place_of_rank_{};  // the machine of each; on one where two are equal
  known_groups groups_{};
  mapping::decision_setup before_{};              // what all ranks know from processes before, and who is told
  std::unique_ptr<record::decision_file> log_{};  // on rank 0
  std::optional<platform::kept_entries> kept_{};  // on rank 0
  std::shared_ptr<group_knowledge> of_all_{};     // what is learnt of all ranks together
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

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
#include <skel/detail/record/decision_log.hpp>

#include "group_knowledge.hpp"
#include "settings.hpp"

namespace skel::interpose {

inline constexpr std::size_t operations = 8;  ///< of plan::collective

/// The knowledge of this process of its run since MPI was initialised, the same on every rank. There is one, which is
/// never destroyed: MPI may be finalised after the destructors of static objects have run.
class process {
 public:
  static process& self();

  /// Reads the settings on rank 0, finds the platform and the hosts of the ranks, and tells all. Called when MPI has
  /// been initialised, by all ranks. Says once if a setting cannot be accepted. Then nothing is served, or the run ends
  /// if the user has asked for that.
  void begin();
  /// Ends serving. Called when MPI_Finalize begins.
  void end();

  /// True if collectives are served at all: neither before begin() nor from MPI_Finalize on. One look at memory, the
  /// whole overhead of a call while nothing is served.
  static bool serving() { return serving_.load(std::memory_order_acquire); }

  /// 0: silent; 1: decisions and totals; 2: trials too.
  int verbose() const { return verbose_; }
  /// True if skel's way is taken wherever there is one.
  bool always() const { return always_; }
  /// True if mapping::tuned_price holds for MPI's own collectives.
  bool mpi_is_tuned() const { return mpi_is_tuned_; }
  /// The same on all ranks.
  prices_of_looking const& looking() const { return looking_; }
  /// True on rank 0 of MPI_COMM_WORLD.
  bool first() const { return rank_ == 0; }
  platform::description const& machine() const { return machine_; }
  std::map<plan::collective, forced_algorithm> const& forced() const { return forced_; }
  /// The ranks of a group in MPI_COMM_WORLD; MPI_UNDEFINED for processes of another.
  static std::vector<int> ranks_of(MPI_Group group);
  /// True if these ranks of MPI_COMM_WORLD are all on one host, by MPI's names of hosts or those of the user.
  bool on_one_host(std::vector<int> const& ranks) const;
  /// The knowledge of a group of ranks of MPI_COMM_WORLD. With MPI_THREAD_MULTIPLE, threads use communicators of a
  /// group at the same time, and each communicator has its own.
  std::shared_ptr<group_knowledge> knowledge_of(std::vector<int> const& ranks);
  /// True if all ranks of a group certainly know the same of it, as none may have forgotten it.
  bool is_alike(group_knowledge const& group) const { return threads_ || of_all_.get() == &group; }
  /// The attribute under which communicators keep their knowledge.
  int key() const { return key_; }
  /// True if MPI refuses reductions whose operands are where the results go: it checks arguments by default.
  bool mpi_refuses_aliases() const { return refuses_aliases_; }
  /// A communicator of this process alone that returns errors: for calls that send nothing.
  MPI_Comm alone() const { return alone_; }

  void count(plan::collective operation, bool is_served);

 private:
  void start(std::string const& opening, std::vector<std::string> const& names);
  std::string summary() const;
  /// Measures how far ways between clusters are apart, where the platform does not say. Collective.
  void see_ways_apart();
  /// Reads the knowledge of earlier processes, the same on all ranks, and sets the listeners for decisions. Collective.
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
  mapping::decision_setup before_{};              // knowledge of all ranks from processes before, and listeners
  std::unique_ptr<record::decision_file> log_{};  // on rank 0
  std::optional<platform::kept_entries> kept_{};  // on rank 0
  std::shared_ptr<group_knowledge> of_all_{};     // knowledge of all ranks together
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

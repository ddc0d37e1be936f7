#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <mpi.h>

#include <skel/detail/mapping/collective_mapper.hpp>
#include <skel/detail/runtime/collective/collective.hpp>

#include "change_watch.hpp"
#include "group_knowledge.hpp"
#include "way.hpp"

namespace skel::interpose {

/// The knowledge of a kind of calls on a communicator.
struct known_kind {
  way go{};
  std::optional<forecast> asked{};  ///< of the models, once the time of calls has paid for it
  change_watch watch{};
  std::unique_ptr<agreement> told{};         ///< while ranks tell each other of changes
  way::verdict before = way::verdict::open;  ///< while it is tried again: the former one
  std::optional<way::use> tried{};           ///< the last use, while ranks have not agreed on its time
  double took = 0, met = 0;                  ///< that use, and the meeting before it, on this rank [s]
};

/// While such a value lives, this thread is freeing the communicator, and it is not served any more. The program's
/// functions that delete its attributes may call collectives on it after skel's own is gone.
class being_freed {
 public:
  explicit being_freed(MPI_Comm what) : what_(what), before_(last()) { last() = this; }
  ~being_freed() { last() = before_; }
  being_freed(being_freed const&) = delete;
  being_freed& operator=(being_freed const&) = delete;

  static bool is(MPI_Comm what) {
    for (being_freed const* one = last(); one != nullptr; one = one->before_)
      if (one->what_ == what) return true;
    return false;
  }

 private:
  static being_freed const*& last() {
    thread_local being_freed const* value = nullptr;
    return value;
  }
  MPI_Comm what_;
  being_freed const* before_;
};

/// A use of a collective that has begun.
struct begun_use {
  plan::rank_schedule const* steps = nullptr;         ///< steps of this rank; nullptr: the call is MPI's
  known_kind* known = nullptr;                        ///< that is told how long it takes; nullptr: none
  mapping::collective_request const* kind = nullptr;  ///< of it
  way::use how{};
  double start = 0;
};

/// The attribute of a communicator of the program. The first collective on it that can be served makes it, and it is
/// freed with the communicator. Making it only looks at the group. Its own communicator for messages is made when
/// skel's way is first taken. Calls on different communicators share nothing but the knowledge of their group, and MPI
/// allows one collective at a time on one communicator.
///
/// Kinds of calls (an operation, a class of sizes, a root) go MPI's way until looking for another pays. Time at stake
/// decides, not the number of calls. The models are asked once share_of_looking of the least time of calls pays for it.
/// They know the machine alone, so that all ranks hear the same without a message. The kind goes skel's way if that is
/// predicted to take less than MPI's, beyond doubt. MPI's time is the predicted one, or the one that ranks have told
/// each other beside the calls. By then skel's way would also have won as much time as making the communicator for
/// messages takes.
///
/// Uses are watched (`change_watch`). If skel's way takes longer than was expected of MPI's, or if times have changed,
/// it is tried (`way`). Before each use of a trial the ranks meet: they agree on the time of the use before, and go on
/// together.
class known_communicator {
 public:
  /// nullptr where nothing is served: on inter-communicators, with one rank, inside one host (unless skel's way was
  /// asked for), or with processes that were spawned. Local; O(ranks), the same communicator again some nanoseconds.
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

  /// Begins a use of a collective, and says which way it goes: the same on all ranks. Collective.
  begun_use begin(mapping::collective_request const& request);
  /// It is done.
  void end(begun_use const& use);

  /// Collective over `among`, whose communicator for messages is there from then on; the slowest rank's times.
  static prices_of_looking look_at_prices(MPI_Comm among);

 private:
  explicit known_communicator(MPI_Comm original);

  bool is_served() const { return group_ != nullptr; }
  void make_messages();
  plan::rank_schedule const* forced_steps(mapping::collective_request const& request);
  plan::rank_schedule const* chosen_steps(mapping::collective_request const& request);
  /// The kind as it is kept, with its knowledge; nullptr: it is left to MPI without a look.
  std::pair<mapping::collective_request const, known_kind>* find_known(mapping::collective_request const& kind);
  /// Before a use of a kind that waits. Asks the models once that is paid for. Takes skel's way if they are sure, or if
  /// trials of others speak for it. Collective.
  void foresee(mapping::collective_request const& kind, known_kind& known);
  /// Before a use of a kind that is not tried: tells other ranks, and hears them. Collective.
  void watch(mapping::collective_request const& kind, known_kind& known);
  /// MPI's way takes so long [s]. The models of both ways decide if skel's is taken, tried or left.
  void decide(mapping::collective_request const& kind, known_kind& known, double seconds);
  void try_again(mapping::collective_request const& kind, known_kind& known, double seconds);
  /// Agrees on the time of the last use of a kind, which was one of a trial. Collective.
  void agree(mapping::collective_request const& kind, known_kind& known);
  /// A trial has ended with a verdict; `before`: the one when its last pair began; `met`: time of meeting [s].
  void conclude(mapping::collective_request const& kind, known_kind& known, way::verdict before, double met);
  /// The greatest figures of all ranks, when all have given theirs: by skel's own way, which between sites takes a
  /// fraction of MPI's. Collective.
  std::array<double, 2> meet(std::array<double, 2> mine);
  /// skel's way is predicted to take less than `plain` [s], beyond doubt, and would have won `won` by now [s]. It is
  /// taken if that pays for the communicator for messages. Collective.
  void believe(mapping::collective_request const& kind, known_kind& known, double plain, double won);
  /// As believe(), if models alone do not say so: it is tried.
  void try_first(mapping::collective_request const& kind, known_kind& known, double won);
  /// The number of uses of this length [s] until ranks have heard each other.
  static std::uint64_t uses_until_heard(double seconds);
  /// From now on all ranks know the same of the group. Collective.
  void agree_on_group();
  /// Takes over the verdict of the group.
  void adopt(mapping::collective_request const& kind, known_kind& known, way::verdict found);
  std::string described(mapping::collective_request const& request) const;
  void tell(mapping::collective_request const& request, std::string const& how);

  struct kind_hash {
    std::size_t operator()(mapping::collective_request const& r) const {
      std::size_t seed = static_cast<std::size_t>(r.operation) * 2 + r.commutative;
      for (std::uint64_t part : {r.bytes, std::uint64_t{r.root}, r.unit}) seed = (seed ^ part) * 0x9e3779b97f4a7c15u;
      return seed;
    }
  };

  MPI_Comm original_ = MPI_COMM_NULL, messages_ = MPI_COMM_NULL;
  std::size_t size_ = 0, rank_ = 0;
  bool one_host_ = false, is_alike_ = false;  // ranks know the same of the group
  std::shared_ptr<group_knowledge> group_{};
  plan::rank_schedule forced_{};
  std::set<std::tuple<plan::collective, std::uint64_t, std::size_t>> told_{};
  double credit_ = 0;  // [s] that calls have paid for asking the models, and that was not taken yet
  double won_ = 0;     // [s] that skel's way would have won by now, for certain, in kinds that wait
  std::unordered_map<mapping::collective_request, known_kind, kind_hash> kinds_{};
};

}  // namespace skel::interpose

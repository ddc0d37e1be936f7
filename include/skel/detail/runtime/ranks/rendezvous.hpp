#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <mpi.h>

#include <skel/detail/plan/collective.hpp>

namespace skel::runtime {

/// A collective that ranks are in together.
struct collective_call {
  plan::collective operation = plan::collective::barrier;
  std::uint64_t bytes = 0, root = 0, unit = 1;
  bool commutative = true;
  std::uint64_t types = 0;  ///< hash of the names of the types of its operator and elements
};

/// The same on every host.
std::uint64_t hash_of(collective_call const& call);

/// Any other call that ranks make together.
struct named_call {
  std::string words{};            ///< "run() of 'read' | 'write'"
  std::uint64_t fingerprint = 0;  ///< of what must be the same on all ranks and is not in the words
  bool leaves = false;            ///< a grid, or the program: the caller cannot throw what it is told
};

using shared_call = std::variant<collective_call, named_call>;

/// Ensures that the ranks of a program make the same calls in the same order. It tells every rank if they do not, so
/// that nobody waits for a call that never comes.
///
/// Each rank counts its calls and keeps a hash over all of them. Where ranks meet (before a run, before a collective
/// that is new, when they leave) they compare it, in one all-reduce. A rank that has waited for messages of a
/// collective for a while takes part too (look()). Then, or if hashes differ, all ranks compare their latest calls one
/// by one. Ranks at different calls wait on: those behind come. A mistake is a call in the sequence that is not the
/// same on all ranks; every rank is told the words of that call. A rank that makes no call, because it computes, is
/// waited for without a limit.
///
/// On a communicator of its own, with operations that do not block. Used by one thread at a time.
class rendezvous {
 public:
  static constexpr double usual_patience = 10;
  double patience = usual_patience;  ///< time that a leaving rank waits for others if it knows that they may not [s]

  /// Collective over `original`.
  explicit rendezvous(MPI_Comm original);
  ~rendezvous();
  rendezvous(rendezvous const&) = delete;
  rendezvous& operator=(rendezvous const&) = delete;

  /// This rank begins a call, of a communicator with this number. Returns the hash of all calls so far, which is not 0.
  /// Throws skel::error when a mistake has been found before. O(1), local.
  std::uint64_t begin(std::uint64_t number, shared_call call);

  /// This rank gives up the call that it has begun: the others cannot end it, and are told why ("it threw: ...").
  /// Local: they are told when they wait in it, or begin another.
  void fail(std::string const& why);

  /// True once every rank has begun the same call as this one. Each question takes a step towards finding out; once
  /// asked for a call, it is to be asked until it is true. Throws skel::error on a mistake.
  bool all_have_come();
  /// Returns when they have; asleep after a while. Collective.
  void meet();

  /// For a rank that waits for messages of its call: answers the others. May be called at any rate. Throws skel::error
  /// on a mistake.
  void look();

  /// The mistake that this rank has been told, if any.
  std::optional<std::string> const& mistake() const { return mistake_; }
  /// True if the mistake was found while all ranks were leaving something, so that nobody can throw it.
  bool found_as_all_left() const { return mistake_ && all_left_; }
  /// Begins to wait for all ranks after a mistake; complete when they have all begun it.
  MPI_Request last_barrier() const;

 private:
  using clock = std::chrono::steady_clock;
  static constexpr std::size_t kept = 64;       // calls that words are known of
  static constexpr std::size_t compared = 32;   // of them, from the one backwards that all ranks have begun
  static constexpr std::size_t longest = 1000;  // words [B]
  enum class phase { none, arrival, counts, hashes, words };
  struct entry {
    std::uint64_t hash = 0;
    std::uint64_t number = 0;
    shared_call call{};
    std::string given_up{};  // why; empty: it was not

    std::string words() const;
  };
  struct report {
    std::array<char, longest> of_call{}, given_up{};
    bool leaves = false;  // by its latest call
  };

  void open(std::uint64_t hash);
  bool advance();
  void check() const;
  entry const* find(std::uint64_t number) const;
  void ask_for_counts();
  void ask_for_hashes();
  void ask_for_words();
  void conclude();

  MPI_Comm among_ = MPI_COMM_NULL;
  std::size_t ranks_ = 1;

  std::uint64_t count_ = 0, hash_ = 1;  // of the calls of this rank
  std::array<entry, kept> calls_{};
  clock::time_point begun_{};
  clock::duration pause_{};

  phase open_ = phase::none;
  bool agreed_ = false;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::array<std::uint64_t, 2> mine_{}, least_{};
  std::uint64_t my_count_ = 0, first_ = 0, differs_ = 0;
  std::vector<std::uint64_t> counts_, my_hashes_, hashes_;
  report my_words_;
  std::vector<report> words_;
  std::optional<std::string> mistake_;
  bool all_left_ = false;
};

/// The text of a call, for messages.
std::string words_of(shared_call const& call);

}  // namespace skel::runtime

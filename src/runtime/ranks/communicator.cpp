#include <skel/detail/runtime/ranks/communicator.hpp>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <new>
#include <tuple>
#include <utility>
#include <vector>

#include <linux/futex.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cereal/types/tuple.hpp>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/shown.hpp>
#include <skel/detail/runtime/archive.hpp>
#include <skel/detail/runtime/ranks/leaving.hpp>
#include <skel/detail/runtime/ranks/native.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>
#include <skel/detail/runtime/ranks/rendezvous.hpp>
#include <skel/detail/runtime/ranks/sole_use.hpp>

#include "answers.hpp"
#include "mpi_state.hpp"

namespace skel::runtime {

namespace {

constexpr std::uint32_t is_awake = 0, is_drowsy = 1;

static_assert(sizeof(doorbell::word) == 4 && doorbell::word::is_always_lock_free, "a futex is a 32-bit word");

}  // namespace

void doorbell::ring() const {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (word_->load(std::memory_order_relaxed) != is_drowsy) return;
  if (word_->exchange(is_awake, std::memory_order_seq_cst) != is_drowsy) return;
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word_), FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void doorbell::drowse() const {
  word_->store(is_drowsy, std::memory_order_seq_cst);
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

void doorbell::sleep(double seconds) const {
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
  ::syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(word_), FUTEX_WAIT, is_drowsy, &limit, nullptr, 0);
  awake();
}

void doorbell::awake() const {
  word_->store(is_awake, std::memory_order_seq_cst);
}

bool doorbell::is_silent() const {
  return word_->load(std::memory_order_relaxed) == is_drowsy;
}

namespace {

/// A line of memory per rank, so that ringing one does not slow its neighbour.
struct alignas(64) padded_word {
  doorbell::word word{0};
};

std::string host_name() {
  char name[256] = "localhost";
  ::gethostname(name, sizeof name - 1);
  return printable(name);
}

void make_bells(communicator::state& s) {
  s.words.assign(static_cast<std::size_t>(s.size), nullptr);
  MPI_Comm_split_type(s.all, MPI_COMM_TYPE_SHARED, s.rank, MPI_INFO_NULL, &s.near);
  int near_size = 0;
  MPI_Comm_size(s.near, &near_size);
  std::vector<int> near_ranks(static_cast<std::size_t>(near_size));
  MPI_Allgather(&s.rank, 1, MPI_INT, near_ranks.data(), 1, MPI_INT, s.near);
  void* base = nullptr;
  MPI_Win_allocate_shared(2 * sizeof(padded_word), 1, MPI_INFO_NULL, s.near, &base, &s.bells);
  auto aligned = [](void* memory) {
    std::size_t space = 2 * sizeof(padded_word);
    return std::align(alignof(padded_word), sizeof(padded_word), memory, space);
  };
  auto* mine = ::new (aligned(base)) padded_word{};
  s.words[static_cast<std::size_t>(s.rank)] = &mine->word;
  MPI_Barrier(s.near);
  for (int n = 0; n < near_size; ++n) {
    MPI_Aint bytes = 0;
    int unit = 0;
    void* theirs = nullptr;
    MPI_Win_shared_query(s.bells, n, &bytes, &unit, &theirs);
    auto const r = static_cast<std::size_t>(near_ranks[static_cast<std::size_t>(n)]);
    // Pages are mapped at page boundaries in every process, so alignment agrees.
    s.words[r] = &std::launder(reinterpret_cast<padded_word*>(aligned(theirs)))->word;
  }
}

/// Gives back what a communicator has of MPI. Collective, except if its ranks have made a mistake: they may leave
/// several communicators in any order then, so this is left to MPI.
void free_of_mpi(communicator::state& s) {
  bool const is_together = !has_ended() && (s.meeting == nullptr || !s.meeting->mistake());
  s.active = false;
  s.meeting = nullptr;
  s.words.assign(s.words.size(), &s.own);
  if (!is_together) return;
  MPI_Win_free(&s.bells);
  MPI_Comm_free(&s.near);
  MPI_Comm_free(&s.all);
}

/// The names of the hosts, and the addresses at which they are asked whether they answer.
void find_hosts(communicator const& ranks, communicator::state& s) {
  std::vector<std::vector<std::string>> addresses;
  for (auto const& told : ranks.all_gather(to_bytes(std::tuple(host_name(), int{::getpid()}, own_addresses())))) {
    auto [host, process, reached_at] = from_bytes<std::tuple<std::string, int, std::vector<std::string>>>(told);
    s.processes.push_back({host, process});
    s.hosts.push_back(std::move(host));
    addresses.push_back(std::move(reached_at));
  }
  watch_answers(s.hosts, std::move(addresses), s.rank, s.meeting == nullptr ? nullptr : &s.meeting->patience);
}

/// The common part of all communicators of a process. It ends when the process exits, and MPI is finalised then.
/// Communicators that are destroyed before have left. The others leave then: those destroyed later (static objects,
/// made before MPI was started), and those never destroyed (std::exit was called while they lived).
class session {
 public:
  /// With the first of them. Starts MPI unless that has been done.
  static session& get() {
    static session& instance = *new session;
    return instance;
  }

  int provided() const { return provided_; }
  /// Returns its number.
  std::uint64_t join(communicator::state& one) {
    members_.push_back(&one);
    return ++joined_;
  }
  void leave(communicator::state& one) { std::erase(members_, &one); }
  /// A communicator that has joined cannot be made: the others wait for it.
  void give_up(communicator::state& one) {
    leave(one);
    gave_up_ = true;
  }
  /// The meeting of the ranks, also of those that have no communicator any more. Collective.
  rendezvous* meeting() {
    if (meeting_ == nullptr)
      meeting_ = new rendezvous(MPI_COMM_WORLD);
    else
      meeting_->begin(joined_ + 1, named_call{"making another grid"}), meeting_->meet();
    return meeting_;
  }

 private:
  session() {
    int initialized = 0;
    MPI_Initialized(&initialized);
    if (initialized != 0) {
      MPI_Query_thread(&provided_);
      return;
    }
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided_);
    // After MPI has registered its own: handlers are called in the opposite order.
    ::on_exit([](int status, void*) { get().end(status != EXIT_SUCCESS); }, nullptr);
    std::at_quick_exit([] {  // within a call the others do not come here: mpirun ends them
      if (sole_use::under_way_here() == nullptr) get().end(false);
    });
  }

  /// The process exits. MPI cannot be started twice, so it lasts until then: grids may follow each other. A rank that
  /// has failed on a grid, or while it made one, waits for others only up to a limit, as when it leaves by an
  /// exception.
  void end(bool failed) {
    if (is_fork()) return;  // MPI is the parent's
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0) return;
    failed = failed && (!members_.empty() || gave_up_ || joined_ == 0);
    for (; !members_.empty(); members_.pop_back()) {
      if (meeting_ != nullptr) leave_together(*meeting_, members_.back()->number, leaving_words, failed);
      free_of_mpi(*members_.back());
    }
    if (meeting_ != nullptr) leave_together(*meeting_, 0, "the end of the program", failed);
    if (meeting_ == nullptr && failed) leave_without_grid();
    if (has_ended()) {
      std::fflush(nullptr);  // what main has said of the exception
      MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    watch_answers({}, {}, 0, nullptr);
    delete meeting_;
    MPI_Finalize();
  }

  int provided_ = MPI_THREAD_SINGLE;
  std::vector<communicator::state*> members_;  // in the order in which they were made
  std::uint64_t joined_ = 0;
  rendezvous* meeting_ = nullptr;  // for good if others finalise MPI
  bool gave_up_ = false;
};

}  // namespace

/// Large items are allocated and freed one after the other, on both sides of every hop. The C library (glibc) gives
/// freed memory of that size back to the kernel, and each new item pays for fresh, zeroed pages. Measured: half of the
/// bandwidth of 1 MiB items (docs/decisions/04). The user's settings of malloc in the environment stay.
void keep_freed_memory() {
#ifdef __GLIBC__
  if (std::getenv("MALLOC_MMAP_THRESHOLD_") != nullptr || std::getenv("MALLOC_TRIM_THRESHOLD_") != nullptr) return;
  constexpr int keep_below = 1 << 30, ahead = 64 << 20;
  ::mallopt(M_MMAP_THRESHOLD, keep_below);
  ::mallopt(M_TRIM_THRESHOLD, keep_below);
  ::mallopt(M_TOP_PAD, ahead);
#endif
}

communicator::communicator() : state_(std::make_unique<state>()) {
  occupy_standard_descriptors();
  state& s = *state_;
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  if (!initialized && !is_launched()) {
    s.hosts = {host_name()};
    s.processes = {{s.hosts.front(), ::getpid()}};
    s.words = {&s.own};
    return;
  }
  MPI_Finalized(&finalized);
  if (finalized)
    throw error("MPI has been finalised, and cannot be started again: call MPI_Finalize after the last grid has ended");
  watch_forks();
  session& shared = session::get();
  int const provided = shared.provided();
  if (provided < MPI_THREAD_FUNNELED)
    throw error(
        "MPI was initialised without threads: call MPI_Init_thread with MPI_THREAD_FUNNELED or more, or let skel "
        "initialise it");
  int is_main = 0;
  MPI_Is_thread_main(&is_main);
  if (!is_main && provided < MPI_THREAD_SERIALIZED)
    throw error(
        "skel must be used from the thread that initialised MPI; initialise MPI with MPI_THREAD_SERIALIZED or more to "
        "use "
        "another one");
  MPI_Comm_rank(MPI_COMM_WORLD, &s.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &s.size);
  if (s.size > 1) {
    sole_use::expect_none("a grid was made");
    s.meeting = shared.meeting();
  }
  s.active = true;
  s.number = shared.join(s);
  try {
    MPI_Comm_dup(MPI_COMM_WORLD, &s.all);
    if (s.size > 1) keep_freed_memory();
    make_bells(s);
    find_hosts(*this, s);
    if (s.size > 1) s.bin = std::make_unique_for_overwrite<std::byte[]>(longest_piece);
  } catch (...) {
    shared.give_up(s);
    if (s.meeting != nullptr) leave_together(*s.meeting, s.number, leaving_words, true);
    throw;
  }
}

communicator::~communicator() {
  if (!state_->active) return;
  if (is_fork()) {
    static_cast<void>(state_.release());  // MPI is the parent's
    return;
  }
  state& s = *state_;
  session::get().leave(s);
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0) free_of_mpi(s);
}

int communicator::rank() const {
  return state_->rank;
}
int communicator::size() const {
  return state_->size;
}
std::vector<std::string> const& communicator::hosts() const {
  return state_->hosts;
}
std::vector<rank_process> const& communicator::processes() const {
  return state_->processes;
}

doorbell communicator::bell() const {
  return doorbell(*state_->words[static_cast<std::size_t>(state_->rank)]);
}

void communicator::ring(int rank) const {
  if (auto* word = state_->words[static_cast<std::size_t>(rank)]) doorbell(*word).ring();
}

std::byte* communicator::bin() const {
  return state_->bin.get();
}

bool communicator::all_ring() const {
  return std::all_of(state_->words.begin(), state_->words.end(), [](auto* word) { return word != nullptr; });
}

std::vector<std::string> communicator::all_gather(std::string const& mine) const {
  if (state_->size == 1) return {mine};
  return quiet::all_gather(state_->all, mine);
}

std::string communicator::broadcast(std::string const& text) const {
  if (state_->size == 1) return text;
  return quiet::broadcast(state_->all, text);
}

rendezvous* communicator::meeting() const {
  return state_->meeting;
}

std::uint64_t communicator::number() const {
  return state_->number;
}

MPI_Comm native(communicator const& ranks) {
  return ranks.native().all;
}

}  // namespace skel::runtime

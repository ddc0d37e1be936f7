#include <skel/runtime/communicator.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

#include <malloc.h>
#include <unistd.h>

#include <skel/base/error.hpp>
#include <skel/runtime/launched.hpp>
#include <skel/runtime/native.hpp>
#include <skel/runtime/quiet.hpp>

#include "mpi_state.hpp"

namespace skel::runtime {

namespace {

/// A line of memory per rank, so that ringing one does not slow its neighbour.
struct alignas(64) padded_word {
  doorbell::word word{0};
};

std::string host_name() {
  char name[256] = "localhost";
  ::gethostname(name, sizeof name - 1);
  return name;
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

}  // namespace

/// Large items are allocated and freed one after the other, on both sides of every hop. glibc gives freed memory of that
/// size back to the kernel, and each new item pays for fresh, zeroed pages: measured, half of the bandwidth of 1 MiB items
/// (docs/decisions/0017). What the user has said about malloc in the environment stays.
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
  state& s = *state_;
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (!initialized && !is_launched()) {
    s.hosts = {host_name()};
    s.words = {&s.own};
    return;
  }
  int provided = MPI_THREAD_SINGLE;
  if (!initialized) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    s.finalize = true;
  } else {
    MPI_Query_thread(&provided);
  }
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
  s.active = true;
  MPI_Comm_dup(MPI_COMM_WORLD, &s.all);
  MPI_Comm_rank(s.all, &s.rank);
  MPI_Comm_size(s.all, &s.size);
  if (s.size > 1) keep_freed_memory();
  make_bells(s);
  s.hosts = all_gather(host_name());
}

communicator::~communicator() {
  state& s = *state_;
  if (!s.active) return;
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized) return;
  MPI_Win_free(&s.bells);
  MPI_Comm_free(&s.near);
  MPI_Comm_free(&s.all);
  if (s.finalize) MPI_Finalize();
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

doorbell communicator::bell() const {
  return doorbell(*state_->words[static_cast<std::size_t>(state_->rank)]);
}

void communicator::ring(int rank) const {
  if (auto* word = state_->words[static_cast<std::size_t>(rank)]) doorbell(*word).ring();
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

MPI_Comm native(communicator const& ranks) {
  return ranks.native().all;
}

}  // namespace skel::runtime

#include <skel/detail/runtime/ranks/rendezvous.hpp>

#include <algorithm>
#include <cstring>
#include <functional>
#include <span>
#include <string_view>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/base/hash.hpp>
#include <skel/detail/runtime/ranks/leaving.hpp>
#include <skel/detail/runtime/ranks/quiet.hpp>

#include "answers.hpp"
#include "listed_ranks.hpp"

namespace skel::runtime {
namespace {

using namespace std::chrono_literals;

/// A rank that waits for longer than this in a collective asks whether the others are in it too. A round of questions
/// takes about as long as ten small collectives, so that waits of this length do not notice it.
constexpr auto first_look = 100ms;
constexpr auto longest_pause = 10s;

std::uint64_t hash_of(named_call const& c) {
  return mixed(fnv1a().add(c.words).value() ^ c.fingerprint);
}

void put(std::string const& text, std::span<char> where) {
  std::size_t const length = std::min(text.size(), where.size() - 1);
  std::memcpy(where.data(), text.data(), length);
  std::fill(where.begin() + static_cast<std::ptrdiff_t>(length), where.end(), '\0');
}

}  // namespace

std::uint64_t hash_of(collective_call const& c) {
  std::uint64_t hash = static_cast<std::uint64_t>(c.operation) * 2 + (c.commutative ? 1 : 0);
  for (std::uint64_t part : {c.bytes, c.root, c.unit, c.types}) hash = mixed(hash ^ part);
  return hash;
}

std::string words_of(shared_call const& call) {
  if (auto const* named = std::get_if<named_call>(&call)) return named->words;
  auto const& c = std::get<collective_call>(call);
  std::string text(plan::name_of(c.operation));
  if (c.operation == plan::collective::barrier) return text;
  text += " of " + std::to_string(c.bytes) + " B";
  if (c.unit > 1) text += " in elements of " + std::to_string(c.unit) + " B";
  using enum plan::collective;
  if (c.operation == reduce || c.operation == allreduce)
    text += c.commutative ? " by an operator that commutes" : " by an operator that does not commute";
  if (c.operation == broadcast || c.operation == scatter) text += " from rank " + std::to_string(c.root);
  if (c.operation == reduce || c.operation == gather) text += " to rank " + std::to_string(c.root);
  return text;
}

rendezvous::rendezvous(MPI_Comm original) {
  MPI_Comm_dup(original, &among_);
  int size = 1;
  MPI_Comm_size(among_, &size);
  ranks_ = static_cast<std::size_t>(size);
}

rendezvous::~rendezvous() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized == 0 && open_ == phase::none) MPI_Comm_free(&among_);
}

/// Most programs have one grid.
std::string rendezvous::entry::words() const {
  return words_of(call) + (number > 1 ? " (grid " + std::to_string(number) + ")" : "");
}

std::uint64_t rendezvous::begin(std::uint64_t number, shared_call call) {
  check();
  std::uint64_t const what = std::visit([](auto const& each) { return hash_of(each); }, call);
  hash_ = std::max<std::uint64_t>(1, mixed(mixed(hash_ ^ number) ^ what));
  calls_[++count_ % kept] = {hash_, number, std::move(call), {}};
  begun_ = {};
  return hash_;
}

void rendezvous::fail(std::string const& why) {
  SKEL_EXPECTS(count_ > 0);
  entry& latest = calls_[count_ % kept];
  latest.given_up = why;
  latest.hash = hash_ = std::max<std::uint64_t>(1, mixed(hash_ ^ hash_of(named_call{"given up: " + why})));
}

void rendezvous::check() const {
  if (mistake_) throw error(*mistake_);
  if (has_ended()) throw error("the run has ended on this rank, which left a grid because of an exception");
}

bool rendezvous::all_have_come() {
  if (open_ == phase::none) open(hash_);
  while (open_ != phase::none && advance())
    if (std::exchange(agreed_, false)) return true;
  check();
  return false;
}

void rendezvous::meet() {
  auto const start = clock::now();
  waiting_pause pause;
  while (!all_have_come())
    if (clock::now() - start > 1ms) {
      pause.sleep();
      expect_answers();
    }
}

void rendezvous::look() {
  auto const now = clock::now();
  if (begun_ == clock::time_point{}) {
    begun_ = now;
    pause_ = first_look;
  }
  if (open_ == phase::none) {
    if (now - begun_ < pause_) return;
    begun_ = now;
    pause_ = std::min<clock::duration>(2 * pause_, longest_pause);
    open(0);
  }
  while (open_ != phase::none && advance()) {
  }
  check();
}

MPI_Request rendezvous::last_barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(among_, &request);
  return request;
}

/// Begins a round. A hash of 0 is of a rank that has not come to meet: it agrees with none.
void rendezvous::open(std::uint64_t hash) {
  mine_ = {hash, hash == 0 ? 0 : ~hash};
  MPI_Iallreduce(mine_.data(), least_.data(), 2, MPI_UINT64_T, MPI_MIN, among_, &request_);
  open_ = phase::arrival;
}

/// Takes the next step of the open round. False: the others have not come to it.
bool rendezvous::advance() {
  int done = 0;
  MPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  if (done == 0) return false;
  switch (open_) {
    case phase::none:
      break;
    case phase::arrival:
      agreed_ = least_[0] == ~least_[1];  // the least hash is the greatest
      if (agreed_)
        open_ = phase::none;
      else
        ask_for_counts();
      break;
    case phase::counts:
      ask_for_hashes();
      break;
    case phase::hashes:
      ask_for_words();
      break;
    case phase::words:
      conclude();
      break;
  }
  return true;
}

rendezvous::entry const* rendezvous::find(std::uint64_t number) const {
  return number >= 1 && number <= count_ && count_ - number < kept ? &calls_[number % kept] : nullptr;
}

void rendezvous::ask_for_counts() {
  my_count_ = count_;
  counts_.resize(ranks_);
  MPI_Iallgather(&my_count_, 1, MPI_UINT64_T, counts_.data(), 1, MPI_UINT64_T, among_, &request_);
  open_ = phase::counts;
}

/// Of the last calls that every rank has begun.
void rendezvous::ask_for_hashes() {
  std::uint64_t const last = *std::ranges::min_element(counts_);
  first_ = last < compared ? 1 : last + 1 - compared;
  my_hashes_.assign(compared, 0);  // 0: not known any more
  for (std::uint64_t number = first_; number <= last; ++number)
    if (auto const* one = find(number)) my_hashes_[number - first_] = one->hash;
  hashes_.resize(ranks_ * compared);
  MPI_Iallgather(my_hashes_.data(), compared, MPI_UINT64_T, hashes_.data(), compared, MPI_UINT64_T, among_, &request_);
  open_ = phase::hashes;
}

/// If there is a call that is not the same everywhere, of the first of them.
void rendezvous::ask_for_words() {
  open_ = phase::none;
  for (std::size_t i = 0; i < compared; ++i) {
    std::uint64_t known = 0;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      std::uint64_t const theirs = hashes_[rank * compared + i];
      if (theirs == 0) continue;
      if (known != 0 && theirs != known) open_ = phase::words;
      known = theirs;
    }
    if (open_ == phase::none) continue;
    differs_ = first_ + i;
    auto const* const one = find(differs_);
    put(one == nullptr ? "a call that is long past" : one->words(), my_words_.of_call);
    put(one == nullptr ? "" : one->given_up, my_words_.given_up);
    auto const* const latest = find(count_);
    auto const* const named = latest == nullptr ? nullptr : std::get_if<named_call>(&latest->call);
    my_words_.leaves = named != nullptr && named->leaves;
    words_.resize(ranks_);
    MPI_Iallgather(&my_words_, sizeof(report), MPI_BYTE, words_.data(), sizeof(report), MPI_BYTE, among_, &request_);
    return;
  }
}

void rendezvous::conclude() {
  open_ = phase::none;
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (std::size_t rank = 0; rank < ranks_; ++rank) {
    std::string text = words_[rank].of_call.data();
    if (std::string const why = words_[rank].given_up.data(); !why.empty()) text += ", given up: " + why;
    auto const found = std::ranges::find(groups, text, [](auto const& group) { return std::string_view(group.first); });
    if (found == groups.end())
      groups.push_back({text, {rank}});
    else
      found->second.push_back(rank);
  }
  bool const is_given_up = std::ranges::any_of(words_, [](report const& each) { return each.given_up[0] != '\0'; });
  std::string text = is_given_up ? "a rank gave up a call that the others had begun; call "
                                 : "the ranks do not make the same calls; call ";
  text += std::to_string(differs_) + " is";
  for (std::size_t i = 0; i < groups.size(); ++i)
    text += (i == 0 ? " on " : "; on ") + listed(groups[i].second) + ": " + groups[i].first;
  if (groups.size() == 1)
    text +=
        ", with differences that its words do not show (the types of functions, operators or values, settings, or a "
        "call before it)";
  mistake_ = text + (is_given_up ? ". After an exception in a collective the ranks cannot go on together: end the "
                                   "program, or let operators return a value that means failure"
                                 : ". Every rank must make the same calls of its grids in the same order");
  all_left_ = std::ranges::all_of(words_, &report::leaves);
}

}  // namespace skel::runtime

#include "mpi_transport.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/ranks/native.hpp>

#include "ranks/answers.hpp"

namespace skel::runtime {

namespace {

constexpr int body_tag = 0, first_segment_tag = 1;

/// Ranges go in pieces of this length [B]. A receiver that has no memory for a message, or does not want it, takes its
/// pieces off the wire into a bin. The bin has this length, and is there from the beginning. A latency is some hundred
/// thousandth of the time of a piece.
constexpr std::size_t longest_segment = communicator::longest_piece;

int tag_of(std::uint64_t segment, int most_tag) {
  return first_segment_tag + static_cast<int>(segment % static_cast<std::uint64_t>(most_tag - 1));
}

}  // namespace

struct mpi_transport::outgoing {
  int rank = 0;
  message what;
  std::vector<MPI_Request> requests;
};

struct mpi_transport::incoming {
  int rank = 0;
  message what;
  bool begun = false;
  landing place{};
  std::uint64_t segment = 0;            // the next one's number
  std::vector<std::size_t> unwanted{};  // bytes of the pieces to take off the wire, last one first
  bool has_bin = false;                 // one of them is on its way there
  std::vector<MPI_Request> requests{};
};

mpi_transport::mpi_transport(communicator const& ranks) : ranks_(ranks), comm_(native(ranks)) {
  if (size() == 1) return;
  auto const count = static_cast<std::size_t>(size());
  for (auto* counters : {&sent_, &received_, &expected_, &segments_sent_}) counters->resize(count);
  int* bound = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm_, MPI_TAG_UB, &bound, &found);
  most_tag_ = found ? *bound : 32767;
}

mpi_transport::~mpi_transport() {
  SKEL_ENSURES(sending_.empty() && receiving_.empty());
}

void mpi_transport::send(int to, channel where, message what) {
  SKEL_EXPECTS(to >= 0 && to < size() && to != rank() && what.bytes().size() <= message::longest);
  SKEL_EXPECTS(what.ranges().size() == what.range_sizes().size());
  auto label = what.label();
  label.channel = where;
  what.label(label);
  {
    std::lock_guard guard(mutex_);
    outbox_.push_back({to, std::move(what), {}});
    outbox_count_.fetch_add(1);
  }
  wake();
}

bool mpi_transport::send_outbox() {
  std::vector<outgoing> batch;
  {
    std::lock_guard guard(mutex_);
    batch.swap(outbox_);
  }
  SKEL_EXPECTS(batch.empty() || phase_ == phase::open);  // nobody would receive it before the next protocol begins
  for (outgoing& out : batch) {
    auto const to = static_cast<std::size_t>(out.rank);
    auto label = out.what.label();
    label.first_segment = segments_sent_[to];
    out.what.label(label);
    auto const bytes = out.what.bytes();
    out.requests.emplace_back();
    MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, out.rank, body_tag, comm_, &out.requests.back());
    for (auto const& range : out.what.ranges())
      for_each_piece(
          range,
          [&](std::span<std::byte const> piece) {
            out.requests.emplace_back();
            MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, out.rank,
                      tag_of(segments_sent_[to]++, most_tag_), comm_, &out.requests.back());
          },
          longest_segment);
    ++sent_[to];
    int const rank = out.rank;
    sending_.push_back(std::move(out));
    ranks_.ring(rank);
  }
  outbox_count_.fetch_sub(batch.size());
  return !batch.empty();
}

/// An exception of a receiver leaves progress() when that has done its work.
template <class Call>
void mpi_transport::heed(Call const& call) try {
  call();
} catch (...) {
  if (!thrown_) thrown_ = std::current_exception();
}

bool mpi_transport::finish_sends() {
  bool any = false;
  for (auto out = sending_.begin(); out != sending_.end();) {
    int done = 0;
    MPI_Testall(static_cast<int>(out->requests.size()), out->requests.data(), &done, MPI_STATUSES_IGNORE);
    out = done ? sending_.erase(out) : std::next(out);
    any = any || done;
  }
  return any;
}

bool mpi_transport::receive_body() {
  int found = 0;
  MPI_Message matched;
  MPI_Status status;
  // Open MPI looks into its queues first and at the network afterwards. Only the second look finds a message that has
  // just come, and a thread that wants to sleep must have taken it.
  for (int look = 0; look < 2 && !found; ++look)
    MPI_Improbe(MPI_ANY_SOURCE, body_tag, comm_, &found, &matched, &status);
  if (!found) return false;
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  auto const size = static_cast<std::size_t>(bytes);
  incoming in{status.MPI_SOURCE, message(std::make_unique_for_overwrite<std::byte[]>(size), size)};
  in.requests.emplace_back();
  MPI_Imrecv(in.what.bytes().data(), bytes, MPI_BYTE, &matched, &in.requests.back());
  ++received_[static_cast<std::size_t>(in.rank)];
  int done = 0;
  MPI_Testall(1, in.requests.data(), &done, MPI_STATUSES_IGNORE);
  if (!(done && proceed(in))) receiving_.push_back(std::move(in));
  return true;
}

bool mpi_transport::finish_receives() {
  bool any = false;
  for (auto in = receiving_.begin(); in != receiving_.end();) {
    int done = 0;
    MPI_Testall(static_cast<int>(in->requests.size()), in->requests.data(), &done, MPI_STATUSES_IGNORE);
    any = any || done;
    in = done && proceed(*in) ? receiving_.erase(in) : std::next(in);
  }
  return any;
}

/// Goes on with a message whose requests are complete. Returns whether it has been received.
bool mpi_transport::proceed(incoming& in) {
  if (!in.begun) {
    in.begun = true;
    in.requests.clear();
    begin(in);
    if (!in.requests.empty()) {
      int done = 0;
      MPI_Testall(static_cast<int>(in.requests.size()), in.requests.data(), &done, MPI_STATUSES_IGNORE);
      if (!done) return false;
    }
  }
  if (in.place.ranges.empty()) return discard(in);
  heed([&] { in.place.done(); });
  return true;
}

/// Gives a body to its receiver, and asks for the message's ranges; or notes which pieces to discard.
void mpi_transport::begin(incoming& in) {
  auto const sizes = in.what.range_sizes();
  in.segment = in.what.label().first_segment;
  heed([&] { in.place = receiver_of(in.what.label().channel)(in.rank, in.what.body(), sizes); });
  if (in.place.ranges.empty()) {
    for (std::size_t bytes : sizes) {
      for (; bytes > longest_segment; bytes -= longest_segment) in.unwanted.push_back(longest_segment);
      in.unwanted.push_back(bytes);
    }
    std::reverse(in.unwanted.begin(), in.unwanted.end());
    return;
  }
  SKEL_EXPECTS(fits(in.place, sizes));
  for (auto const& wanted : in.place.ranges)
    for_each_piece(
        wanted, [&](std::span<std::byte> piece) { ask(in, piece); }, longest_segment);
}

void mpi_transport::ask(incoming& in, std::span<std::byte> piece) {
  in.requests.emplace_back();
  MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, in.rank, tag_of(in.segment++, most_tag_), comm_,
            &in.requests.back());
}

/// Takes the next unwanted piece off the wire, so that its sender comes to rest, when no other one is on its way into
/// the bin. Returns whether there is none left.
bool mpi_transport::discard(incoming& in) {
  if (std::exchange(in.has_bin, false)) bin_is_busy_ = false;
  in.requests.clear();
  if (in.unwanted.empty()) return true;
  if (bin_is_busy_) return false;
  in.has_bin = bin_is_busy_ = true;
  std::size_t const bytes = in.unwanted.back();
  in.unwanted.pop_back();
  ask(in, {ranks_.bin(), bytes});
  return false;
}

bool mpi_transport::progress() {
  if (size() == 1 || phase_ == phase::leaving) return false;
  bool any = outbox_count_.load() != 0 && send_outbox();
  any = receive_body() || any;
  if (!receiving_.empty()) any = finish_receives() || any;
  if (!sending_.empty()) any = finish_sends() || any;
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  return any;
}

void mpi_transport::rest(double seconds, std::function<bool()> const& busy) {
  expect_answers();
  double const pause = std::min(seconds, longest_rest());
  doorbell const bell = ranks_.bell();
  bell.drowse();
  if (busy() || progress()) return bell.awake();
  rests_until_.store(record::now_ns() + static_cast<std::int64_t>(1e9 * pause), std::memory_order_relaxed);
  bell.sleep(pause);
  rests_until_.store(0, std::memory_order_relaxed);
}

/// Gives way if the thread that communicates has been rung, or its rest is over, and it has not run since. Also if it
/// does not rest while the calling one has the only core. The system would let it wait until another thread has used up
/// its slice of time, some milliseconds, and messages with it.
void mpi_transport::give_way() {
  if (size() == 1) return;
  std::int64_t const until = rests_until_.load(std::memory_order_relaxed);
  static bool const one_core = [] {
    cpu_set_t may{};
    return ::sched_getaffinity(0, sizeof may, &may) == 0 && CPU_COUNT(&may) == 1;
  }();
  if (until == 0 ? !one_core : ranks_.bell().is_silent() && record::now_ns() < until) return;
  std::this_thread::yield();
}

double mpi_transport::longest_rest() const {
  if (!sending_.empty() || !receiving_.empty()) return 2e-5;  // only looking completes a transfer
  return size() == 1 || ranks_.all_ring() ? 0.05 : 1e-3;      // a signal may have come meanwhile
}

void mpi_transport::quiesce() {
  if (size() == 1) return;
  SKEL_EXPECTS(phase_ == phase::open);
  send_outbox();
  phase_ = phase::counting;
  MPI_Ialltoall(sent_.data(), 1, MPI_UINT64_T, expected_.data(), 1, MPI_UINT64_T, comm_, &agreement_);
}

/// A rank that has all its messages may not go on before the others have theirs. They could not tell its next messages
/// from those that they wait for.
bool mpi_transport::quiet() {
  if (size() == 1) return true;
  int agreed = 0;
  if (phase_ == phase::counting) {
    MPI_Test(&agreement_, &agreed, MPI_STATUS_IGNORE);
    if (agreed) phase_ = phase::receiving;
  }
  if (phase_ == phase::receiving && received_ == expected_ && sending_.empty() && receiving_.empty()) {
    phase_ = phase::leaving;
    MPI_Ibarrier(comm_, &agreement_);
  }
  if (phase_ != phase::leaving) return false;
  MPI_Test(&agreement_, &agreed, MPI_STATUS_IGNORE);
  if (agreed) phase_ = phase::open;
  return agreed != 0;
}

}  // namespace skel::runtime

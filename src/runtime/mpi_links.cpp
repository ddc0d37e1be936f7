#include "mpi_links.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include <skel/base/contract.hpp>
#include <skel/base/error.hpp>

#include "mpi_pieces.hpp"
#include "mpi_state.hpp"

namespace skel::runtime {

namespace {

constexpr int header_tag = 0, first_segment_tag = 1;

enum class message : std::uint32_t { items, contribution, notice, finished, stop };

int tag_of(std::uint64_t segment, int most_tag) {
  return first_segment_tag + static_cast<int>(segment % static_cast<std::uint64_t>(most_tag - 1));
}

}  // namespace

/// The front of every message; behind it the inline bytes of a batch.
struct mpi_links::header {
  message kind = message::items;
  std::uint32_t station = 0;
  std::uint64_t sequence = 0;
  std::uint64_t first_item = 0;
  std::uint64_t first_segment = 0;  // counted per pair of ranks
  notice news;
};

struct mpi_links::outgoing {
  int rank = 0;
  encoded bytes;
  std::vector<MPI_Request> requests;
};

struct mpi_links::incoming {
  int rank = 0;
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  bool started = false;
  header head;
  decoding batch;                     // no items where they could not be taken
  std::uint64_t segment = 0;          // the next one's number
  std::vector<std::size_t> unwanted;  // bytes of the pieces to take off the wire, last one first
  std::unique_ptr<std::byte[]> bin;   // where they go
  std::vector<MPI_Request> requests;
};

mpi_links::mpi_links(communicator const& ranks, program const& line, plan::run_plan const& plan)
    : ranks_(ranks),
      line_(line),
      direct_bytes_(plan.direct_bytes),
      keeps_ranges_(plan.most_bytes == 0),
      comm_(ranks.native().all) {
  auto const count = static_cast<std::size_t>(ranks.size());
  sent_.resize(count);
  received_.resize(count);
  segments_sent_.resize(count);
  shelves_.resize(line.stations.size());
  int* bound = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm_, MPI_TAG_UB, &bound, &found);
  most_tag_ = found ? *bound : 32767;
}

mpi_links::~mpi_links() {
  SKEL_ENSURES(sending_.empty() && receiving_.empty());
}

void mpi_links::send(int rank, std::uint32_t station, posted what, codec const& how) {
  header head;
  if (what.contribution) head.kind = message::contribution;
  head.station = station;
  head.sequence = what.sequence;
  head.first_item = what.first_item;
  outgoing out;
  out.rank = rank;
  out.bytes = how.encode(std::move(what.items), sizeof(header), direct_bytes_);
  if (out.bytes.inline_size > INT_MAX)
    throw error(
        "a batch takes " + std::to_string(out.bytes.inline_size) +
        " B when it is serialised; messages end at 2 GiB: give the stage smaller items, or items that are one range "
        "of plain elements, which has no such limit");
  std::memcpy(out.bytes.inline_bytes.get(), &head, sizeof head);
  put(std::move(out));
}

void mpi_links::send(int rank, notice const& what) {
  header head;
  head.kind = message::notice;
  head.news = what;
  post(rank, head);
}

void mpi_links::post(int rank, header const& head) {
  outgoing out;
  out.rank = rank;
  out.bytes.inline_size = sizeof(header);
  out.bytes.inline_bytes = std::make_unique_for_overwrite<std::byte[]>(sizeof(header));
  std::memcpy(out.bytes.inline_bytes.get(), &head, sizeof head);
  put(std::move(out));
}

void mpi_links::put(outgoing message) {
  {
    std::lock_guard guard(mutex_);
    outbox_.push_back(std::move(message));
    outbox_count_.fetch_add(1);
  }
  ranks_.bell().ring();
}

void mpi_links::tell_all_finished() {
  header head;
  head.kind = message::finished;
  for (int r = 0; r < ranks_.size(); ++r)
    if (r != ranks_.rank()) post(r, head);
}

void mpi_links::tell_all_stop() {
  header head;
  head.kind = message::stop;
  for (int r = 0; r < ranks_.size(); ++r)
    if (r != ranks_.rank()) post(r, head);
}

bool mpi_links::send_outbox() {
  std::vector<outgoing> batch;
  {
    std::lock_guard guard(mutex_);
    batch.swap(outbox_);
  }
  for (outgoing& out : batch) {
    auto const to = static_cast<std::size_t>(out.rank);
    header head;
    std::memcpy(&head, out.bytes.inline_bytes.get(), sizeof head);
    head.first_segment = segments_sent_[to];
    std::memcpy(out.bytes.inline_bytes.get(), &head, sizeof head);
    out.requests.emplace_back();
    MPI_Isend(out.bytes.inline_bytes.get(), static_cast<int>(out.bytes.inline_size), MPI_BYTE, out.rank, header_tag,
              comm_, &out.requests.back());
    for (auto const& segment : out.bytes.segments)
      for_each_piece(segment, [&](std::span<std::byte const> piece) {
        out.requests.emplace_back();
        MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, out.rank,
                  tag_of(segments_sent_[to]++, most_tag_), comm_, &out.requests.back());
      });
    ++sent_[to];
    int const rank = out.rank;
    sending_.push_back(std::move(out));
    ranks_.ring(rank);
  }
  outbox_count_.fetch_sub(batch.size());
  return !batch.empty();
}

bool mpi_links::finish_sends() {
  bool any = false;
  for (auto message = sending_.begin(); message != sending_.end();) {
    int done = 0;
    MPI_Testall(static_cast<int>(message->requests.size()), message->requests.data(), &done, MPI_STATUSES_IGNORE);
    message = done ? sending_.erase(message) : std::next(message);
    any = any || done;
  }
  return any;
}

bool mpi_links::receive_headers(executor& to) {
  bool any = false;
  for (;;) {
    int found = 0;
    MPI_Message matched;
    MPI_Status status;
    // Open MPI looks into its queues first and at the network afterwards: what has just come is found by the second
    // look only, and whoever wants to sleep must have taken it.
    for (int look = 0; look < 2 && !found; ++look)
      MPI_Improbe(MPI_ANY_SOURCE, header_tag, comm_, &found, &matched, &status);
    if (!found) return any;
    any = true;
    int bytes = 0;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    incoming in;
    in.rank = status.MPI_SOURCE;
    in.size = static_cast<std::size_t>(bytes);
    in.bytes = std::make_unique_for_overwrite<std::byte[]>(in.size);
    in.requests.emplace_back();
    MPI_Imrecv(in.bytes.get(), bytes, MPI_BYTE, &matched, &in.requests.back());
    ++received_[static_cast<std::size_t>(in.rank)];
    int done = 0;
    MPI_Testall(1, in.requests.data(), &done, MPI_STATUSES_IGNORE);
    if (!(done && handle(in, to))) receiving_.push_back(std::move(in));
  }
}

bool mpi_links::finish_receives(executor& to) {
  bool any = false;
  for (auto message = receiving_.begin(); message != receiving_.end();) {
    int done = 0;
    MPI_Testall(static_cast<int>(message->requests.size()), message->requests.data(), &done, MPI_STATUSES_IGNORE);
    any = any || done;
    message = done && handle(*message, to) ? receiving_.erase(message) : std::next(message);
  }
  return any;
}

/// Acts on a message whose requests are complete. Returns false when it has segments that are still to come.
bool mpi_links::handle(incoming& in, executor& to) {
  if (!in.started) {
    in.started = true;
    in.requests.clear();
    std::memcpy(&in.head, in.bytes.get(), sizeof in.head);
    switch (in.head.kind) {
      case message::notice:
        to.receive(in.rank, in.head.news);
        return true;
      case message::finished:
        heard_finished_ = true;
        return true;
      case message::stop:
        heard_stop_ = true;
        return true;
      case message::items:
      case message::contribution:
        break;
    }
    start(in, to);
    if (!in.requests.empty()) {
      int done = 0;
      MPI_Testall(static_cast<int>(in.requests.size()), in.requests.data(), &done, MPI_STATUSES_IGNORE);
      if (!done) return false;
    }
  }
  if (!in.batch.batch) return discard(in);
  parcel whole{std::move(in.batch.batch), in.head.sequence, in.head.first_item};
  if (in.head.kind == message::contribution)
    to.receive_contribution(in.head.station, in.rank, std::move(whole));
  else
    to.receive(in.head.station, in.rank, std::move(whole));
  return true;
}

/// Makes the batch of a message and asks for its segments; or notes which pieces to discard where that fails.
void mpi_links::start(incoming& in, executor& to) {
  std::span<std::byte const> const rest(in.bytes.get() + sizeof(header), in.size - sizeof(header));
  codec const& how = *line_.stations[taker(in.head)].input;
  in.segment = in.head.first_segment;
  try {
    auto& home = shelves_[taker(in.head)];
    if (!home && keeps_ranges_) home = how.make_shelf();
    in.batch = how.decode(rest, home);
  } catch (...) {
    to.refuse(in.head.station, in.head.first_item);
    for (std::size_t bytes : how.segment_sizes(rest)) {
      for (; bytes > longest_piece; bytes -= longest_piece) in.unwanted.push_back(longest_piece);
      in.unwanted.push_back(bytes);
    }
    std::reverse(in.unwanted.begin(), in.unwanted.end());
    return;
  }
  for (auto const& wanted : in.batch.segments)
    for_each_piece(wanted, [&](std::span<std::byte> piece) { ask(in, piece); });
}

/// The station whose items a message carries. What copies contribute is what the next station takes.
std::size_t mpi_links::taker(header const& head) const {
  return head.station + (head.kind == message::contribution ? 1 : 0);
}

void mpi_links::ask(incoming& in, std::span<std::byte> piece) {
  in.requests.emplace_back();
  MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, in.rank, tag_of(in.segment++, most_tag_), comm_,
            &in.requests.back());
}

/// Takes the next unwanted piece off the wire, so that its sender comes to rest. Returns whether there is none left.
bool mpi_links::discard(incoming& in) {
  if (in.unwanted.empty()) return true;
  std::size_t const bytes = in.unwanted.back();
  in.unwanted.pop_back();
  in.bin = std::make_unique_for_overwrite<std::byte[]>(bytes);
  in.requests.clear();
  ask(in, {in.bin.get(), bytes});
  return false;
}

bool mpi_links::progress(executor& to) {
  bool any = !outbox_empty() && send_outbox();
  any = receive_headers(to) || any;
  if (!receiving_.empty()) any = finish_receives(to) || any;
  if (!sending_.empty()) any = finish_sends() || any;
  return any;
}

bool mpi_links::transferring() const {
  return !sending_.empty() || !receiving_.empty();
}

void mpi_links::drain(executor& to) {
  while (!outbox_empty()) progress(to);
  std::vector<std::uint64_t> expected(sent_.size());
  MPI_Request request;
  MPI_Ialltoall(sent_.data(), 1, MPI_UINT64_T, expected.data(), 1, MPI_UINT64_T, comm_, &request);
  double pause = 1e-5;
  for (int done = 0;;) {
    if (!done) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (progress(to)) pause = 1e-5;
    if (done && received_ == expected && !transferring()) return;
    auto const bell = ranks_.bell();
    bell.drowse();
    bell.sleep(pause);
    pause = std::min(2 * pause, 5e-3);
  }
}

}  // namespace skel::runtime

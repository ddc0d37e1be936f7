#include "bsp_grid/smpi_transport.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace bench {
namespace {

constexpr int body_tag = 0;

/// A body has at most a block of 64 KiB (longer ones are ranges) and heads of all ranks, some 100 bytes each, with what
/// was measured of processes behind them.
constexpr std::size_t longest_body = std::size_t{1} << 20;

/// Any number of segments that are under way from one rank to another at a time have different tags.
int tag_of(std::uint64_t segment) {
  constexpr std::uint64_t tags = 30000;  // MPI promises 32767
  return 1 + static_cast<int>(segment % tags);
}

MPI_Request send_bytes(std::span<std::byte const> bytes, int to, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
  return request;
}

}  // namespace

smpi_transport::smpi_transport(int rank, int size)
    : rank_(rank),
      size_(size),
      place_(std::make_unique_for_overwrite<std::byte[]>(longest_body)),
      requests_(1, MPI_REQUEST_NULL),
      segments_sent_(static_cast<std::size_t>(size)) {
  ask_for_body();
}

void smpi_transport::send(int to, skel::runtime::channel where, skel::runtime::message what) {
  auto& segments = segments_sent_[static_cast<std::size_t>(to)];
  auto label = what.label();
  label.channel = where;
  label.first_segment = segments;
  what.label(label);
  if (what.bytes().size() > longest_body)
    throw skel::error("a message of " + std::to_string(what.bytes().size()) +
                      " bytes is longer than a simulated rank's "
                      "place for one; simulate fewer processes");
  forget_sent();
  auto& out = sending_.emplace_back(std::move(what));
  out.requests.push_back(send_bytes(out.what.bytes(), to, body_tag));
  for (auto const& range : out.what.ranges()) out.requests.push_back(send_bytes(range, to, tag_of(segments++)));
}

/// Memory of messages that have been received.
void smpi_transport::forget_sent() {
  std::erase_if(sending_, [](outgoing& one) {
    int done = 0;
    MPI_Testall(static_cast<int>(one.requests.size()), one.requests.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  });
}

void smpi_transport::ask_for_body() {
  MPI_Irecv(place_.get(), static_cast<int>(longest_body), MPI_BYTE, MPI_ANY_SOURCE, body_tag, MPI_COMM_WORLD,
            &requests_[0]);
}

void smpi_transport::rest(double, std::function<bool()> const& busy) {
  if (busy()) return;
  int which = 0;
  MPI_Status status;
  MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &which, &status);
  if (which == 0) return take_body(status);
  auto const at = static_cast<std::ptrdiff_t>(which);
  auto const owner = owners_[static_cast<std::size_t>(which) - 1];
  requests_.erase(requests_.begin() + at);
  owners_.erase(owners_.begin() + at - 1);
  if (--owner->missing > 0) return;
  auto const done = std::move(owner->place.done);
  receiving_.erase(owner);
  if (done) done();
}

void smpi_transport::take_body(MPI_Status const& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  auto const size = static_cast<std::size_t>(bytes);
  auto memory = std::make_unique_for_overwrite<std::byte[]>(size);
  std::memcpy(memory.get(), place_.get(), size);
  ask_for_body();
  int const from = status.MPI_SOURCE;
  auto& in = receiving_.emplace_back(skel::runtime::message(std::move(memory), size));
  auto const last = std::prev(receiving_.end());
  auto const sizes = in.what.range_sizes();
  in.place = receiver_of(in.what.label().channel)(from, in.what.body(), sizes);
  in.missing = sizes.size();
  if (sizes.empty()) return receiving_.pop_back();
  if (in.place.ranges.empty())
    in.unwanted = std::make_unique_for_overwrite<std::byte[]>(*std::ranges::max_element(sizes));
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    auto* const to = in.place.ranges.empty() ? in.unwanted.get() : in.place.ranges[k].data();
    requests_.push_back(MPI_REQUEST_NULL);
    owners_.push_back(last);
    MPI_Irecv(to, static_cast<int>(sizes[k]), MPI_BYTE, from, tag_of(in.what.label().first_segment + k), MPI_COMM_WORLD,
              &requests_.back());
  }
}

void smpi_transport::quiesce() {
  for (auto& one : sending_)
    MPI_Waitall(static_cast<int>(one.requests.size()), one.requests.data(), MPI_STATUSES_IGNORE);
  sending_.clear();
  // What this rank still waits for is a body of its own: then nothing is left behind.
  auto last = send_bytes({}, rank_, body_tag);
  MPI_Wait(&requests_[0], MPI_STATUS_IGNORE);
  MPI_Wait(&last, MPI_STATUS_IGNORE);
}

}  // namespace bench

#include "support/smpi_transport.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <skel/detail/base/error.hpp>

namespace bench {
namespace {

constexpr int body_tag = 0;

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

smpi_transport::smpi_transport(int rank, int size, std::size_t places, std::size_t longest)
    : rank_(rank),
      size_(size),
      longest_(longest),
      requests_(places, MPI_REQUEST_NULL),
      segments_sent_(static_cast<std::size_t>(size)) {
  for (std::size_t place = 0; place < places; ++place) {
    places_.push_back(std::make_unique_for_overwrite<std::byte[]>(longest));
    ask_for(place);
  }
}

void smpi_transport::send(int to, skel::runtime::channel where, skel::runtime::message what) {
  auto& segments = segments_sent_[static_cast<std::size_t>(to)];
  auto label = what.label();
  label.channel = where;
  label.first_segment = segments;
  what.label(label);
  if (what.bytes().size() > longest_)
    throw skel::error("a message of " + std::to_string(what.bytes().size()) +
                      " bytes is longer than a simulated rank's place for one, of " + std::to_string(longest_) +
                      " bytes; simulate less");
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

void smpi_transport::ask_for(std::size_t place) {
  MPI_Irecv(places_[place].get(), static_cast<int>(longest_), MPI_BYTE, MPI_ANY_SOURCE, body_tag, MPI_COMM_WORLD,
            &requests_[place]);
}

void smpi_transport::rest(double, std::function<bool()> const& busy) {
  if (busy()) return;
  int which = 0;
  MPI_Status status;
  MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &which, &status);
  auto const request = static_cast<std::size_t>(which);
  if (request < places_.size()) return take_body(request, status);
  auto const range = static_cast<std::ptrdiff_t>(request - places_.size());
  auto const owner = owners_[static_cast<std::size_t>(range)];
  requests_.erase(requests_.begin() + which);
  owners_.erase(owners_.begin() + range);
  if (--owner->missing > 0) return;
  auto const done = std::move(owner->place.done);
  receiving_.erase(owner);
  if (done) done();
}

void smpi_transport::take_body(std::size_t place, MPI_Status const& status) {
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  auto const size = static_cast<std::size_t>(bytes);
  auto memory = std::make_unique_for_overwrite<std::byte[]>(size);
  std::memcpy(memory.get(), places_[place].get(), size);
  ask_for(place);
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
  // What this rank still waits for are bodies of its own: then nothing is left behind.
  std::vector<MPI_Request> own;
  for (std::size_t k = 0; k < places_.size(); ++k) own.push_back(send_bytes({}, rank_, body_tag));
  for (auto* const all : {&requests_, &own})
    MPI_Waitall(static_cast<int>(all->size()), all->data(), MPI_STATUSES_IGNORE);
}

}  // namespace bench

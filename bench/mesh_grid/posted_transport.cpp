#include "mesh_grid/posted_transport.hpp"

#include <cstring>

#include <skel/detail/base/contract.hpp>

namespace bench {
namespace {

constexpr int body_tag = 0;

MPI_Request send_bytes(std::span<std::byte const> bytes, int to) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, body_tag, MPI_COMM_WORLD, &request);
  return request;
}

}  // namespace

posted_transport::posted_transport(int rank, int size, std::size_t places, std::size_t longest)
    : rank_(rank), size_(size), longest_(longest), requests_(places, MPI_REQUEST_NULL) {
  for (std::size_t place = 0; place < places; ++place) {
    places_.push_back(std::make_unique_for_overwrite<std::byte[]>(longest));
    ask_for(place);
  }
}

void posted_transport::send(int to, skel::runtime::channel where, skel::runtime::message what) {
  SKEL_EXPECTS(what.ranges().empty());
  auto label = what.label();
  label.channel = where;
  what.label(label);
  std::erase_if(sending_, [](outgoing& one) {
    int done = 0;
    MPI_Test(&one.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  auto& out = sending_.emplace_back(std::move(what));
  out.request = send_bytes(out.what.bytes(), to);
}

void posted_transport::ask_for(std::size_t place) {
  MPI_Irecv(places_[place].get(), static_cast<int>(longest_), MPI_BYTE, MPI_ANY_SOURCE, body_tag, MPI_COMM_WORLD,
            &requests_[place]);
}

void posted_transport::rest(double, std::function<bool()> const& busy) {
  if (busy()) return;
  int which = 0, bytes = 0;
  MPI_Status status;
  MPI_Waitany(static_cast<int>(requests_.size()), requests_.data(), &which, &status);
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  auto const place = static_cast<std::size_t>(which), size = static_cast<std::size_t>(bytes);
  auto memory = std::make_unique_for_overwrite<std::byte[]>(size);
  std::memcpy(memory.get(), places_[place].get(), size);
  ask_for(place);
  skel::runtime::message const in(std::move(memory), size);
  receiver_of(in.label().channel)(status.MPI_SOURCE, in.body(), in.range_sizes());
}

void posted_transport::quiesce() {
  for (auto& one : sending_) MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  sending_.clear();
  // What this rank still waits for are messages of its own: then nothing is left behind.
  std::vector<MPI_Request> own;
  for (std::size_t k = 0; k < requests_.size(); ++k) own.push_back(send_bytes({}, rank_));
  for (auto* const all : {&requests_, &own})
    MPI_Waitall(static_cast<int>(all->size()), all->data(), MPI_STATUSES_IGNORE);
}

}  // namespace bench

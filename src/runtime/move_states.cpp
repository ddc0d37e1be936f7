#include <skel/runtime/move_states.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <mpi.h>

#include <skel/base/contract.hpp>
#include <skel/runtime/archive.hpp>
#include <skel/runtime/errors.hpp>
#include <skel/runtime/quiet.hpp>

#include "mpi_pieces.hpp"
#include "mpi_state.hpp"

namespace skel::runtime {
namespace {

constexpr int state_tag = 0;
constexpr auto not_written = std::numeric_limits<std::uint64_t>::max();

/// `size` is not_written where there are no bytes to send.
void send(MPI_Comm among, int to, std::string const& bytes, std::uint64_t size) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&size, 1, MPI_UINT64_T, to, state_tag, among, &request);
  quiet::wait(request);
  if (size == not_written) return;
  for_each_piece(std::span(bytes.data(), bytes.size()), [&](std::span<char const> piece) {
    MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, to, state_tag, among, &request);
    quiet::wait(request);
  });
}

std::optional<std::string> receive(MPI_Comm among, int from) {
  std::uint64_t size = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(&size, 1, MPI_UINT64_T, from, state_tag, among, &request);
  quiet::wait(request);
  if (size == not_written) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for_each_piece(std::span(bytes.data(), bytes.size()), [&](std::span<char> piece) {
    MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, from, state_tag, among, &request);
    quiet::wait(request);
  });
  return bytes;
}

}  // namespace

void move_states(program const& line, std::vector<state_move> const& moves, communicator const& ranks) {
  if (moves.empty()) return;
  MPI_Comm const among = ranks.native().all;
  std::optional<failure> mine;
  auto const failed = [&](std::size_t station, failure::kind during) {
    if (!mine) mine = describe_failure({line.stations[station].notes.name, during, 0, 1, ranks.rank()});
  };
  for (auto const& [station, from, to] : moves) {
    SKEL_EXPECTS(line.stations[station].state != nullptr && from != to);
    auto& state = *line.stations[station].state;
    if (ranks.rank() == from) {
      std::string bytes;
      bool written = true;
      try {
        bytes = state.take();
      } catch (...) {
        written = false;
        failed(station, failure::kind::write_state);
      }
      send(among, to, bytes, written ? bytes.size() : not_written);
    } else if (ranks.rank() == to) {
      auto const bytes = receive(among, from);
      try {
        if (bytes) state.restore(*bytes);
      } catch (...) {
        failed(station, failure::kind::read_state);
      }
    }
  }
  auto const all = ranks.all_gather(to_bytes(mine));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (auto const theirs = from_bytes<std::optional<failure>>(all[rank]))
      throw_failure(static_cast<int>(rank) == ranks.rank() ? *mine : *theirs);
}

}  // namespace skel::runtime

#include <skel/detail/runtime/line/move_states.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/runtime/archive.hpp>

#include "transport/mpi_transport.hpp"

namespace skel::runtime {
namespace {

constexpr channel states = 0;

/// The station's number, and what it keeps as a range.
message state_message(std::uint64_t station, std::string bytes) {
  message out(sizeof station, 1);
  std::memcpy(out.body().data(), &station, sizeof station);
  auto const kept = std::make_shared<std::string>(std::move(bytes));
  out.add(std::as_bytes(std::span(*kept)));
  out.keep = kept;
  return out;
}

/// States go to other ranks: `send(give)` calls give(station, to, bytes()) for each that goes from this one. Returns
/// the missing ones, in the order of the ranks where that was noticed.
template <class Send>
std::vector<unmoved_state> exchange(program const& line, communicator const& ranks, Send const& send) {
  std::vector<unmoved_state> mine;
  auto const failed = [&](std::size_t station, failure::kind during) {
    mine.push_back({station, describe_failure({.stage = line.stations[station].notes.name,
                                               .during = during,
                                               .rank = ranks.rank(),
                                               .part = line.kind_of(station)})});
  };
  mpi_transport among(ranks);
  among.open(states, [&](int, auto body, auto sizes) -> landing {
    std::uint64_t station = 0;
    std::memcpy(&station, body.data(), sizeof station);
    try {
      auto const bytes = std::make_shared<std::string>(sizes[0], '\0');
      return {{std::as_writable_bytes(std::span(*bytes))}, [&, station, bytes] {
                try {
                  line.stations[station].state->restore(*bytes);
                } catch (...) {
                  failed(station, failure::kind::read_state);
                }
              }};
    } catch (...) {  // there is no memory for it
      failed(station, failure::kind::read_state);
      return {};
    }
  });
  send([&](std::size_t station, int to, auto&& bytes) {
    auto during = failure::kind::write_state;
    try {
      std::string all = bytes();
      if (to != ranks.rank()) return among.send(to, states, state_message(station, std::move(all)));
      during = failure::kind::read_state;
      line.stations[station].state->restore(all);
    } catch (...) {
      failed(station, during);
    }
  });
  among.settle();
  std::vector<unmoved_state> out;
  auto const all = ranks.all_gather(to_bytes(mine));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    auto const theirs =
        static_cast<int>(rank) == ranks.rank() ? std::move(mine) : from_bytes<std::vector<unmoved_state>>(all[rank]);
    out.insert(out.end(), theirs.begin(), theirs.end());
  }
  return out;
}

}  // namespace

std::vector<unmoved_state> move_states(program const& line, std::vector<state_move> const& moves,
                                       communicator const& ranks) {
  if (moves.empty()) return {};
  return exchange(line, ranks, [&](auto const& give) {
    for (auto const& move : moves) {
      auto const& state = line.stations[move.station].state;
      SKEL_EXPECTS(state != nullptr && move.from != move.to);
      if (ranks.rank() == move.from) give(move.station, move.to, [&state] { return state->take(); });
    }
  });
}

void give_states(program const& line, std::vector<std::string> bytes, std::vector<int> const& to,
                 communicator const& ranks) {
  auto const lost = exchange(line, ranks, [&](auto const& give) {
    for (std::size_t s = 0; s < bytes.size(); ++s)
      if (line.stations[s].state && !bytes[s].empty()) give(s, to[s], [&one = bytes[s]] { return std::move(one); });
  });
  if (!lost.empty()) throw_failure(lost.front().why);
}

}  // namespace skel::runtime

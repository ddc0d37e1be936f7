#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "transport/transport.hpp"

namespace skel::runtime::bsp {

/// What a rank has sent in a round.
struct arrival {
  std::string head, block;
  bool lost = false;  ///< there was no memory for the block, at either end
};

/// Rounds in which every rank sends one message to every other: whoever has one from each knows that all have come so
/// far, and what they know. Others may be one round ahead, but not two.
class rounds {
 public:
  rounds(transport& among, channel where);

  /// To another rank, once in a round. The head comes in any case; a long block travels straight to its memory.
  void send(int to, std::string const& head, std::string block);
  /// Whether there is a message from each other rank.
  bool complete() const { return come_[now_ % 2] == arrivals_[0].size() - 1; }
  /// What they have sent, by rank; the own one is empty. The next round begins. Precondition: complete().
  std::vector<arrival> take();

 private:
  landing receive(int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes);

  transport& among_;
  channel where_;
  std::uint64_t now_ = 0;
  std::array<std::vector<arrival>, 2> arrivals_;  // of this round and the next one
  std::array<std::size_t, 2> come_{};
};

}  // namespace skel::runtime::bsp

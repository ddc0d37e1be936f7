#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <skel/detail/plan/relays.hpp>

#include "transport.hpp"

namespace skel::runtime {

/// Message of a rank in a round.
struct round_message {
  std::string head, aside, block;  ///< aside: for rank 0 alone
  bool lost = false;               ///< there was no memory for the block and what is aside, at either end

  /// Gives its memory back.
  void clear() noexcept;
};

/// Rounds in which every rank hears what every other has to say. A rank that has heard all knows that all have come so
/// far, and their news. Others may be one round ahead, but not two.
///
/// Few ranks send one message to each other rank. If there are many, their heads are relayed (plan::relays_of()).
/// Blocks go straight to their receivers if there is anything in them; heads name these.
class rounds {
 public:
  /// `relays`: the steps of this rank in which heads are relayed; none: each rank sends to each. Of one decision of all
  /// ranks.
  rounds(transport& among, channel where, std::vector<plan::relay_step> relays);

  /// Once in a round: the head goes to all others, each block to the rank of its number, `aside` to rank 0. Heads come
  /// in any case: they are to be short, and a rank that has no memory for one throws. Long blocks travel straight to
  /// their memory. Throws std::bad_alloc.
  void send(std::string head, std::vector<std::string> blocks, std::string aside);
  /// The same block for all others, which is not copied for each; null: nothing.
  void send(std::string head, std::shared_ptr<std::string const> const& block);
  /// True if this rank has begun to send in this round.
  bool sent() const { return now().sent; }
  /// After this rank has sent what it has to say: true if all others have been heard.
  bool complete() const;
  /// Ranks that have not been heard in this round.
  std::vector<int> missing() const;
  /// This rank waits for no round any more, and no other one for it: heads that come are not relayed.
  void leave() { left_ = true; }
  /// Swaps the messages of all, by rank, with as many that are clear. This rank's is there too, without a block that it
  /// sent to all alike. The next round begins. Takes no memory. Precondition: complete().
  void take(std::vector<round_message>& into);

 private:
  /// Messages of a round that have come.
  struct progress {
    std::vector<round_message> from;
    std::size_t messages = 0;                         // straight from the ranks that they are of
    std::size_t announced = 0;                        // of these, if heads are relayed
    std::vector<std::map<int, std::string>> steps{};  // of each step, what came, by ranks
    std::vector<std::string> said{};                  // of each rank, its head and the ranks that it sends to
    std::size_t next_step = 0;
    bool sent = false;

    void clear() noexcept;
  };

  progress& of(std::uint64_t round) { return rounds_[round % 2]; }
  progress const& now() const { return rounds_[now_ % 2]; }
  using shared_block = std::shared_ptr<std::string const>;
  void send_all(std::string head, std::vector<std::string> blocks, std::string const& aside, shared_block const& alike);
  void send_straight(std::size_t to, std::string const& head, std::string const& aside, std::string block,
                     shared_block const& alike);
  void relay(std::size_t step);
  void go_on();
  void hear(std::size_t rank, std::string what);
  landing receive(int from, std::span<std::byte const> body, std::span<std::uint64_t const> sizes);
  std::size_t size() const { return static_cast<std::size_t>(among_.size()); }
  std::size_t rank() const { return static_cast<std::size_t>(among_.rank()); }
  bool relayed() const { return !relays_.empty(); }

  transport& among_;
  channel where_;
  std::vector<plan::relay_step> relays_;  // steps of a round; none: heads are not relayed
  std::uint64_t now_ = 0;
  std::array<progress, 2> rounds_;  // this one and the next one
  bool left_ = false;
};

/// The steps of this rank if heads are relayed, as by `most_straight` ranks and more; none if there are fewer.
/// `group_of`: of each rank, alike for those that are near to each other; empty: all are.
std::vector<plan::relay_step> relays_from(std::size_t most_straight, transport const& among,
                                          std::vector<std::size_t> group_of = {});

}  // namespace skel::runtime

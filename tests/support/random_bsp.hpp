#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/hash.hpp>
#include <skel/detail/runtime/bsp/program.hpp>

#include "support/dice.hpp"

namespace skel::test {

/// What a process of a random program has seen: everything, in order.
struct witness {
  std::uint64_t seen = 0;
  std::vector<double> sums;
  std::string last;
  std::vector<std::uint64_t> board = std::vector<std::uint64_t>(8);
  std::size_t asked = 0;  ///< gets of the last superstep

  void see(std::uint64_t what) { seen = mixed(seen ^ what); }
  friend bool operator==(witness const&, witness const&) = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seen, sums, last, board, asked);
  }
};

inline std::uint64_t number_in(std::uint64_t message) {
  return message;
}
inline std::uint64_t number_in(double message) {
  return std::bit_cast<std::uint64_t>(message);
}
/// Sums of these depend on the order in which they are added.
inline void write(double& message, std::uint64_t what) {
  message = 1.0 / static_cast<double>(1 + what % 1000003);
}
inline std::uint64_t number_in(std::string const& message) {
  return fnv1a().add(message).value();
}
inline void write(std::uint64_t& message, std::uint64_t what) {
  message = what;
}
inline void write(std::string& message, std::uint64_t what) {
  message.assign(what % 40, static_cast<char>('a' + what % 26));
}

/// Processes that send to each other and to all, put, get, contribute, sleep and wake as a seed and what they have
/// received say, and send nothing any more after some supersteps.
template <class Message>
auto random_bsp(std::uint64_t seed) {
  bench::dice roll(seed);
  std::size_t const n = roll.between(1, 24);
  std::uint64_t const last = roll.between(1, 12), fan = roll.between(0, 4);
  bool const accesses = roll.one_in(2);
  auto const make = [seed](std::size_t p) {
    return witness{bench::scatter(seed + p), {}, std::to_string(p), {1, 2, p, 4, 5, 6, 7, 8}, 0};
  };
  auto const step = [=](skel::superstep<Message, double>& now, witness& mine) {
    mine.see(now.number());
    for (auto const& [from, what] : now.received()) mine.see(from), mine.see(number_in(what));
    for (auto const& [from, what] : now.received_by_all()) mine.see(from * 3), mine.see(number_in(what));
    if (now.reduced()) mine.sums.push_back(*now.reduced());
    mine.last += static_cast<char>('a' + now.received().size() % 26);
    for (std::size_t i = 0; i < mine.asked; ++i)
      for (auto const what : now.template got<&witness::board>(i)) mine.see(what);
    mine.asked = 0;
    if (now.number() <= last) {
      if (accesses && mine.seen % 5 == 0)
        for (std::uint64_t i = 0; i < 3; ++i)
          now.template put<&witness::board>(bench::scatter(mine.seen + i) % n, (mine.seen + i) % 8, mine.seen);
      if (accesses && mine.seen % 7 == 0) {
        now.template put<&witness::board>(mine.seen % n, 2, std::span<std::uint64_t const>(mine.board).first(5));
        mine.asked = 1 + now.template get<&witness::board>(bench::scatter(mine.seen) % n, 1, 6);
        mine.asked = 1 + now.template get<&witness::board>(mine.seen % n, 7);
      }
      Message message;
      for (std::uint64_t i = mine.seen % (fan + 1); i > 0; --i) {
        write(message, mine.seen ^ i);
        now.send(bench::scatter(mine.seen + i) % n, message);
      }
      if (mine.seen % 11 == 0) write(message, mine.seen), now.send_to_all(message);
      // Sums of these depend on the order in which they are added.
      if (mine.seen % 3 == 0) now.contribute(1.0 / static_cast<double>(1 + mine.seen % 1000003));
    }
    if (now.number() > last || mine.seen % 4 == 1) now.halt();
  };
  return skel::bsp<Message, double>("random", n, make, step, std::plus<>{}, skel::registered<&witness::board>());
}

/// Processes that combine what they receive by themselves, and see only that and the first sender. The same with a
/// program that is combined_by() the operator.
template <class Message, class Combine>
auto combining_bsp(std::uint64_t seed, Combine combine) {
  bench::dice roll(seed);
  std::size_t const n = roll.between(1, 40);
  std::uint64_t const last = roll.between(1, 12), fan = roll.between(1, 6);
  return skel::bsp<Message>(
      "combining", n,
      [seed](std::size_t p) {
        return witness{bench::scatter(seed + p), {}, {}, {}, 0};
      },
      [=](skel::superstep<Message>& now, witness& mine) {
        mine.see(now.number());
        std::optional<Message> sum;
        for (auto& [from, what] : now.received()) {
          if (!sum) mine.see(from);
          fold_into(sum, std::move(what), combine);
        }
        if (sum) mine.see(number_in(*sum));
        Message message{};
        if (now.number() <= last)
          for (std::uint64_t i = mine.seen % (fan + 1); i > 0; --i) {
            write(message, mine.seen ^ i);
            now.send(bench::scatter(mine.seen + i) % n, message);
          }
        if (now.number() <= last && mine.seen % 11 == 0) now.send_to_all(message);
        if (now.number() > last || mine.seen % 4 == 1) now.halt();
      });
}

}  // namespace skel::test

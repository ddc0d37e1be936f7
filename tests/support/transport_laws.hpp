#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <runtime/transport/transport.hpp>

#include "support/dice.hpp"

/// What every transport promises, as one check. A process has the transports of some ranks: of its own, or of all.
namespace skel::test {

using transports = std::vector<runtime::transport*>;

/// One message of a random traffic, which every rank draws alike.
struct letter {
  int from = 0, to = 0;
  runtime::channel where = 0;
  std::uint64_t number = 0;
  std::size_t body = 0;
  std::vector<std::size_t> ranges;
  bool unwanted = false;  ///< its receiver wants no ranges
  bool refused = false;   ///< its receiver throws
};

/// What a part of a message holds: its body is part 0, ranges follow.
inline void fill(std::span<std::byte> to, std::uint64_t number, std::size_t part) {
  auto next = static_cast<std::uint8_t>(bench::scatter(number * 64 + part));
  for (std::byte& one : to) one = std::byte{next++};
}
inline bool holds(std::span<std::byte const> what, std::uint64_t number, std::size_t part) {
  std::vector<std::byte> expected(what.size());
  fill(expected, number, part);
  return std::ranges::equal(what, expected);
}

inline std::vector<letter> random_letters(int ranks, std::size_t count, bench::dice& roll) {
  std::vector<letter> out;
  for (std::uint64_t n = 0; n < count; ++n) {
    letter one;
    one.number = n;
    one.from = static_cast<int>(roll.below(static_cast<std::size_t>(ranks)));
    one.to =
        static_cast<int>((static_cast<std::size_t>(one.from) + roll.between(1, 6)) % static_cast<std::size_t>(ranks));
    if (one.to == one.from) continue;
    one.where = static_cast<runtime::channel>(roll.below(3));
    one.body = roll.some(14);  // from no byte to more than is sent without asking
    if (roll.one_in(2))
      for (std::size_t r = roll.between(1, 4); r > 0; --r) one.ranges.push_back(roll.some(16));
    one.unwanted = roll.one_in(6);
    one.refused = roll.one_in(12);
    out.push_back(one);
  }
  return out;
}

inline runtime::message written(letter const& of) {
  runtime::message out(sizeof of.number + of.body, of.ranges.size());
  std::memcpy(out.body().data(), &of.number, sizeof of.number);
  fill(out.body().subspan(sizeof of.number), of.number, 0);
  auto const keep = std::make_shared<std::vector<std::vector<std::byte>>>();
  for (std::size_t size : of.ranges) {
    keep->emplace_back(size);
    fill(keep->back(), of.number, keep->size());
  }
  for (auto const& range : *keep) out.add(range);
  out.keep = keep;
  return out;
}

/// Every message comes once and unchanged, whatever some receivers do, and nothing after quiet(); then the same again,
/// with `rounds` of `count` messages. Collective.
inline void check_transport_laws(transports const& here, std::uint64_t seed, std::size_t rounds, std::size_t count) {
  bench::dice roll(seed);
  for (std::size_t round = 0; round < rounds; ++round) {
    auto const letters = random_letters(here.front()->size(), count, roll);
    std::map<std::uint64_t, letter const*> known;
    std::map<std::uint64_t, int> begun, whole;
    int refused = 0, thrown = 0;
    for (auto const& one : letters) known[one.number] = &one;
    for (auto* end : here)
      for (runtime::channel where : {0u, 1u, 2u})
        end->open(where, [&, end, where](int from, auto body, auto sizes) -> runtime::landing {
          std::uint64_t number = 0;
          std::memcpy(&number, body.data(), sizeof number);
          letter const& of = *known.at(number);
          ++begun[number];
          EXPECT_EQ(of.to, end->rank());
          EXPECT_EQ(of.from, from);
          EXPECT_EQ(of.where, where);
          EXPECT_EQ(of.body + sizeof number, body.size());
          EXPECT_TRUE(holds(body.subspan(sizeof number), number, 0)) << "message " << number;
          EXPECT_EQ(std::vector<std::size_t>(sizes.begin(), sizes.end()), of.ranges);
          if (of.refused) {
            ++refused;
            throw std::runtime_error("refused");
          }
          if (of.unwanted || of.ranges.empty()) return {};
          auto const place = std::make_shared<std::vector<std::vector<std::byte>>>();
          runtime::landing out;
          for (std::size_t size : sizes) place->emplace_back(size);
          for (auto& range : *place) out.ranges.emplace_back(range);
          out.done = [&, number, place, body] {
            ++whole[number];
            EXPECT_TRUE(holds(body.subspan(sizeof number), number, 0)) << "message " << number;  // is still there
            for (std::size_t r = 0; r < place->size(); ++r)
              EXPECT_TRUE(holds((*place)[r], number, r + 1)) << "range " << r << " of message " << number;
          };
          return out;
        });
    auto const step = [&](runtime::transport& end) {
      try {
        if (!end.progress()) end.rest(1e-4, [] { return false; });
      } catch (std::runtime_error const&) {
        ++thrown;
      }
    };
    for (auto const& one : letters)
      for (auto* end : here)
        if (one.from == end->rank()) {
          end->send(one.to, one.where, written(one));
          if (one.number % 3 == 0) step(*end);
        }
    for (auto* end : here) end->quiesce();
    for (auto* end : here)
      while (!end->quiet())
        for (auto* other : here) step(*other);
    for (auto const& one : letters)
      for (auto* end : here)
        if (one.to == end->rank()) {
          EXPECT_EQ(begun[one.number], 1) << "message " << one.number;
          EXPECT_EQ(whole[one.number], one.refused || one.unwanted || one.ranges.empty() ? 0 : 1);
        }
    EXPECT_EQ(thrown > 0, refused > 0);  // those that come together may be told together
    EXPECT_LE(thrown, refused);
  }
}

}  // namespace skel::test

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <skel/detail/runtime/station/divisible_state.hpp>

namespace skel::test {

/// The laws of a stage's function whose state is in parts, on `items` of type In, from the function in its first state.
/// Its parts are numbered from 0 on and belong to items for good. Work on an item changes the item's part, and neither
/// another one nor what all share. Writing changes nothing. A function that has read all parts and what they share goes
/// on as the one that has written them, also where each part was written at another time.
template <class In, class Out, class F>
void check_divisible_laws(F const& first, std::vector<In> const& items) {
  F here = first, there = first, alone = first;
  auto const state = runtime::stage_state_of<In, Out>(here), other = runtime::stage_state_of<In, Out>(there);
  ASSERT_NE(state->divisible(), nullptr);
  auto &from = *state->divisible(), &to = *other->divisible();
  std::size_t const all = from.parts();
  auto const written = [&] {
    std::vector<std::string> out{from.take_shared()};
    for (std::size_t part = 0; part < all; ++part) out.push_back(from.take_part(part));
    return out;
  };

  auto before = written();
  EXPECT_EQ(written(), before) << "writing changes nothing";
  for (In const& one : items) {
    std::size_t const part = std::as_const(here).part_of(one);
    ASSERT_LT(part, all);
    EXPECT_EQ(here(one), alone(one));
    EXPECT_EQ(std::as_const(here).part_of(one), part) << "a part belongs to an item for good";
    auto after = written();
    before[1 + part] = after[1 + part];
    ASSERT_EQ(after, before) << "work on an item of part " << part << " changes that part alone";
  }
  ASSERT_EQ(from.parts(), all);

  // Part by part, while the others are worked on: afterwards it goes on there.
  to.restore_shared(from.take_shared());
  for (std::size_t part = 0; part < all; ++part) {
    to.restore_part(part, from.take_part(part));
    for (In const& one : items) {
      F& worker = std::as_const(alone).part_of(one) <= part ? there : here;
      ASSERT_EQ(worker(one), alone(one));
    }
  }
  for (In const& one : items) ASSERT_EQ(there(one), alone(one));

  // And all at once.
  state->restore(other->take());
  for (In const& one : items) ASSERT_EQ(here(one), alone(one));
}

}  // namespace skel::test

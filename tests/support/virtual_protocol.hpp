#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "support/dice.hpp"
#include "support/fake_network.hpp"

namespace skel::test {

/// Lets the protocols of virtual ranks go on, one drawn after the other, until every rank has come to rest. A rank has
/// `here`, which points to a protocol with serve(), and `over`. Throws std::runtime_error when nothing happens any
/// more.
template <class Rank>
void run_to_rest(fake_network& net, bench::dice& roll, std::vector<Rank>& ranks) {
  std::uint64_t seen = 0;
  std::size_t idle = 0;
  for (bool goes_on = true; goes_on; ++idle) {
    auto& one = ranks[roll.below(ranks.size())];
    auto& by = net.at(static_cast<int>(&one - ranks.data()));
    if (roll.one_in(4)) by.progress();  // messages come before a rank has begun, too
    if (!one.over && !one.here->serve()) {
      one.over = true;
      by.quiesce();
    }
    by.progress();
    goes_on = false;
    for (std::size_t r = 0; r < ranks.size(); ++r)
      goes_on = goes_on || !ranks[r].over || !net.at(static_cast<int>(r)).quiet();
    if (net.events() != seen) seen = net.events(), idle = 0;
    if (idle == 20000) throw std::runtime_error("nothing happens any more");
  }
}

}  // namespace skel::test

#pragma once

#include <cstddef>
#include <exception>
#include <string>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/ranks/communicator.hpp>

namespace skel::runtime {

/// Sees to it that oneTBB has so many threads of its own, from now on and as long as the process lives. Without it,
/// oneTBB makes them while it runs, and ends the program if it cannot. Any thread, also while others are at work.
/// O(threads) at the first call for as many, and nothing later. Throws skel::error if the system does not give them.
void expect_workers(std::size_t count);

/// Gives the calling thread, one of oneTBB's, the name that it has for good: "skel-lane-" and a number.
void name_worker();

/// Throws skel::error on every rank if a problem is known to any of them: that of the lowest such rank. Collective.
void expect_none(communicator const& ranks, std::string const& problem);

/// Calls make() on all ranks. Throws skel::error on every rank if it threw on any of them, with its words and rank.
/// Collective.
template <class Make>
void make_together(communicator const& ranks, Make const& make) {
  if (ranks.size() == 1) return make();
  std::string problem;
  try {
    make();
  } catch (std::exception const& e) {
    problem = what_of(e);
  }
  expect_none(ranks, problem);
}

}  // namespace skel::runtime

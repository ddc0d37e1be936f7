#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <skel/skel.hpp>

/// Programs as users write them, whose length can be chosen.
namespace bench {

struct promise_program {
  std::string name;
  std::string what;
  bool drifts;        ///< its first items are not like the others, so that no forecast from before is of the run
  std::size_t items;  ///< of a run that takes some tenths of a second on a core of 2020
  /// Runs it on so many items. Collective. Throws skel::error when its result is not right.
  skel::run_report (*run)(skel::grid& grid, std::size_t items);
};

std::span<promise_program const> promise_programs();

}  // namespace bench

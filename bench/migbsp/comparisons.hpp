#pragma once

#include <cstddef>
#include <string>
#include <vector>

/// Tables of what policies of migration take on random programs, on the standard output.
namespace bench {

/// Beside no migrations, on `each` programs of every kind; and the programs on which "skel" is slower by more than
/// 0.5 %. A call takes at least `call` times the first superstep. `policies`: only these; empty: all.
void compare_with_never(std::size_t each, unsigned seed, double call, std::vector<std::string> const& policies);

/// "skel" beside the best of the other policies, on `programs` of all kinds in turn, every other one of them large; and
/// those on which it is slower by more than 1 %.
void compare_with_best(std::size_t programs, unsigned seed);

/// Beside a schedule that knows all loads to come and makes no calls. `small`: on programs with so few processes that
/// it is the cheapest of all, and beside it what is searched for on larger ones.
void compare_with_clairvoyant(std::size_t each, unsigned seed, bool small);

/// "skel" beside greedy refinement every 2, 4, 8 and 16 supersteps, on `programs` with growing hot spots; among them
/// those on which greedy refinement is faster than no migrations.
void compare_on_growing_spots(std::size_t programs, unsigned seed);

}  // namespace bench

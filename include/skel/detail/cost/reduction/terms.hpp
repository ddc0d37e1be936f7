#pragma once

#include <string_view>
#include <vector>

#include <skel/detail/cost/reduction/problem.hpp>

namespace skel::cost {

/// A quantity that a time is a sum of, with a coefficient >= 0 that depends on the machine.
struct reduction_term {
  std::string_view name;
  double amount = 0;
};

/// What an execution of an algorithm is made of. Symbols: M, N, P, m subscripts of all iterations, b bytes of an
/// element.
///
/// Accumulating takes, for the busiest part: its iterations, their other work, its updates m/P, each for every 8 bytes,
/// and its misses: m/P turnover max(0, 1 - C/F) for each capacity C, where F is what the part accumulates into [B].
/// Then, each over P: REPBUF merges N (P - 1) elements, REPLINK P SP N in P CLUS runs, SELPRIV `privates` N; atomic
/// updates are weighed apart, and so are those of iterations with a private element (SELPRIV) or several owners
/// (LOCALWR, which runs `load` M / P iterations), lookups of lazy blocks, and contributions stored and gathered.
/// In virtual threads, what phases move beyond their P second-level caches is weighed apart, as all threads share the
/// memory's bandwidth [B].
std::vector<reduction_term> run_terms(plan::reduction_algorithm algorithm, reduction_problem const& problem,
                                      cache_sizes const& caches);

/// What its setup is made of: looking at all subscripts, bitmaps of N bits for each part, lists, and filling copies.
std::vector<reduction_term> setup_terms(plan::reduction_algorithm algorithm, reduction_problem const& problem,
                                        cache_sizes const& caches);

}  // namespace skel::cost

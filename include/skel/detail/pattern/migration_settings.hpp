#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <skel/detail/base/registry.hpp>

namespace skel::skeletons {

/// All policies that a program or a scenario may name. mapping/migration/policy.hpp makes them.
registry<named_row>& migration_policies();

/// The policy that is no policy: processes stay where they begin, and nothing is measured.
inline constexpr std::string_view never_migrated = "never";

/// The default limit of supersteps of a program: for longer waits there is "never".
inline constexpr std::size_t most_alpha = 1'000'000;

/// A policy and its parameters. A policy ignores parameters that it does not use.
struct migration_settings {
  std::string name = "skel";   ///< one of migration_policies
  std::size_t alpha = 4;       ///< supersteps until the first call; of those that do not adapt it, between calls; 1 to
                               ///< most_alpha
  bool apply = true;           ///< false: calls are made and paid for, and nothing moves
  std::size_t supersteps = 0;  ///< that the program will have by its own word; 0: not said

  // Of migbsp (Righi et al. 2009, ICCS, LNCS 5544:213-223), with the values of the paper.
  double d = 0.5;          ///< how far times of balanced processes are from their mean at most, as part of it
  std::size_t omega = 3;   ///< calls without migrations after which calls become rarer at any balance
  double delta = 0.5;      ///< how far a prediction may be off for a process to be regular, as part of it
  bool best_only = false;  ///< heuristic 2: the one process with the largest potential; otherwise heuristic 1
  double x = 0.8;          ///< of heuristic 1: the part of the largest potential that makes a candidate
};

/// A policy in place of a program's, and its alpha if there is one. The program's other parameters stay.
struct migration_override {
  std::string name;
  std::optional<std::size_t> alpha{};

  migration_settings over(migration_settings of_program) const {
    of_program.name = name;
    of_program.alpha = alpha.value_or(of_program.alpha);
    return of_program;
  }
};

/// Throws skel::error for an unknown policy, and for parameters without meaning.
void check(migration_settings const& of);

}  // namespace skel::skeletons

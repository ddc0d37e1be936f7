#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "program.hpp"

namespace bench::reductions {

/// An input of Moldyn.
struct moldyn_input {
  char const* name;
  std::array<std::size_t, 3> cells;  ///< of the face-centred cubic lattice, four molecules in each
  double cut_off;                    ///< the mean over the phases
  double connectivity;               ///< pairs / molecules, the mean over the phases
  std::size_t steps, phases;
  double density;  ///< molecules in a unit of volume
};

/// The five inputs of Table 6 of the paper, which says molecules, cut-off, connectivity, steps and phases. It does not
/// say the density: the one that gives the connectivity was found by moldyn_density() (a test finds it again).
extern std::array<moldyn_input, 5> const moldyn_inputs;

/// Molecules of a crystal near its melting point: each moves about its place on the lattice, by a tenth of the distance
/// of its neighbours (root of the mean square; Lindemann's criterion), and keeps 4/5 of that from phase to phase. The
/// cut-off swings by 5 % about its mean, once over the run. Steps are dealt to the phases by chance, at least one to
/// each. Source: Yu, Zhang, Dang, Rauchwerger 2004, An Adaptive Algorithm Selection Framework, TR04-002, Texas A&M,
/// section 7.2.
program moldyn(moldyn_input const& input, options const& how);

/// The density at which the mean connectivity over the phases is that of the input, by bisection on a periodic crystal
/// of at least `molecules`.
double moldyn_density(moldyn_input const& input, std::size_t molecules, std::uint64_t seed);

}  // namespace bench::reductions

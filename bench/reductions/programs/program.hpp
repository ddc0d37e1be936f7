#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <skel/detail/pattern/made_meshes.hpp>
#include <skel/detail/pattern/mesh.hpp>
#include <skel/detail/pattern/pattern.hpp>

namespace bench::reductions {

/// What an element of the array that is accumulated into is: a double, or three.
enum class value_kind : std::uint8_t { real, vec3 };

/// The time in which a pattern does not change: the loop runs over it `steps` times.
struct phase {
  skel::pattern pattern;
  std::size_t steps = 1;
};

/// How a program is made.
struct options {
  double scale = 1;  ///< of the number of elements, about
  skel::numbering nodes = skel::numbering::native, cells = skel::numbering::native;
  std::uint64_t seed = 1;
};

/// The irregular reduction of a program, as data: what it runs over, and what it computes besides.
struct program {
  std::string name, input;
  value_kind value = value_kind::real;
  double other_work = 0;  ///< of an iteration, without the additions to the array [flop]
  std::uint64_t seed = 0;
  std::size_t phases = 1;
  /// The next phase, nothing after the last. Phases are made when they are asked for, as all together may not fit into
  /// memory.
  std::function<std::optional<phase>()> next;
};

/// A program of one phase: a cell of the mesh is an iteration. The mesh is renumbered as the options say.
program mesh_program(std::string name, std::string input, skel::mesh const& cells, options const& how, value_kind value,
                     double other_work, std::size_t steps);

/// A program of one phase over a pattern that has no numbering to choose.
program pattern_program(std::string name, std::string input, skel::pattern only, options const& how, value_kind value,
                        double other_work, std::size_t steps);

}  // namespace bench::reductions

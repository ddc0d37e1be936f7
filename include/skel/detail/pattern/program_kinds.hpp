#pragma once

/// Tells programs of a kind apart, for headers that do not include the makers of programs.
namespace skel::skeletons {

/// True for the results of skel::iterate() and its steps.
template <class T>
inline constexpr bool is_mesh_program = false;

}  // namespace skel::skeletons

namespace skel::runtime::bsp {

/// True for the results of skel::bsp().
template <class T>
inline constexpr bool is_program = false;

}  // namespace skel::runtime::bsp

#pragma once

/// Whether a type is a program of a kind, for those that do not include what makes one.
namespace skel::skeletons {

/// What skel::iterate() and its steps make.
template <class T>
inline constexpr bool is_mesh_program = false;

}  // namespace skel::skeletons

namespace skel::runtime::bsp {

/// What skel::bsp() makes.
template <class T>
inline constexpr bool is_program = false;

}  // namespace skel::runtime::bsp

#pragma once

namespace skel::skeletons {

/// What skel::iterate() and its steps make.
template <class T>
inline constexpr bool is_mesh_program = false;

}  // namespace skel::skeletons

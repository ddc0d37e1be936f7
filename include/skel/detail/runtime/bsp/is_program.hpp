#pragma once

namespace skel::runtime::bsp {

/// What skel::bsp() makes.
template <class T>
inline constexpr bool is_program = false;

}  // namespace skel::runtime::bsp

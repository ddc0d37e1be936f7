#pragma once

#include <type_traits>

#include <skel/detail/pattern/wrapper.hpp>

namespace skel::skeletons {

/// Whether a function object can keep nothing from one call to the next, as far as its type says: it has no members, as
/// a lambda without captures, or is a plain function. Whatever has members may keep state, also a lambda that captures
/// by value or by reference: skel::stateless says that it does not.
/// Limits: globals and static variables are not seen; each rank has its own.
template <class F>
inline constexpr bool is_stateless =
    std::is_empty_v<F> || std::is_function_v<std::remove_pointer_t<F>> || std::is_member_pointer_v<F>;
template <wrapper F>
inline constexpr bool is_stateless<F> = is_stateless<typename F::skel_wraps>;

}  // namespace skel::skeletons

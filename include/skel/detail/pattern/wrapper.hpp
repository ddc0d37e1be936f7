#pragma once

#include <type_traits>

namespace skel::skeletons {

/// A callable of skel's around one of the user's, its `function`: skel_wraps is the user's type.
template <class F>
concept wrapper = requires {
  typename F::skel_wraps;
  requires std::is_same_v<decltype(F::function), typename F::skel_wraps>;
};

/// A function of skel's that begins before the first item of a run, where it will be called: skel_begin() may throw.
template <class F>
concept begins = requires(F& function) {
  function.skel_begin();
};

/// Calls `finish()` of a user's function object that has one.
template <class F>
void finish(F& function) {
  if constexpr (wrapper<F>)
    skeletons::finish(function.function);
  else if constexpr (requires { function.finish(); })
    function.finish();
}

}  // namespace skel::skeletons

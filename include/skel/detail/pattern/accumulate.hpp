#pragma once

#include <concepts>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/user_function.hpp>

namespace skel {
namespace skeletons {

/// Adds items to a value.
template <class Sum, class F>
struct accumulating {
  using skel_wraps = F;
  F function;

  template <class Item>
  requires std::invocable<F&, Sum&, Item> Sum operator()(Item&& item) {
    return (*this)(std::forward<Item>(item), std::stop_token());
  }
  template <class Item>
  requires callable_with<F, Sum&, Item> Sum operator()(Item&& item, std::stop_token const& stop) {
    Sum sum{};
    add(sum, std::forward<Item>(item), stop);
    return sum;
  }
  template <class Item>
  void add(Sum& sum, Item&& item, std::stop_token const& stop) {
    call_with_stop(stop, function, sum, std::forward<Item>(item));
  }
};

template <class F>
inline constexpr bool is_accumulating = false;
template <class Sum, class F>
inline constexpr bool is_accumulating<accumulating<Sum, F>> = true;

}  // namespace skeletons

/// The function of a stage or farm that adds an item to an empty Sum{}: skel::farm("count",
/// skel::accumulate<counts>(add_words)), where add_words(counts&, Item). A skel::reduce behind it joins sums by its
/// operator. A worker that folds then adds its items to one sum, instead of joining a sum for each. If the reduce forms
/// its sums by the numbers of the items (skel::reproducible), the worker has a sum for each. `add` may take a
/// std::stop_token behind the item. Its exceptions are the stage's, with the number of the item. Law: add(sum, item)
/// equals the reduce's operator on `sum` and a Sum{} with the item added.
template <class Sum, class F>
requires std::default_initializable<Sum>
auto accumulate(F add) {
  return skeletons::accumulating<Sum, F>{std::move(add)};
}

}  // namespace skel

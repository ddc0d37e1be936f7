#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>

#include <skel/detail/pattern/annotations.hpp>
#include <skel/detail/pattern/skeletons.hpp>

/// Error messages for arguments that a skeleton does not take. The checks are instantiated at the call of the skeleton;
/// the compiler's message names their subject.
namespace skel::skeletons {

template <class T>
concept name_like = std::convertible_to<T, std::string>;

/// Checks the argument in the place of a skeleton's function.
template <class F>
struct check_function {
  static constexpr bool is_first = !option<F> && !name_like<F>;
  static_assert(is_first,
                "skel: a name or an option stands where a function should (named in check_function<It>): the function "
                "comes first and its options behind it. Accepted: skel::stage(function, options...), "
                "skel::stage(name, function, options...), and so for the other skeletons");
  static constexpr bool is_function = !skeleton<F>;
  static_assert(is_function,
                "skel: a skeleton stands where a function should (named in check_function<It>): join skeletons with |; "
                "only a farm takes skeletons as its worker: skel::farm(skel::pipeline(f, g))");
  static constexpr bool value = is_first && is_function;
};
template <>
struct check_function<refused> : std::false_type {};

template <class... Options>
struct check_source_options {
  static constexpr bool value = (one_of<Options, at, work, stateless_t> && ...);
  static_assert(value,
                "skel: behind its function a source takes the options skel::at, skel::work and skel::stateless only "
                "(it was given those named in check_source_options<Options...>); a name comes before the function. It "
                "is called from one thread at a time, so it has neither width nor order");
};
template <class... Options>
struct check_stage_options {
  static constexpr bool value = (one_of<Options, at, work, stateless_t> && ...);
  static_assert(value,
                "skel: behind its function a stage takes the options skel::at, skel::work and skel::stateless only (it "
                "was given those named in check_stage_options<Options...>); a name comes before the function. One "
                "function sees every item, in order. For several workers, or results as they come, write a farm: "
                "skel::farm(f, skel::width(4), skel::unordered)");
};
template <class... Options>
struct check_farm_options {
  static constexpr bool value = (one_of<Options, ordered_t, unordered_t, width, at, work> && ...);
  static_assert(value,
                "skel: behind its worker a farm takes the options skel::ordered, skel::unordered, skel::width, "
                "skel::at and skel::work only (it was given those named in check_farm_options<Options...>); a name "
                "comes before the worker: skel::farm(name, f)");
};
template <class... Options>
struct check_reduce_options {
  static constexpr bool value = (one_of<Options, at, work, reproducible_t> && ...);
  static_assert(value,
                "skel: behind its operator a reduce takes a window, skel::every(n), and then the options skel::at, "
                "skel::work and skel::reproducible only (it was given those named in check_reduce_options<Options"
                "...>); a name comes before the operator. The farm before a reduce has the width, and a commutative "
                "operator (skel::commutative) leave to change the order");
};
template <class... Options>
struct check_broadcast_options {
  static constexpr bool value = (one_of<Options, width, at, work> && ...);
  static_assert(value,
                "skel: behind its worker a broadcast takes the options skel::width (the number of copies), skel::at "
                "and skel::work only (it was given those named in check_broadcast_options<Options...>); a name comes "
                "before the worker. Items keep their order");
};
template <class... Options>
struct check_sink_options {
  static constexpr bool value = (one_of<Options, at, work, stateless_t> && ...);
  static_assert(value,
                "skel: behind its function a sink takes the options skel::at, skel::work and skel::stateless only (it "
                "was given those named in check_sink_options<Options...>); a name comes before the function. It is "
                "called from one thread at a time, in the order of the farm before it: skel::farm(f, skel::unordered)");
};

/// A skeleton of one function, if its arguments are accepted.
template <template <class> class Skeleton, template <class...> class CheckOptions, class F, class... Options>
auto make_part(std::string name, F function, Options... options) {
  if constexpr (!check_function<F>::value)
    return refused{};
  else if constexpr (!CheckOptions<Options...>::value)
    return refused{};
  else
    return Skeleton<F>{std::move(function), annotate(name, std::move(options)...)};
}

/// A stage whose function is `Wrapper` of one.
template <template <class> class Wrapper, class F, class... Options>
auto make_named(std::string name, F function, Options... options) {
  if constexpr (!check_function<F>::value)
    return refused{};
  else
    return make_part<stage, check_stage_options>(std::move(name), Wrapper<F>{std::move(function)},
                                                 std::move(options)...);
}

}  // namespace skel::skeletons

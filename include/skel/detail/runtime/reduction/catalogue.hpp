#pragma once

#include <boost/hana/bool.hpp>
#include <boost/hana/filter.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>

#include <skel/detail/pattern/annotations.hpp>
#include <skel/detail/pattern/monoid.hpp>
#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/runtime/reduction/algorithms.hpp>

namespace skel {

/// Properties of an irregular reduction's loop, for the compiler.
struct reduction_rules {
  /// The body may be called several times for an iteration: it does nothing but accumulate.
  bool replayable = false;
  /// Determinism of rounded results. With any_parts, an iteration adds at most once to each of its slots.
  plan::determinism determinism = plan::determinism::none;
};

constexpr reproducible_t::operator reduction_rules() const {
  return {.determinism = plan::determinism::any_parts};
}

namespace runtime::reduction {

/// True if an algorithm may be used for an operator, types of arrays and rules.
template <class Algorithm, reduction_rules Rules, class Op, class... Ts>
inline constexpr bool is_legal = [] {
  using enum plan::reduction_algorithm;
  constexpr auto algorithm = Algorithm::algorithm;
  constexpr bool reproducible = algorithm == sequential || algorithm == segmented_gather;
  if (algorithm == local_write && !Rules.replayable) return false;
  if (algorithm == atomic && (!can_be_atomic<Op, Ts...> || Rules.determinism != plan::determinism::none)) return false;
  return Rules.determinism != plan::determinism::any_parts || reproducible;
}();

/// The types of all algorithms, in the order of plan::reduction_algorithm.
template <class Op, class... Ts>
inline constexpr auto all_algorithms =
    boost::hana::tuple_t<sequential<Op, Ts...>, replicated_buffer<Op, Ts...>, replicated_links<Op, Ts...>,
                         selective_privates<Op, Ts...>, local_write<Op, Ts...>, atomic_updates<Op, Ts...>,
                         lazy_blocks<Op, Ts...>, segmented_gather<Op, Ts...>>;

/// The types of the legal ones: a selector chooses from them, and nothing else is compiled.
template <reduction_rules Rules, class Op, class... Ts>
inline constexpr auto legal_algorithms = boost::hana::filter(all_algorithms<Op, Ts...>, [](auto algorithm) {
  return boost::hana::bool_c<is_legal<typename decltype(algorithm)::type, Rules, Op, Ts...>>;
});

}  // namespace runtime::reduction
}  // namespace skel

#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/runtime/reduction/loops.hpp>
#include "train/trial.hpp"
#include "train/trial_loop.hpp"

namespace bench::reductions {

/// The loop that everybody runs: the bodies, values and subscripts of skel's trials. A view of all of them.
struct common_loop {
  skel::pattern const& of;
  std::span<double const> stream;  ///< of make_stream()
  skel::training::trial_value value = skel::training::trial_value::number;
  std::size_t other_work = 0;
  std::size_t threads = 1;
  std::span<double> into;  ///< N values, their components side by side

  std::size_t components() const { return value == skel::training::trial_value::number ? 1 : 3; }
};

/// Somebody else's way to run it.
struct competitor {
  std::string name;
  std::string note;           ///< what a reader of its figures must know; may be empty
  std::size_t threads = 1;    ///< on which it runs
  std::function<void()> run;  ///< accumulates into `into` once more; empty where the note says why it cannot
  bool keeps = false;         ///< memory from its first run on
};

/// Reductions over sections of arrays: a copy of the array on the stack of each thread, merged one after the other.
/// Cannot run where a stack has no room for it: see run_with_stacks().
competitor openmp_array(common_loop const& loop);
/// Each addition to a component is atomic.
competitor openmp_atomic(common_loop const& loop);
/// A copy of the array for each thread that takes part, kept from run to run; merged slice by slice in parallel.
competitor tbb_combinable(common_loop const& loop);
/// Kokkos::Experimental::ScatterView with its defaults, on the best backend that the installed Kokkos has.
competitor kokkos_scatter_view(common_loop const& loop);

/// All of them.
std::vector<competitor> competitors(common_loop const& loop);

/// Throws skel::error unless `into`, which must have been all zeros, is what a plain loop gives, after one run.
void check_sums(competitor const& who, common_loop const& loop);

namespace competitor_detail {

/// How OpenMP's threads wait, as the environment says: those that wait actively for one that the system has not given a
/// core multiply their times on a machine that others use.
std::string openmp_note();

/// Accumulates into an array whose elements have C components: add(into, e C + k, value) for each.
template <std::size_t C, class Add>
struct accumulator {
  skel::subscript const* row;
  Add const& add_to;

  void add(std::size_t slot, double value) const { add_to(row[slot], value); }
  void add(std::size_t slot, std::array<double, C> const& value) const {
    std::size_t const at = std::size_t{row[slot]} * C;
    for (std::size_t k = 0; k < C; ++k) add_to(at + k, value[k]);
  }
};

/// Calls use(iterate), where iterate(begin, end, add) runs these iterations, and add(place, value) accumulates.
template <class Use>
void with_loop(common_loop const& loop, Use use) {
  namespace trials = skel::training;
  trials::trial_body const body{loop.stream.data(), loop.other_work, loop.of.width(),
                                loop.of.uniform() ? nullptr : loop.of.offsets().data()};
  auto const with_body = [&](auto typed, auto components) {
    skel::runtime::reduction::with_rows(loop.of, [&](auto rows) {
      use([=](std::size_t begin, std::size_t end, auto const& add) {
        for (std::size_t i = begin; i < end; ++i) {
          accumulator<components(), std::remove_cvref_t<decltype(add)>> acc{rows(i), add};
          typed(i, acc);
        }
      });
    });
  };
  if (loop.value == trials::trial_value::number)
    with_body(trials::number_body{body}, std::integral_constant<std::size_t, 1>{});
  else
    with_body(trials::vector_body{body}, std::integral_constant<std::size_t, 3>{});
}

}  // namespace competitor_detail
}  // namespace bench::reductions

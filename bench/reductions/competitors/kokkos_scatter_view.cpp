#include "competitor.hpp"

#if SKEL_HAS_KOKKOS
#include <Kokkos_Core.hpp>
#include <Kokkos_ScatterView.hpp>
#endif

namespace bench::reductions {

#if SKEL_HAS_KOKKOS

namespace {

using space = Kokkos::DefaultHostExecutionSpace;
using array = Kokkos::View<double*, Kokkos::LayoutRight, space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// Kokkos is initialised once in a process, with the threads of the first loop.
struct kokkos_session {
  explicit kokkos_session(std::size_t threads) {
    Kokkos::InitArguments arguments;
    arguments.num_threads = static_cast<int>(threads);
    arguments.disable_warnings = true;  // it advises on bindings of threads that it does not have
    Kokkos::initialize(arguments);
  }
  ~kokkos_session() { Kokkos::finalize(); }
};

}  // namespace

competitor kokkos_scatter_view(common_loop const& loop) {
  static kokkos_session const session(loop.threads);
  auto const threads = static_cast<std::size_t>(space::concurrency());
  std::string note = std::string("backend ") + space::name();
  if (threads != loop.threads)
    note += ", on " + std::to_string(threads) + " of " + std::to_string(loop.threads) + " threads";
  return {"kokkos scatter_view", note, threads, [loop] {
            competitor_detail::with_loop(loop, [&](auto const& iterate) {
              array into(loop.into.data(), loop.into.size());
              auto scatter = Kokkos::Experimental::create_scatter_view(into);
              scatter.reset_except(into);
              Kokkos::parallel_for(Kokkos::RangePolicy<space>(0, loop.of.iterations()), [=](std::size_t i) {
                auto const access = scatter.access();
                iterate(i, i + 1, [&](std::size_t at, double value) { access(at) += value; });
              });
              Kokkos::fence();
              Kokkos::Experimental::contribute(into, scatter);
            });
          }};
}

#else

competitor kokkos_scatter_view(common_loop const& loop) {
  return {"kokkos scatter_view", "built without Kokkos (libtrilinos-kokkos-dev)", loop.threads, {}};
}

#endif

}  // namespace bench::reductions

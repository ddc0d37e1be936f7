#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>

#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/line/program.hpp>
#include <skel/detail/runtime/line/run_line.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

#include "closing.hpp"
#include "conductor.hpp"
#include "transport/transport.hpp"

namespace skel::runtime {

/// This rank's part of a run. The calling thread communicates, and the user's functions run on `Lanes`: threads as
/// runtime::lanes, or what takes their place in a simulation. `together(make)` makes them, on all ranks or on none.
/// Collective.
template <class Lanes, class Together>
closing run_here(program const& line, plan::run_plan const& plan, transport& among, run_options const& options,
                 Together const& together) {
  Lanes* threads = nullptr;
  conductor here(line, plan, among, options, [&threads] { threads->wake(); });
  std::optional<Lanes> made;
  together([&] {
    made.emplace(
        std::max<std::size_t>(1, here.work().most_jobs()), [&here] { here.work().drain(); }, cores_for(options));
  });
  Lanes& those = *made;
  threads = &those;
  try {
    {
      run_phase const now("runs its stations");
      here.begin();
      while (auto const pause = here.serve()) {
        those.grow(here.work().most_jobs());
        double const until_look = those.look(here.work().turns(), here.work().waiting_jobs());
        if (*pause > 0) here.rest(std::min(*pause, until_look));
      }
      here.stop();
      those.wait_idle();
    }
    run_phase const now("has nothing more to do now, and waits for the other ranks");
    among.settle();
  } catch (...) {
    here.stop();  // or the lanes would go on
    throw;
  }
  return here.end();
}

}  // namespace skel::runtime

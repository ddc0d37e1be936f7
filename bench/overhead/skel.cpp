#include <skel/detail/pattern/compose.hpp>
#include <skel/detail/runtime/line/run_line.hpp>

#include "overhead/stream.hpp"

namespace bench {

/// The plan is written by hand, as every competitor's is: a farm of two, everything in this process.
tally run_skel(stream const& s, double* silent_cpu) {
  static skel::runtime::communicator const alone;
  tally seen;
  auto app = skel::source(source(s, silent_cpu)) |
             (s.ordered ? skel::farm(worker{s.turns}, skel::ordered) : skel::farm(worker{s.turns}, skel::unordered)) |
             skel::sink([&](item const& in) { seen(in); });
  auto const line = skel::runtime::make_program(app);
  skel::plan::run_plan plan;
  plan.stations = {{{0}, 1}, {{0, 0}, 1}, {{0}, 1}};
  skel::runtime::run_line(line, plan, alone);
  return seen;
}

}  // namespace bench

#include <skel/detail/runtime/iteration/errors.hpp>

#include <skel/detail/base/number.hpp>

namespace skel::runtime::iteration {
namespace {

std::string where(std::string const& step, mesh_failure const& f) {
  std::string const element = "element " + std::to_string(f.element),
                    number = "iteration " + std::to_string(f.iteration), iteration = " in " + number;
  switch (f.during) {
    case mesh_failure::kind::make:
      return "the cell of " + element + " could not be made";
    case mesh_failure::kind::phase:
      return "phase '" + step + "' threw at " + element + iteration;
    case mesh_failure::kind::reduce:
      return "all_reduce '" + step + "' threw at " + element + iteration;
    case mesh_failure::kind::combine:
      return "all_reduce '" + step + "' could not combine" + iteration;
    case mesh_failure::kind::totals:
      return "on_totals '" + step + "' threw" + iteration;
    case mesh_failure::kind::until:
      return "the end condition of the iterations threw" + iteration;
    case mesh_failure::kind::output:
      return "output '" + step + "' threw" + iteration;
    case mesh_failure::kind::result:
      return "the result of " + element + " could not be made";
    case mesh_failure::kind::gather:
      return "results could not be taken";
    case mesh_failure::kind::move:
      return "the cell of " + element + " could not be written for another rank after " + number;
    case mesh_failure::kind::adopt:
      return "cells that came from other ranks after " + number + " could not be read";
    case mesh_failure::kind::rank:
      return "the rank could not go on" + (f.iteration == 0 ? std::string() : iteration);
  }
  return step;
}

}  // namespace

mesh_failure describe(mesh_failure known) {
  auto const handled = describe_failure({});
  known.what = handled.what;
  known.exception = handled.exception;
  known.type = handled.type;
  return known;
}

std::string not_ended(std::string const& program, std::uint64_t iterations) {
  return "program '" + program + "' has not ended after " + counted(iterations, "iteration") +
         "; let skel::until() end it, or give it more iterations (limited())";
}

std::string not_agreed(std::string const& program, std::uint64_t iterations, int ended, int goes_on) {
  return "program '" + program + "' has ended after " + counted(iterations, "iteration") + " on rank " +
         std::to_string(ended) + ", and goes on on rank " + std::to_string(goes_on) +
         ": the function of skel::until() has to say the same on all ranks; let it look at nothing but the totals and "
         "the number of iterations that it is given";
}

std::string text_of(std::string const& program, std::string const& step, mesh_failure const& what) {
  return "program '" + program + "': " + where(step, what) + " on rank " + std::to_string(what.rank) + ": " + what.what;
}

void throw_failure(std::string const& program, std::string const& step, mesh_failure const& what) {
  std::optional<std::size_t> element;
  if (what.element != mesh_failure::no_element) element = what.element;
  throw_with_cause(mesh_error(program, step, element, what.iteration, text_of(program, step, what),
                              {what.rank, what.type, what.exception}));
}

}  // namespace skel::runtime::iteration

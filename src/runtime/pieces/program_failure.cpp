#include <skel/detail/runtime/pieces/program_failure.hpp>

#include <skel/detail/base/number.hpp>

namespace skel::runtime {
namespace {

using kind = program_failure::kind;

/// In a BSP program.
std::string where(program_failure const& f) {
  std::string process = "process " + std::to_string(f.number);
  std::string const superstep = " in superstep " + std::to_string(f.iteration);
  switch (f.during) {
    case kind::make:
      return "the state of " + process + " could not be made";
    case kind::step:
      return process + " threw" + superstep;
    case kind::write:
      return "a message of " + process + superstep + " could not be serialised";
    case kind::read:
      return "a message to " + process + superstep + " could not be deserialised";
    case kind::combine:
      return "messages to " + process + " could not be combined" + superstep;
    case kind::access:
      return "a put or get of " + process + superstep + " failed";
    case kind::reduce:
      return "the operator of the reduction threw" + superstep;
    case kind::result:
      return "the result of " + process + " could not be made";
    case kind::gather:
      return "the results of " + process + " and those behind it could not be taken";
    case kind::adopt:
      return "the state of " + process + " after" + superstep.substr(3) + " could not be read";
    case kind::rank:
      return f.iteration == 0 ? "the run could not begin" : "the barrier of" + superstep.substr(3) + " failed";
    default:
      return process;
  }
}

/// In a program over a mesh.
std::string where(std::string const& step, program_failure const& f) {
  std::string const element = "element " + std::to_string(f.number),
                    number = "iteration " + std::to_string(f.iteration), iteration = " in " + number;
  switch (f.during) {
    case kind::make:
      return "the cell of " + element + " could not be made";
    case kind::step:
      return "phase '" + step + "' threw at " + element + iteration;
    case kind::reduce:
      return "all_reduce '" + step + "' threw at " + element + iteration;
    case kind::combine:
      return "all_reduce '" + step + "' could not combine" + iteration;
    case kind::totals:
      return "on_totals '" + step + "' threw" + iteration;
    case kind::until:
      return "the end condition of the iterations threw" + iteration;
    case kind::output:
      return "output '" + step + "' threw" + iteration;
    case kind::result:
      return "the result of " + element + " could not be made";
    case kind::gather:
      return "results could not be taken";
    case kind::move:
      return "the cell of " + element + " could not be written for another rank after " + number;
    case kind::adopt:
      return "cells that came from other ranks after " + number + " could not be read";
    case kind::rank:
      return "the rank could not go on" + (f.iteration == 0 ? std::string() : iteration);
    default:
      return step;
  }
}

std::string on_rank(program_failure const& f) {
  return " on rank " + std::to_string(f.rank) + ": " + f.what;
}

}  // namespace

program_failure describe(program_failure known) {
  auto handled = describe_failure({});
  known.what = std::move(handled.what);
  known.exception = std::move(handled.exception);
  known.type = std::move(handled.type);
  return known;
}

namespace bsp {

std::string not_ended(std::string const& program, std::uint64_t supersteps, std::uint64_t awake,
                      std::uint64_t processes, std::uint64_t sent) {
  return "bsp '" + program + "' has not ended after " + counted(supersteps, "superstep") + ": " +
         std::to_string(awake) + " of " + std::to_string(processes) + " processes are awake, and " +
         counted(sent, "message") + (sent == 1 ? " is" : " are") +
         " under way; let processes halt(), or give the program more supersteps (limited())";
}

std::string text_of(std::string const& program, program_failure const& what) {
  return "bsp '" + program + "': " + where(what) + on_rank(what);
}

void throw_failure(std::string const& program, program_failure const& what) {
  throw_with_cause(process_error(program, what.number, what.iteration, text_of(program, what),
                                 {what.rank, what.type, what.exception}));
}

}  // namespace bsp

namespace iteration {

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

std::string text_of(std::string const& program, std::string const& step, program_failure const& what) {
  return "program '" + program + "': " + where(step, what) + on_rank(what);
}

void throw_failure(std::string const& program, std::string const& step, program_failure const& what) {
  std::optional<std::size_t> element;
  if (what.number != program_failure::nobody) element = what.number;
  throw_with_cause(mesh_error(program, step, element, what.iteration, text_of(program, step, what),
                              {what.rank, what.type, what.exception}));
}

}  // namespace iteration
}  // namespace skel::runtime

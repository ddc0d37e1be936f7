#include <skel/detail/runtime/bsp/errors.hpp>

#include <skel/detail/base/number.hpp>

namespace skel::runtime::bsp {
namespace {

std::string where(process_failure const& f) {
  std::string process = "process " + std::to_string(f.process);
  std::string const superstep = " in superstep " + std::to_string(f.superstep);
  switch (f.during) {
    case process_failure::kind::make:
      return "the state of " + process + " could not be made";
    case process_failure::kind::step:
      return process + " threw" + superstep;
    case process_failure::kind::write:
      return "a message of " + process + superstep + " could not be serialised";
    case process_failure::kind::read:
      return "a message to " + process + superstep + " could not be deserialised";
    case process_failure::kind::combine:
      return "messages to " + process + " could not be combined" + superstep;
    case process_failure::kind::access:
      return "a put or get of " + process + superstep + " failed";
    case process_failure::kind::reduce:
      return "the operator of the reduction threw" + superstep;
    case process_failure::kind::result:
      return "the result of " + process + " could not be made";
    case process_failure::kind::gather:
      return "the results of " + process + " and those behind it could not be taken";
    case process_failure::kind::barrier:
      return f.superstep == 0 ? "the run could not begin" : "the barrier of" + superstep.substr(3) + " failed";
  }
  return process;
}

}  // namespace

process_failure describe(process_failure known) {
  auto const handled = describe_failure({});
  known.what = handled.what;
  known.exception = handled.exception;
  known.type = handled.type;
  return known;
}

std::string not_ended(std::string const& program, std::uint64_t supersteps, std::uint64_t awake,
                      std::uint64_t processes, std::uint64_t sent) {
  return "bsp '" + program + "' has not ended after " + counted(supersteps, "superstep") + ": " +
         std::to_string(awake) + " of " + std::to_string(processes) + " processes are awake, and " +
         counted(sent, "message") + (sent == 1 ? " is" : " are") +
         " under way; let processes halt(), or give the program more supersteps (limited())";
}

std::string text_of(std::string const& program, process_failure const& what) {
  return "bsp '" + program + "': " + where(what) + " on rank " + std::to_string(what.rank) + ": " + what.what;
}

void throw_failure(std::string const& program, process_failure const& what) {
  throw_with_cause(process_error(program, what.process, what.superstep, text_of(program, what),
                                 {what.rank, what.type, what.exception}));
}

}  // namespace skel::runtime::bsp

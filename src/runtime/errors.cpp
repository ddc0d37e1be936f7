#include <skel/detail/runtime/errors.hpp>

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include <skel/detail/base/error.hpp>
#include <skel/detail/runtime/ranks/sole_use.hpp>

namespace skel::runtime {

namespace {

std::string items_of(failure const& f) {
  std::string const first = std::to_string(f.item);
  return f.items == 1 ? "item " + first : "items " + first + " to " + std::to_string(f.item + f.items - 1);
}

std::string where(failure const& f) {
  std::string const stage = f.part + " '" + f.stage + "'", item = std::to_string(f.item);
  switch (f.during) {
    case failure::kind::begin:
      return stage + " could not begin";
    case failure::kind::make:
      return "a worker of " + stage + " could not be made for item " + item;
    case failure::kind::process:
      return stage + " threw on " + (f.items == 1 ? "item " + item : "a result of " + items_of(f));
    case failure::kind::finish:
      return "finish() of " + stage + " threw";
    case failure::kind::write:
      return items_of(f) + " of " + stage + " could not be serialised";
    case failure::kind::read:
      return "the batch for " + stage + " that begins with item " + item + " could not be deserialised";
    case failure::kind::write_state:
      return "the state of " + stage + " could not be serialised";
    case failure::kind::read_state:
      return "the state of " + stage + " could not be deserialised";
  }
  return stage;
}

}  // namespace

failure describe_failure(failure known) {
  if (is_fork()) {
    // The threads that would tell the others are the parent's.
    std::fprintf(stderr, "skel: an exception left a function of the program in a fork of its rank, which ends\n");
    ::_exit(EXIT_FAILURE);
  }
  known.exception = std::current_exception();
  known.what = what_is_handled();
  known.type = type_is_handled();
  return known;
}

std::string text_of(failure const& what) {
  return where(what) + " on rank " + std::to_string(what.rank) + ": " + what.what;
}

std::string why_it_stays(failure const& what) {
  bool const written = what.during == failure::kind::read_state;
  return "its state could not be " + (written ? "read on rank " + std::to_string(what.rank) : "written") + ": " +
         what.what;
}

void throw_failure(failure const& what) {
  throw_with_cause(stage_error(what.stage, what.item, text_of(what), {what.rank, what.type, what.exception}));
}

}  // namespace skel::runtime

#pragma once

#include <cstdint>
#include <string>

#include <skel/detail/runtime/rendezvous.hpp>

namespace skel::runtime {

/// Says why on standard error, and ends the program on all ranks (MPI_Abort): for a rank that cannot go on, nor tell
/// the others.
[[noreturn]] void end_run(std::string const& why);

/// The same, but soon: two seconds later, or where the program exits. An exception that is on its way through this rank
/// can be told until then. Returns, and has_ended() is true from then on: nothing of MPI may be called any more.
void end_run_soon(std::string const& why);
bool has_ended();

/// What a rank does that leaves a grid: words of leave_together().
inline constexpr char const* leaving_words = "leaving the grid";

/// Waits, asleep, until every rank leaves the grid; nothing after MPI_Finalize. Collective.
///
/// `words` say what is left, `number` which communicator it is of. Ranks that leave while others are in a call with
/// them say so on standard error, and the others throw it (rendezvous). Then, and where a mistake has been found
/// before, the run is ended (MPI_Abort) unless all ranks leave within the meeting's patience; it is ended as well where
/// a mistake is found while all ranks leave, since nobody can throw it, and after the patience of a rank that leaves
/// because an exception is on its way through it (std::uncaught_exceptions), unless the others make a call by then:
/// soon (end_run_soon()), so that whoever handles it can say what it was. A rank that leaves without an exception waits
/// as long as it takes.
void leave_together(rendezvous& meeting, std::uint64_t number, std::string const& words, bool by_exception);

/// The same of a rank that has failed before it had a grid, where ranks meet nowhere yet, within the patience that a
/// rendezvous has at first.
void leave_without_grid();

}  // namespace skel::runtime

#pragma once

#include <cstdint>
#include <string>

#include <skel/detail/runtime/ranks/rendezvous.hpp>

namespace skel::runtime {

/// Says why on standard error, and ends the program on all ranks (MPI_Abort): for a rank that cannot go on, nor tell
/// the others.
[[noreturn]] void end_run(std::string const& why);

/// The same, but soon: two seconds later, or when the program exits. An exception that is on its way through this rank
/// can be told until then. Returns, and has_ended() is true from then on: nothing of MPI may be called any more.
void end_run_soon(std::string const& why);
bool has_ended();

/// Words of leave_together() for a rank that leaves a grid.
inline constexpr char const* leaving_words = "leaving the grid";

/// Waits, asleep, until every rank leaves the grid; nothing after MPI_Finalize. Collective.
///
/// `words` name the object that is left, `number` its communicator. Ranks that leave while others are in a call with
/// them say so on standard error, and the others throw it (rendezvous). After a mistake all ranks have the meeting's
/// patience to leave, then the run is ended (MPI_Abort). It is also ended if a mistake is found while all ranks leave,
/// since nobody can throw it.
///
/// `by_exception`: this rank leaves because an exception is on its way through it. It waits for the others no longer
/// than the patience, and ends the run soon (end_run_soon()), so that a handler can still report the exception. Other
/// ranks wait as long as it takes.
void leave_together(rendezvous& meeting, std::uint64_t number, std::string const& words, bool by_exception);

/// The same for a rank that has failed before it had a grid: ranks meet nowhere yet. Its patience is that of a new
/// rendezvous.
void leave_without_grid();

}  // namespace skel::runtime

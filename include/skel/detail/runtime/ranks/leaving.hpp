#pragma once

#include <cstdint>
#include <string>

#include <skel/detail/runtime/ranks/rendezvous.hpp>

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
/// them say so on standard error, and the others throw it (rendezvous). After a mistake all ranks have the meeting's
/// patience to leave, then the run is ended (MPI_Abort). It is also ended where a mistake is found while all ranks
/// leave, since nobody can throw it.
///
/// `by_exception`: this rank leaves because an exception is on its way through it. It waits for the others no longer
/// than the patience, and ends the run soon (end_run_soon()), so that whoever handles the exception can say what it
/// was. Other ranks wait as long as it takes.
void leave_together(rendezvous& meeting, std::uint64_t number, std::string const& words, bool by_exception);

/// The same of a rank that has failed before it had a grid, where ranks meet nowhere yet, within the patience that a
/// rendezvous has at first.
void leave_without_grid();

}  // namespace skel::runtime

#pragma once

#include <string>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

/// The way of `skel why` to a process: a socket in the abstract namespace, whose name is the process number. So no file
/// stays behind, and no link can stand for one. Both sides ask the kernel about the other one, and talk to processes of
/// the same user and of root only.
namespace skel::runtime {

/// Number less than 0: there is none.
descriptor listen_for_questions();
/// Takes a process that asks, if it may ask; returns its descriptor.
descriptor take_question(descriptor const& socket);
void answer_question(descriptor const& who, run_answer const& what);

/// The same descriptor with a number that is no standard stream's, whichever of these are closed.
descriptor above_streams(descriptor made);

}  // namespace skel::runtime

#pragma once

#include <string>

#include <skel/detail/base/descriptor.hpp>
#include <skel/detail/runtime/ranks/run_watch.hpp>

/// How `skel why` reaches a process: a socket whose name is its process number, in the abstract namespace, so that
/// there is no file that stays behind or that a link could stand for. Both sides ask the kernel who the other is, and
/// talk to processes of the same user and of root only.
namespace skel::runtime {

/// Number less than 0: there is none.
descriptor listen_for_questions();
/// Takes one who asks, if he may; his descriptor.
descriptor take_question(descriptor const& socket);
void answer_question(descriptor const& who, run_answer const& what);

/// The same descriptor with a number that is no standard stream's, whichever of these are closed.
descriptor above_streams(descriptor made);

}  // namespace skel::runtime

#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace skel::tools {

/// Runs `work` while SIGINT (Ctrl-C) and SIGTERM do not end the process but request a stop of the token that `work`
/// gets; a second one ends the process at once. With `progress`, a line on standard error says every second how long
/// it has been running, and is wiped at the end. Exceptions of `work` are passed on.
void run_interruptible(std::string const& doing, bool progress, std::function<void(std::stop_token)> const& work);

}  // namespace skel::tools

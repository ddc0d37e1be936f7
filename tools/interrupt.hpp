#pragma once

#include <functional>
#include <stop_token>
#include <string>

namespace skel::tools {

/// Runs `work` with a stop token. SIGINT (Ctrl-C) and SIGTERM then request a stop instead of ending the process; a
/// second one ends it at once. With `progress`, a line on standard error shows every second how long it has run. The
/// line is wiped at the end. Exceptions of `work` are passed on.
void run_interruptible(std::string const& doing, bool progress, std::function<void(std::stop_token)> const& work);

}  // namespace skel::tools

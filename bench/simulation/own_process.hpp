#pragma once

#include <functional>
#include <string>

namespace bench {

/// What `work` gives, which is called in a process of its own, as a process has one simulation. Throws skel::error with
/// what an exception of `work` said. While this process has one thread.
std::string in_own_process(std::function<std::string()> const& work);

}  // namespace bench

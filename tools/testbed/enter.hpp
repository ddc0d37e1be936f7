#pragma once

#include <string>
#include <vector>

#include "names.hpp"

namespace skel::testbed {

/// Turns this process into a command on a host of the testbed: in its network, under its name, with its share of the
/// processors. Its settings let an unchanged mpirun use the testbed. Never returns; throws skel::error if that is not
/// possible.
[[noreturn]] void become(names const& called, std::string const& host, std::vector<std::string> const& command);

}  // namespace skel::testbed

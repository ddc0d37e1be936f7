#pragma once

#include <string>
#include <vector>

#include "names.hpp"

namespace skel::testbed {

/// This process becomes a command on a host of the testbed: in its network, under its name, with its share of the
/// processors, and with the settings by which an unchanged mpirun uses the testbed. Returns never; throws skel::error
/// where that is not possible.
[[noreturn]] void become(names const& called, std::string const& host, std::vector<std::string> const& command);

}  // namespace skel::testbed

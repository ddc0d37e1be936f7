#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace skel::testing_tools {

/// A verb with its arguments.
using command = std::vector<std::string>;

/// Fails the test unless the command gives an answer or says why not, within 20 s and 1 GB, in text that can be
/// printed.
void expect_manners(command const& arguments, std::string const& which);

/// The number that an environment variable says.
std::uint64_t number_of(char const* variable, std::uint64_t otherwise);

}  // namespace skel::testing_tools

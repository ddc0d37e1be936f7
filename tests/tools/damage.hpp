#pragma once

#include <cstdint>
#include <string>

namespace skel::testing_tools {

/// A text as a careless or hostile world leaves it: one to four damages, each the same for the same seed everywhere:
/// cut off, bits turned over, parts repeated, left out or exchanged, numbers that became huge, tiny, negative or no
/// numbers, and bytes that are no text, that terminals obey, or that go on for megabytes.
std::string damaged(std::string text, std::uint64_t seed);

}  // namespace skel::testing_tools

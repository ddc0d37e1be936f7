#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// Files of valid syntax with values that nobody expects: the least and greatest numbers, zeros, names of 100,000
/// letters, thousands of hosts and stages, values nested to any depth. The same for the same seed everywhere.
namespace skel::testing_tools {

std::string extreme_platform(std::uint64_t seed);
std::string extreme_pipeline(std::uint64_t seed);
std::string extreme_pepa(std::uint64_t seed);
std::string extreme_latencies(std::uint64_t seed);
/// Placements of three stages on hosts p1, p2 and p3, as lines or as JSON.
std::string extreme_candidates(std::uint64_t seed);
/// `format`: its ending, as ".mtx".
std::string extreme_mesh(std::string const& format, std::uint64_t seed);
/// A sound text, some of whose numbers, which stand by themselves, became others.
std::string with_extreme_numbers(std::string text, std::uint64_t seed);

}  // namespace skel::testing_tools

#pragma once

#include <cstddef>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>

namespace skel::runtime::reduction {

/// Subscripts that a sample reads, about: at most two iterations of 16 subscripts in each window where they are long.
inline constexpr std::size_t sampled_subscripts = 192;

/// The features of a pattern, estimated from 24 short windows of its iterations, by the calling thread, in a few
/// microseconds whatever the pattern's size. Where threads meet is judged by whether the iterations of elements that
/// lie next to each other in the sample run on the same thread: with the share s of such pairs, about 1/s threads are
/// taken to share a region, and to draw their subscripts there at random. `line`: elements that share a cache line.
/// Rough: how wrong predictions by it are was found with samples that were taken in the same way. O(1).
pattern_features sample(pattern const& of, std::size_t parts, std::size_t line);

}  // namespace skel::runtime::reduction

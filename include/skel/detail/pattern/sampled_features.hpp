#pragma once

#include <cstddef>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/pattern/pattern_features.hpp>

namespace skel {

/// Subscripts that a sample reads, about: at most two iterations of 16 subscripts in each window if they are long.
inline constexpr std::size_t sampled_subscripts = 192;

/// The features of a pattern, estimated from 24 short windows of its iterations, by the calling thread, in a few
/// microseconds whatever the pattern's size. Pairs of neighbours in the sample show where threads meet: the iterations
/// of a share s of them run on the same thread. About 1/s threads are then taken to share a region, and to draw their
/// subscripts there at random. `line`: elements that share a cache line. Rough: errors of predictions by it were found
/// with samples taken in the same way. O(1).
pattern_features sampled_features(pattern const& of, std::size_t parts, std::size_t line);

}  // namespace skel

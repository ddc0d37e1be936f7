#pragma once

#include <cstddef>

#include <skel/pattern/pattern.hpp>
#include <skel/pattern/pattern_features.hpp>
#include <skel/runtime/reduction/touched.hpp>
#include <skel/runtime/team.hpp>

namespace skel::runtime::reduction {

/// The features of a pattern, counted. O(subscripts / P + N P / 64) for each part, N P / 8 bytes for a while.
/// `line`: elements that share a cache line.
pattern_features characterise(pattern const& of, team& workers, std::size_t line = 8);

}  // namespace skel::runtime::reduction

#pragma once

#include <cstddef>

namespace skel::runtime {

/// Longer messages go as several: MPI counts are int. Each piece costs a latency, some millionth of its transfer.
inline constexpr std::size_t longest_piece = std::size_t{1} << 26;

/// Calls use(piece) for a span of bytes, from its front to its end; once for an empty one.
template <class Span, class Use>
void for_each_piece(Span bytes, Use use, std::size_t longest = longest_piece) {
  while (bytes.size() > longest) {
    use(bytes.first(longest));
    bytes = bytes.subspan(longest);
  }
  use(bytes);
}

}  // namespace skel::runtime

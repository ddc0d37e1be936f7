#pragma once

#include <cstddef>

namespace skel::runtime {

/// Longer messages go as several: MPI counts are int, and a receiver that cannot take a message needs memory for one
/// piece to get it off the wire. Each piece costs a latency, some millionth of its transfer.
inline constexpr std::size_t longest_piece = std::size_t{1} << 26;

/// Calls use(piece) for a span of bytes, from its front to its end; once for an empty one.
template <class Span, class Use>
void for_each_piece(Span bytes, Use use) {
  while (bytes.size() > longest_piece) {
    use(bytes.first(longest_piece));
    bytes = bytes.subspan(longest_piece);
  }
  use(bytes);
}

}  // namespace skel::runtime

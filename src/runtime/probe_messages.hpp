#pragma once

#include <cstddef>

namespace skel::runtime {

/// Tags of the messages of probes.
enum probe_tag : int { order_tag = 1, message_tag, meeting_tag, size_tag, bytes_tag };

/// Where the search for a message begins that is long beside the latency [B].
inline constexpr std::size_t first_long_message = 16384;
/// A message is long when it takes so many latencies: an error of the latency moves its time per byte by a tenth of it.
inline constexpr double latencies_in_long_message = 10;

}  // namespace skel::runtime

#pragma once

namespace skel::runtime {

/// Tags of the messages of probes.
enum probe_tag : int { order_tag = 1, message_tag, meeting_tag, size_tag, bytes_tag };

}  // namespace skel::runtime

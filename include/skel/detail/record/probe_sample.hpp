#pragma once

namespace skel::record {

/// The measured quantity of messages between two ranks.
enum class probe_kind {
  transfer,          ///< from the start of a send until the receiver has everything: half of a round trip
  gap,               ///< per message, of many sent one after the other
  send_overhead,     ///< inside the send
  receive_overhead,  ///< inside the receive of a message that is there
};

/// One measurement.
struct probe_sample {
  probe_kind kind = probe_kind::transfer;
  double bytes = 0;    ///< [B], >= 0
  double seconds = 0;  ///< [s], > 0

  friend bool operator==(probe_sample const&, probe_sample const&) = default;
};

/// The sizes at which something is measured.
enum class probe_sizes {
  none,
  shortest,  ///< an empty message
  two,       ///< an empty message, and one whose bytes take ten times as long
  many,      ///< as many as it takes to follow the times by lines between them
};

/// The measurements from which the parameters of some models follow.
struct probe_wants {
  probe_sizes transfers = probe_sizes::none, gaps = probe_sizes::none, send_overheads = probe_sizes::none,
              receive_overheads = probe_sizes::none;

  friend bool operator==(probe_wants const&, probe_wants const&) = default;
};

/// The measurements of both.
constexpr probe_wants both(probe_wants const& a, probe_wants const& b) {
  constexpr auto more = [](probe_sizes x, probe_sizes y) { return x < y ? y : x; };
  return {more(a.transfers, b.transfers), more(a.gaps, b.gaps), more(a.send_overheads, b.send_overheads),
          more(a.receive_overheads, b.receive_overheads)};
}

}  // namespace skel::record

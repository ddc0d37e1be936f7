#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

namespace skel::runtime {

/// Sets the size of messages that tell the bandwidth of the path to one other rank, and the time of the next one.
///
/// A message and a short answer take longer than two short ones by the time of the message's bytes. This time stands
/// out from the variation of short trips if it is at least as long as these. So the size is doubled until it is, and
/// halved if it is more than twice that. The bytes of one message take at most the part `use` of the time until the
/// next one, so that probing takes no more of the path. A value without clock; seconds are since any one moment.
class path_probe {
 public:
  static constexpr std::size_t least_bytes = std::size_t{4} << 10U, most_bytes = std::size_t{1} << 20U;
  static constexpr double most_use = 0.01;  ///< of a path, by all that probe it
  /// Short trips that are remembered, the latest.
  static constexpr std::size_t most_trips = 8;

  /// `use`: at most this part of the path's time; > 0.
  explicit path_probe(double use = most_use) : use_(use) {}

  /// Bytes of the message that may be sent now; 0: none yet.
  std::size_t bytes(double now) const { return trips_.empty() || now < not_before_ ? 0 : bytes_; }

  /// A message of so many bytes (0: a short one) and its answer took so long, until now.
  void took(std::size_t bytes, double seconds, double now) {
    if (bytes == 0) {
      trips_.push_back(seconds);
      if (trips_.size() > most_trips) trips_.pop_front();
      return;
    }
    double const shortest = *std::min_element(trips_.begin(), trips_.end()), longer = std::max(0.0, seconds - shortest);
    not_before_ = now + longer / use_;
    if (longer < shortest)
      bytes_ = std::min(2 * bytes, most_bytes);
    else if (longer > 2 * shortest)
      bytes_ = std::max(bytes / 2, least_bytes);
  }

 private:
  double use_;
  std::deque<double> trips_;  // [s]
  std::size_t bytes_ = least_bytes;
  double not_before_ = 0;
};

}  // namespace skel::runtime

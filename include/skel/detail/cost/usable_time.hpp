#pragma once

#include <limits>
#include <string>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/cost/communication/model.hpp>

namespace skel::cost {

/// The longest time of a message or operation that can be computed with [s]. Sums of as many as can be counted must
/// stay finite, because a search among infinite times finds no least.
inline constexpr double longest_time = std::numeric_limits<double>::max() * 0x1p-64;

/// True if it is a number and not longer than that.
inline bool is_usable(double seconds) {
  return seconds <= longest_time;
}

/// Throws skel::error for a time that is not usable. `what` names its cause: "a message of 8 bytes in cluster 'a'".
template <class What>
void require_usable(double seconds, What const& what) {
  if (is_usable(seconds)) return;
  throw error(std::string(what()) + " would take " + shown(seconds) +
              " s, which is too long to compute with; correct the parameters, or ask for fewer bytes");
}

/// The longest time by a model for messages of at most m.bytes bytes between its ranks [s]. Functions that are linear
/// between `sizes` have it at one of these or at an end. A time that is not usable is returned at once.
template <communication_model Model>
double longest_message(Model const& model, message m, std::vector<double> sizes) {
  double const most = m.bytes;
  double longest = 0;
  sizes.insert(sizes.end(), {0, most});
  for (double const bytes : sizes) {
    if (bytes > most) continue;
    m.bytes = bytes;
    for (double const time :
         {model.send_busy(m), model.transfer(m), model.receive_busy(m), model.receive_overhead(m)}) {
      if (!is_usable(time)) return time;
      longest = time > longest ? time : longest;
    }
  }
  return longest;
}

}  // namespace skel::cost

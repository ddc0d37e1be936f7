#pragma once

#include <string>

namespace skel::record {

/// An announcement, and its effect on a run.
struct heard_announcement {
  double seconds = 0;   ///< since the run began, when it was heard [s]; 0: before
  std::string text;     ///< in words
  bool leaves = false;  ///< it was about hosts that leave
  double left = -1;     ///< when no stage was on them any more, since the run began [s]; negative: never
};

}  // namespace skel::record

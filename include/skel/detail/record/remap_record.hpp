#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/stage_move.hpp>

namespace skel::record {

/// What became of another plan for a line that runs. Times are since the run began [s].
struct remap_record {
  std::uint32_t epoch = 0;            ///< that it is of; 0 is what the run began with
  double announced = 0;               ///< all ranks were told
  double begun = 0;                   ///< the source's rank was told to go on by it
  double done = 0;                    ///< nothing is done by the plan before any more; 0: the stream ended earlier
  std::string refused{};              ///< why not; empty: it was obeyed
  std::string rolled_back{};          ///< which stages stay where they were after all, and why; empty: none
  std::uint32_t in_parts = 0;         ///< stages whose state went to its new place before it began, part by part
  bool repairs = false;               ///< nobody gave it: it says that stages are where their state has stayed
  std::vector<std::uint32_t> stay{};  ///< stations that could not move, where some are to blame, each once
  std::vector<stage_move> moved{};    ///< what it has elsewhere than the plan before
  SKEL_FIELDS(epoch, announced, begun, done, refused, rolled_back, stay, in_parts, repairs, moved);
};

}  // namespace skel::record

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>
#include <skel/detail/record/stage_move.hpp>

namespace skel::record {

/// A way in which a line that ran could have gone on.
struct remap_way {
  std::string name;   ///< "stay", or where its stages would have been
  double period = 0;  ///< expected time per item of the source [s]
  double doubt = 0;   ///< of it beside that of staying: expected size of ln(period / expected)
  double entry = 0;   ///< what going there was to cost [s]
  SKEL_FIELDS(name, period, doubt, entry);
};

/// Whether a line that ran was to go on elsewhere, with the figures that it was decided by, and what came of it.
struct remap_decision {
  std::uint64_t number = 0;     ///< of the decisions of its run, from 1
  double seconds = 0;           ///< since the run began [s]
  std::vector<remap_way> ways;  ///< that there were; where it could stay, that first
  std::size_t chosen = 0;       ///< of them
  double items = 0;             ///< of the source, for which they were compared
  double lost = 0;              ///< by not moving since a better way was known [s]
  double expected = 0;          ///< how long moving was to take, from the announcement to the last rank [s]
  double took = 0;              ///< and how long it took [s]; 0: it stayed, was refused, or the stream ended meanwhile
  std::string refused;          ///< why it did not move after all
  std::vector<stage_move> stages{};  ///< what the way that was chosen moves; none where it stays

  /// Whether it was to move.
  bool moved() const { return chosen < ways.size() && ways[chosen].name != stay; }
  static constexpr char const* stay = "stay";  ///< the name of that way
  SKEL_FIELDS(number, seconds, ways, chosen, items, lost, expected, took, refused, stages);
};

}  // namespace skel::record

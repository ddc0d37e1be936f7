#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <skel/detail/base/fields.hpp>

namespace skel::record {

/// A station whose workers move by another plan.
struct stage_move {
  std::uint32_t station = 0;
  std::vector<int> from, to;  ///< the ranks of its workers, in ascending order

  friend bool operator==(stage_move const&, stage_move const&) = default;
  SKEL_FIELDS(station, from, to);
};

/// The outcome of another plan for a running line. Times are since the run began [s].
struct remap_record {
  std::uint32_t epoch = 0;            ///< of the plan; 0: the run began with it
  double announced = 0;               ///< all ranks were told
  double begun = 0;                   ///< the source's rank was told to go on by it
  double done = 0;                    ///< nothing goes by the plan before any more; 0: the stream ended earlier
  std::string refused{};              ///< why not; empty: it was obeyed
  std::string rolled_back{};          ///< stages that stay where they were after all, and why; empty: none
  std::uint32_t in_parts = 0;         ///< stages whose state went to its new place before it began, part by part
  bool repairs = false;               ///< made by the run itself: stages are where their state has stayed
  std::vector<std::uint32_t> stay{};  ///< stations that could not move, if some are to blame, each once
  std::vector<stage_move> moved{};    ///< its moves from the plan before
  SKEL_FIELDS(epoch, announced, begun, done, refused, rolled_back, stay, in_parts, repairs, moved);
};

/// A way in which a running program can go on. A use is an item of the source, a superstep or an iteration.
struct move_way {
  std::string name;    ///< "stay", or where its parts would be
  double period = 0;   ///< of a use, expected [s]
  double doubt = 0;    ///< of it beside that of staying: expected size of ln(period / expected)
  double entry = 0;    ///< cost of going there [s]
  std::string kind{};  ///< costs of ways of one kind differ alike from their model (mapping::move_decider)
  SKEL_FIELDS(name, period, doubt, entry, kind);
};

/// A decision on moving a running program, with its figures and its outcome.
struct move_decision {
  static constexpr char const* stay = "stay";  ///< the name of the way that moves nothing

  std::uint64_t number = 0;                         ///< of the decisions of its run, from 1
  double seconds = 0;                               ///< since the run began [s]
  std::uint64_t after = 0;                          ///< uses
  std::vector<move_way> ways{};                     ///< all that there are; staying first, if it can stay
  std::size_t chosen = 0;                           ///< of them
  std::string why{};                                ///< in words
  double uses = 0;                                  ///< for which they are compared
  double lost = 0;                                  ///< by not moving since a better way is known [s]
  double took = 0;                                  ///< the move [s]; 0: it stays, is refused, or unknown
  double measured = 0;                              ///< of a use since then, until it is decided again [s]; 0: none
  std::string refused{};                            ///< why it does not move after all
  std::vector<stage_move> stages{};                 ///< of a pipeline, that move
  std::uint64_t parts = 0;                          ///< processes or elements that move
  std::vector<std::string> taken_in{}, given_up{};  ///< clusters, by a program over a mesh
  std::uint64_t ranks = 0, ranks_then = 0;          ///< that have elements of a mesh, before and by going
  SKEL_FIELDS(number, seconds, after, ways, chosen, why, uses, lost, took, measured, refused, stages, parts, taken_in,
              given_up, ranks, ranks_then);

  bool could_stay() const { return !ways.empty() && ways.front().name == stay; }
  move_way const& way() const { return ways[chosen]; }
  std::size_t elsewhere() const { return chosen - (could_stay() ? 1 : 0); }  ///< the chosen one, of the ways to move
  bool moved() const { return chosen < ways.size() && way().name != stay; }  ///< or was to move
};

/// The decisions while a program ran: the first and the last of those to move it, and the last others.
struct move_history {
  static constexpr std::size_t most_first = 8, most_of_a_kind = 500;  // all fit into a story_table

  std::vector<move_decision> kept{};   ///< in their order
  std::uint64_t all = 0, to_move = 0;  ///< all that there were, and those of them to move it
  SKEL_FIELDS(kept, all, to_move);

  /// Adds it with the next number. O(kept).
  void add(move_decision one);
  move_decision* find(std::uint64_t number);  ///< null: it is not kept; O(decisions after it)
};

/// The outcome of the checkpoints of a run.
struct checkpoint_record {
  std::uint64_t written = 0;  ///< whole, and on the disk
  std::uint64_t skipped = 0;  ///< due while the one before was not done, or a state was not on its stage's rank
  std::uint64_t failed = 0;   ///< that could not be written
  std::uint64_t bytes = 0;    ///< of all that were written
  double seconds = 0;         ///< that writing them took, beside the line [s]
  std::uint64_t item = 0;     ///< the first item that is not in the last one
  std::string problem;        ///< why the first failed one could not be written
  SKEL_FIELDS(written, skipped, failed, bytes, seconds, item, problem);
};

}  // namespace skel::record

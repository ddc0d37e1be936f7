#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <skel/detail/mapping/copy_tree_problem.hpp>
#include <skel/detail/mapping/decision.hpp>
#include <skel/detail/plan/placement.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include <skel/detail/runtime/line/program.hpp>

#include "planner.hpp"

namespace skel {

/// A placement that the user forces, at any expected throughput. The program can have it. Refers to the program and the
/// processors.
class forced_placement {
 public:
  /// `text`: as plan::read_placement() reads it, the ranks of each station, source and sink too. Throws skel::error,
  /// which says why. Causes are another number of stations, unknown ranks, several workers outside a farm, another
  /// number than a farm's width, and more than mapping::most_width workers of a farm.
  forced_placement(std::string_view text, runtime::program const& line, processor_map const& processors);

  /// In rising order.
  station_ranks const& ranks() const { return ranks_; }

  /// Throws skel::error, which says why, if a station cannot be on its forced ranks. `possible`: the ranks of stations
  /// with only one choice; `home`: the rank of the source; `state_on`: as of make_plan().
  void require(station_ranks const& possible, int home, std::vector<std::optional<int>> const& state_on) const;

 private:
  [[noreturn]] void refuse(std::string const& why) const;
  std::vector<int> ranks_of(std::size_t station) const;
  void check_workers(std::size_t station, std::size_t workers) const;
  std::string name(std::size_t station) const;
  std::string in_words(std::vector<int> const& ranks) const;

  plan::placement_text text_;
  runtime::program const& line_;
  processor_map const& processors_;
  station_ranks ranks_;
};

/// Searches for a placement for as long as that pays in a run of `horizon` seconds, but no longer than `longest` at a
/// time [s]: `search(limit)` searches for so many seconds. Each search takes twice as long as the one before, and the
/// next one is made if it is expected to win more time than it takes. The gain is at most the distance to the bound.
/// After k searches that found nothing better the next one does with probability 1 / (k + 2). Source: Laplace's rule of
/// succession (Jaynes 2003, Probability Theory, 6.9.1). Returns the last answer.
mapping::placement_answer search_while_it_pays(std::function<mapping::placement_answer(double limit)> const& search,
                                               double longest, double horizon);

/// The ranks of a broadcast stage and the paths between them, as a tree is asked for; the first rank is the root.
/// O(ranks^2).
mapping::copy_tree_request ranks_of_copies(plan::station_plan const& station, processor_map const& processors);

/// Orders `station.ranks` by a tree over them and sets `station.parents`. O(ranks).
void take_tree(plan::station_plan& station, mapping::copy_tree const& tree);

}  // namespace skel

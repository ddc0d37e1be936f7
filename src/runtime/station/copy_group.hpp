#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <skel/detail/pattern/flow.hpp>
#include <skel/detail/plan/run_plan.hpp>
#include "link_layer.hpp"

namespace skel::runtime {

/// A batch for one copy, or the results of copies, to be joined.
struct copy_job {
  std::size_t copy = 0;
  std::uint64_t sequence = 0, first_item = 0, source_items = 0, credited = 0;
  std::shared_ptr<items_base> items;               ///< for the copy
  std::vector<std::unique_ptr<items_base>> parts;  ///< to be joined: not empty, and no items
};

/// One rank's copies of a broadcast stage and its vertex in the tree over the stage's ranks. The root hands each parcel
/// on to its children, and they to theirs; every copy takes all parcels in their order. The results of a rank's copies
/// and of its children are joined, in the order of the copies, and go up. The root begins no more parcels than the
/// stage's window. All that have begun can end, so the others take all that comes. It neither locks nor sends: a site
/// does.
class copy_group {
 public:
  copy_group(plan::station_plan const& station, int rank);

  std::size_t copies() const { return next_.size(); }
  /// The portion of copy `which` of this rank, among all copies.
  portion portion_of(std::size_t which) const { return {first_copy_ + which, all_copies_}; }
  /// The rank above; nothing at the root.
  std::optional<int> parent() const { return parent_; }
  std::vector<int> const& children() const { return children_; }

  /// True if another parcel may begin while `given_back` results wait to leave. Only the root has to ask.
  bool has_room(std::size_t given_back) const { return under_way_.size() + given_back < window_; }
  /// Begins a parcel that came from rank `from`. Returns the message for every child.
  posted begin(parcel what, int from);
  /// A copy for which a parcel waits gets it: until there is none.
  std::optional<copy_job> next_for_copies();
  /// A copy has made this of a parcel. If it was the last one missing: returns the parts to be joined now.
  std::optional<copy_job> copy_done(std::size_t copy, std::uint64_t sequence, std::unique_ptr<items_base> made);
  /// A child, with all below it, has made this of a parcel.
  std::optional<copy_job> contributed(int child, parcel what);
  /// All parts of a parcel are one now.
  void joined(std::uint64_t sequence, std::unique_ptr<items_base> all);

  /// The next parcel in order that is complete, and the rank that it came from.
  std::optional<std::pair<parcel, int>> next_result();
  bool idle() const { return under_way_.empty(); }
  /// Parcels begun so far.
  std::uint64_t begun() const { return first_ + under_way_.size(); }

 private:
  struct round {
    std::shared_ptr<items_base> items;
    std::uint64_t first_item = 0, source_items = 0, credited = 0;
    int from = 0;
    std::vector<std::unique_ptr<items_base>> parts;  // of the copies, then of the children
    std::size_t missing = 0, copies_missing = 0;
    std::unique_ptr<items_base> result;
  };

  std::optional<copy_job> add(std::uint64_t sequence, std::size_t part, std::unique_ptr<items_base> made);

  std::size_t window_ = 0;
  std::size_t first_copy_ = 0, all_copies_ = 0;
  std::optional<int> parent_;
  std::vector<int> children_;               // in the order in which they are sent to
  std::vector<std::size_t> part_of_child_;  // places of their results: behind those of this rank, by their copies
  std::deque<round> under_way_;
  std::uint64_t first_ = 0;          // sequence of the oldest that is under way
  std::vector<std::uint64_t> next_;  // per copy: the sequence that it takes next
  std::vector<bool> busy_;
};

}  // namespace skel::runtime

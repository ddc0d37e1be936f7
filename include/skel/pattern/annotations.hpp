#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <skel/base/error.hpp>

namespace skel {

/// A farm with this option delivers its results in the order in which the items came (the default).
struct ordered_t {};
inline constexpr ordered_t ordered{};

/// A farm with this option delivers each result as soon as it is there.
struct unordered_t {};
inline constexpr unordered_t unordered{};

/// Fixes the number of workers of a farm, which the mapper chooses otherwise. At least 1.
struct width {
  std::size_t workers;
};

/// Windows of a reduce: one result for each `items` of the stream, the last of fewer where the stream ends.
class every {
 public:
  /// Throws skel::error for windows of no items.
  explicit every(std::size_t items) : items_(items) {
    if (items == 0) throw error("skel::every(0): a window of no items has no result; give it at least 1");
  }
  std::size_t items() const { return items_; }

 private:
  std::size_t items_;
};

/// What one item costs in this stage, in seconds on a host of speed 1, where it is known before the program runs. On a
/// probed grid a core of rank 0's host has speed 1; a platform file says its hosts' speeds itself. Of a farm: what its
/// worker costs, where that is one stage; the stages of a pipeline inside a farm say it one by one.
/// Without it the run measures it on its first items.
struct work {
  double units;
};

/// Pins a stage (or the workers of a farm, in turn) to named hosts.
struct at {
  template <class... Names>
  explicit at(Names&&... names) : hosts{std::string(std::forward<Names>(names))...} {}
  std::vector<std::string> hosts;
};

namespace patterns {

/// What the user said about a skeleton besides its function.
struct annotations {
  std::string name;
  double work = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not said
  std::size_t width = 0;                                   ///< 0: not said
  std::vector<std::string> at;                             ///< empty: not said
  bool ordered = true;                                     ///< farms only

  void apply(ordered_t) { ordered = true; }
  void apply(unordered_t) { ordered = false; }
  void apply(skel::width w) { width = w.workers; }
  void apply(skel::work w) { work = w.units; }
  void apply(skel::at where) { at = std::move(where.hosts); }
};

template <class Option>
concept annotation = requires(annotations& notes, Option option) {
  notes.apply(option);
};

template <class... Options>
annotations annotate(std::string name, Options&&... options) {
  annotations notes;
  notes.name = std::move(name);
  (notes.apply(std::forward<Options>(options)), ...);
  return notes;
}

}  // namespace patterns
}  // namespace skel

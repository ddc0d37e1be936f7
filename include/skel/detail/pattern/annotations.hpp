#pragma once

#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <skel/detail/base/error.hpp>
#include <skel/detail/base/number.hpp>
#include <skel/detail/base/shown.hpp>

namespace skel {

struct reduction_rules;

/// A farm with this option delivers its results in the order in which the items came (the default).
struct ordered_t {};
inline constexpr ordered_t ordered{};

/// A farm with this option delivers each result at once.
struct unordered_t {};
inline constexpr unordered_t unordered{};

/// A stage with this option keeps nothing from item to item, although its function has members: a lambda that captures
/// a constant, say. The mapper may then put it on any rank; otherwise the stage stays on the rank of its first item.
struct stateless_t {};
inline constexpr stateless_t stateless{};

/// A reduction with this option gives the same bits on any number of ranks and threads, wherever items, processes or
/// elements are. Reductions without the option do the same if the cost is negligible.
struct reproducible_t {
  /// As the rules of an irregular reduction: skel::irregular_reduction<std::plus<>, skel::reproducible>.
  constexpr operator reduction_rules() const;
};
inline constexpr reproducible_t reproducible{};

/// Fixes the number of workers of a farm, or of copies of a broadcast. Otherwise the mapper chooses it.
struct width {
  /// Throws skel::error for no workers.
  explicit width(std::size_t of) : workers(of) {
    if (of == 0) throw error("skel::width(0): no item would be worked on; give it at least 1, or leave it out");
  }
  std::size_t workers;
};

/// Windows of a reduce: one result for each `items` of the stream; the last window may have fewer.
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

/// The time of one item in this stage, in seconds on a host of speed 1, if you know it before the program runs. On a
/// probed grid a core of rank 0's host has speed 1; a platform file gives its hosts' speeds itself. For a farm of one
/// stage, give the work of its worker; for a pipeline inside a farm, give each stage its own.
/// Without it the run measures its first items.
struct work {
  /// Throws skel::error if it is negative or not finite.
  explicit work(double per_item) : units(per_item) {
    if (!(per_item >= 0 && per_item <= std::numeric_limits<double>::max()))
      throw error(
          "skel::work(" + shown(per_item) +
          "): an item takes no such time; give the seconds that it takes on a host of speed 1, or leave it out");
  }
  double units;
};

/// Pins a stage to a host, or the workers of a farm to hosts, a name for each. A host's own name (hostname) means any
/// rank on it, however many there are. A stage that may keep state stays on the rank of its first item; a source and a
/// sink go to the host's first one. The names in reports are those of ranks or of their cores, and depend on their
/// number. A pinned source or sink keeps skel from measuring: then give every stage its skel::work. Unknown hosts are
/// refused before the first item.
struct at {
  template <class... Names>
  requires(std::convertible_to<Names, std::string>&&...) explicit at(Names&&... names)
      : hosts{std::string(std::forward<Names>(names))...} {}
  std::vector<std::string> hosts;
};

namespace skeletons {

/// The name and options that the user gave to a skeleton.
struct annotations {
  std::string name;  ///< printable: it is shown on terminals and pages, and written to JSON
  double work = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not said
  std::size_t width = 0;                                   ///< 0: not said
  std::vector<std::string> at;                             ///< empty: not said
  bool ordered = true;                                     ///< farms only
  bool stateless = false;                                  ///< not farms
  bool reproducible = false;                               ///< reduces only

  void apply(ordered_t) { ordered = true; }
  void apply(unordered_t) { ordered = false; }
  void apply(stateless_t) { stateless = true; }
  void apply(reproducible_t) { reproducible = true; }
  void apply(skel::width w) { width = w.workers; }
  void apply(skel::work w) { work = w.units; }
  void apply(skel::at where) { at = std::move(where.hosts); }
};

template <class Option, class... Accepted>
concept one_of = (std::same_as<Option, Accepted> || ...);

/// An option of a skeleton, behind its function.
template <class T>
concept option =
    one_of<T, ordered_t, unordered_t, stateless_t, reproducible_t, skel::width, every, skel::work, skel::at>;

template <class... Options>
annotations annotate(std::string const& name, Options&&... options) {
  annotations notes;
  notes.name = printable(name);
  (notes.apply(std::forward<Options>(options)), ...);
  return notes;
}

}  // namespace skeletons
}  // namespace skel

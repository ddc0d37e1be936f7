#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include <skel/detail/pattern/pattern.hpp>
#include <skel/detail/record/clock.hpp>
#include <skel/detail/runtime/reduction/accumulators.hpp>
#include <skel/detail/runtime/reduction/schedules.hpp>
#include <skel/detail/runtime/threads/team.hpp>

namespace skel::runtime::reduction {

/// M x m subscripts: iteration i begins at i m.
struct even_rows {
  subscript const* index;
  std::size_t width;

  std::size_t begin(std::size_t i) const { return i * width; }
  subscript const* operator()(std::size_t i) const { return index + i * width; }
};

/// Rows of unequal length.
struct uneven_rows {
  subscript const* index;
  std::size_t const* offsets;

  std::size_t begin(std::size_t i) const { return offsets[i]; }
  subscript const* operator()(std::size_t i) const { return index + offsets[i]; }
};

/// Calls use(rows) with the rows of a pattern, as the type that they are of.
template <class Use>
void with_rows(pattern const& of, Use use) {
  if (of.uniform())
    use(even_rows{of.index().data(), of.width()});
  else
    use(uneven_rows{of.index().data(), of.offsets().data()});
}

/// A loop over a pattern, as algorithms run it. locate(i) finds the elements of iteration i's slots.
template <class Rows>
struct pattern_loop {
  std::size_t iterations, elements;
  Rows rows;
  dealing dealt = dealing::on_demand;

  by_row locate(std::size_t i) const { return {rows(i)}; }
  /// Size of all subscripts [B].
  double subscript_bytes() const { return static_cast<double>(rows.begin(iterations)) * sizeof(subscript); }
};

/// A loop whose subscripts are known only while it runs.
struct open_loop {
  std::size_t iterations, elements;
  dealing dealt = dealing::on_demand;

  by_element locate(std::size_t i) const { return {i, elements}; }
  double subscript_bytes() const { return 0; }
};

/// The phase that runs a loop's iterations: at the least all subscripts are read, and nothing is known of the rest.
template <class Loop>
phase accumulating(Loop const& loop) {
  return {"accumulate", loop.subscript_bytes(), loop.subscript_bytes()};
}

/// The phase that merges `privates` private elements of `bytes` into an array of n. It reads and resets them, and reads
/// and writes the elements that they are merged into.
inline phase merging(double privates, double n, double bytes) {
  double const footprint = (privates + std::min(privates, n)) * bytes;
  return {"merge", 2 * footprint, footprint};
}

/// Runs iterations with accumulators from make(i). A function of its own, so that the loop has all registers and is the
/// same code for every caller. So make has all that it needs by value, but for the operator.
template <class Make, class Body>
[[gnu::noinline]] void run_iterations(std::size_t begin, std::size_t end, Make const make, Body& body) {
  for (std::size_t i = begin; i < end; ++i) {
    auto into = make(i);
    body(i, into);
  }
}
/// The same for the iterations of a list, with accumulators that make(place in the list) makes.
template <class Make, class Body>
[[gnu::noinline]] void run_listed(std::span<iteration const> list, Make const make, Body& body) {
  for (std::size_t k = 0; k < list.size(); ++k) {
    auto into = make(k);
    body(std::size_t{list[k]}, into);
  }
}

/// Makes accumulators into arrays.
template <class Loop, class Columns, class Op>
auto directly(Loop const& loop, Columns into, Op const& op) {
  return [loop, into, &op](std::size_t i) { return direct_accumulator{loop.locate(i), into, op}; };
}

/// Least time to accumulate a subscript, or to merge an element of one private copy [s]: a cycle or two.
inline constexpr double least_seconds_each = 0.5e-9;

/// Time of an iteration on one thread, with waiting: the last one, but at least the time of its subscripts.
class pace {
 public:
  template <class Loop>
  double seconds_each(Loop const& loop) const {
    double const subscripts = loop.subscript_bytes() / sizeof(subscript);
    double const each = std::max(1.0, subscripts / static_cast<double>(std::max<std::size_t>(1, loop.iterations)));
    return std::max(seconds_, each * least_seconds_each);
  }
  void took(double seconds, std::size_t iterations, std::size_t parts) {
    if (iterations > 0) seconds_ = seconds * static_cast<double>(parts) / static_cast<double>(iterations);
  }

 private:
  double seconds_ = 0;
};

/// Deals the iterations of a loop out: part(p, pieces), each of its pieces a block of iterations.
template <class Loop, class F>
void share_iterations(phase const& what, Loop const& loop, team& workers, pace& as_last, F&& part) {
  auto const grain = dealt_pieces::best_grain(loop.iterations, workers.parts(), as_last.seconds_each(loop));
  double const begin = record::now();
  workers.share(what, loop.iterations, loop.dealt, grain, part);
  as_last.took(record::now() - begin, loop.iterations, workers.parts());
}

/// Deals out a merge: part(pieces), each of its pieces a block of `things`; a thing has `each` elements of all copies.
/// Sums do not depend on the part that merges.
template <class F>
void share_merge(phase const& what, std::size_t things, double each, team& workers, F&& part) {
  workers.share(what, things, dealing::on_demand,
                dealt_pieces::best_grain(things, workers.parts(), each * least_seconds_each),
                [&](std::size_t, auto& pieces) { part(pieces); });
}

/// Runs of iterations, accumulating directly.
template <class Loop, class Columns, class Op, class Body>
void run_directly(Loop const& loop, std::vector<iteration_run> const& runs, Columns into, Op const& op, Body& body) {
  for (iteration_run const& run : runs) run_iterations(run.begin, run.end, directly(loop, into, op), body);
}

}  // namespace skel::runtime::reduction

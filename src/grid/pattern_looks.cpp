#include "pattern_looks.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <skel/detail/plan/reduction.hpp>
#include <skel/detail/runtime/reduction/characterise.hpp>
#include <skel/detail/runtime/reduction/glance.hpp>

namespace skel {

namespace {

/// A look at fewer subscripts is not made: what is estimated from less than a quarter of them misleads more than it
/// tells (docs/decisions/0033).
double fewest_subscripts(pattern_features const& of) {
  return std::max(1.0, static_cast<double>(of.subscripts) / 4);
}

/// Elements that share a line of the cache.
std::size_t line_of(double value_bytes) {
  return std::bit_floor(std::max<std::size_t>(1, static_cast<std::size_t>(64 / std::max(1.0, value_bytes))));
}

}  // namespace

void pattern_looks::glance(pattern const& of, cost::reduction_problem& problem) {
  double const begin = clock_.now();
  seen_ = problem.pattern = runtime::reduction::glance(of, workers_.parts(), line_of(problem.value_bytes));
  seen_by_ = problem.seen_by = cost::sight::glance;
  double const took = clock_.now() - begin;
  learn_price(glance_seconds_, took);
  seconds_ += took;
  looked_at_ = std::min(of.subscripts(), runtime::reduction::glance_subscripts);
}

void pattern_looks::look(pattern const& of, cost::reduction_problem& problem, double seconds) {
  if (of.subscripts() == 0) return;
  std::size_t const subscripts = subscripts_within(problem, seconds);
  if (static_cast<double>(subscripts) < fewest_subscripts(problem.pattern)) return;
  bool const has_looked = looked_at_ > 0 && problem.seen_by == cost::sight::full;
  if (has_looked && subscripts < 2 * looked_at_) return;
  double const begin = clock_.now();
  seen_ = problem.pattern = runtime::reduction::characterise(
      of, workers_, runtime::reduction::look_at(of, subscripts, line_of(problem.value_bytes)));
  seen_by_ = problem.seen_by = cost::sight::full;
  double const took = clock_.now() - begin;
  seconds_ += took;
  looked_at_ = subscripts;
  if (subscripts < windows()) return;
  double const parts = static_cast<double>(workers_.parts());
  double const passed = static_cast<double>(subscripts) / parts + static_cast<double>(of.elements()) / 32;
  double const each = std::max(0.0, took - costs().start) / passed;
  each_seconds_ = each_seconds_ == 0 ? each : (each_seconds_ + each) / 2;
}

void pattern_looks::assume_as_before(cost::reduction_problem& problem) const {
  if (seen_by_ == cost::sight::sizes) return;
  auto now = seen_;
  now.iterations = problem.pattern.iterations;
  now.elements = problem.pattern.elements;
  now.subscripts = problem.pattern.subscripts;
  problem.pattern = now;
  problem.seen_by = seen_by_;
}

/// A subscript is read in 4 bytes, a merge of REPBUF moves 4 values for each private one.
std::size_t pattern_looks::subscripts_within(cost::reduction_problem const& problem, double seconds) {
  auto const& of = problem.pattern;
  double const parts = static_cast<double>(of.parts), n = static_cast<double>(of.elements);
  double const merged = n * (parts - 1) * 4 * problem.value_bytes / 4;
  // Beside subscripts, a look has its own beginning, and each thread's words of elements to pass twice.
  double const words = 2 * n / 64;
  auto const within = [&](double time, double each) { return time * parts / each - words * parts; };
  // Predicting what a subscript takes, and measuring what a look begins with, are done where one may be affordable.
  if (within(seconds, least_per_subscript()) < fewest_subscripts(of)) return 0;
  double affordable = within(seconds, per_subscript(problem));
  if (affordable >= fewest_subscripts(of)) {
    double const start = costs().start;  // after which more is known of a subscript too
    affordable = within(seconds - start, per_subscript(problem));
  }
  double const count = std::min({merged - words * parts, affordable, static_cast<double>(of.subscripts)});
  return static_cast<std::size_t>(std::max(0.0, count));
}

/// As measured, and before that what it took when the model was fitted or the first idea of looking at it [s]: the most
/// of them.
double pattern_looks::least_per_subscript() const {
  return each_seconds_ > 0 ? each_seconds_ : std::max({1e-10, look_seconds_, costs_.each});
}

/// Before it was measured, also what updating a subscript takes.
double pattern_looks::per_subscript(cost::reduction_problem const& problem) const {
  if (each_seconds_ > 0) return each_seconds_;
  auto const time = mapper_.estimate(plan::reduction_algorithm::sequential, problem);
  double const updating = time ? time->run / std::max(1.0, static_cast<double>(problem.pattern.subscripts)) : 0;
  return std::max(least_per_subscript(), updating);
}

/// Measured once in a process for as many threads.
pattern_looks::cost_of_looks const& pattern_looks::costs() {
  if (costs_.start > 0) return costs_;
  static std::mutex guard;
  static std::map<std::pair<bool, std::size_t>, cost_of_looks> known;
  std::lock_guard const lock(guard);
  auto& kept = known[{imagined_, workers_.parts()}];
  if (kept.start > 0) return costs_ = kept;
  cost_of_looks here;
  double const first = clock_.now();
  auto const time = [&](pattern const& of) {
    auto const how = runtime::reduction::look_at(of, of.subscripts(), 8);
    runtime::reduction::characterise(of, workers_, how);  // wakes threads
    double const begin = clock_.now();
    runtime::reduction::characterise(of, workers_, how);
    return clock_.now() - begin;
  };
  here.start = std::max(1e-9, time(pattern(4, 64, std::vector<subscript>{0, 1, 2, 3})));
  // Some windows of each thread, with elements of its own.
  auto const count = 4 * windows();
  std::vector<subscript> index(count);
  for (std::size_t k = 0; k < count; ++k) index[k] = static_cast<subscript>(k / 2);
  double const took = time(pattern(count / 2, count / 2, std::move(index)));
  here.each = std::max(0.0, took - here.start) * static_cast<double>(workers_.parts()) / static_cast<double>(count);
  seconds_ += clock_.now() - first;
  return costs_ = kept = here;
}

}  // namespace skel

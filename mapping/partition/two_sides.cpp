#include "two_sides.hpp"

#include <algorithm>
#include <limits>

namespace skel::mapping::partitioning {
namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

/// Cells of one side by their gain: the decrease of the cut when one moves.
class gain_buckets {
 public:
  gain_buckets(std::size_t cells, std::size_t most_gain)
      : shift_(static_cast<std::ptrdiff_t>(most_gain)),
        first_(2 * most_gain + 1, none),
        next_(cells, none),
        before_(cells, none) {}

  void insert(std::uint32_t cell, std::ptrdiff_t gain) {
    std::size_t const at = place(gain);
    next_[cell] = first_[at], before_[cell] = none;
    if (first_[at] != none) before_[first_[at]] = cell;
    first_[at] = cell;
    top_ = std::max(top_, at);
  }
  void remove(std::uint32_t cell, std::ptrdiff_t gain) {
    if (before_[cell] != none)
      next_[before_[cell]] = next_[cell];
    else
      first_[place(gain)] = next_[cell];
    if (next_[cell] != none) before_[next_[cell]] = before_[cell];
  }
  /// The cell that was inserted last of those with the greatest gain, or none.
  std::uint32_t top() {
    while (top_ > 0 && first_[top_] == none) --top_;
    return first_[top_];
  }
  void clear() {
    std::ranges::fill(first_, none);
    top_ = 0;
  }

 private:
  std::size_t place(std::ptrdiff_t gain) const { return static_cast<std::size_t>(gain + shift_); }

  std::ptrdiff_t shift_;
  std::vector<std::uint32_t> first_, next_, before_;
  std::size_t top_ = 0;
};

std::size_t most_neighbours(plan::cell_graph const& graph) {
  std::size_t most = 0;
  for (std::size_t c = 0; c < graph.cells(); ++c) most = std::max(most, graph.of(c).size());
  return most;
}

class border {
 public:
  border(two_sides const& of, sides& now)
      : of_(of),
        now_(now),
        constraints_(of.weights.constraints),
        all_(constraints_, 0),
        heaviest_(constraints_, 0),
        gain_(now.size(), 0),
        waits_(now.size(), 0),
        buckets_{{{now.size(), most_neighbours(*of.graph)}, {now.size(), most_neighbours(*of.graph)}}} {
    for (auto& one : weight_) one.assign(constraints_, 0);
    for (std::size_t c = 0; c < now.size(); ++c) {
      ++cells_[now[c]];
      for (std::size_t j = 0; j < constraints_; ++j) {
        double const weight = of.weights.of(c, j);
        weight_[now[c]][j] += weight, all_[j] += weight, heaviest_[j] = std::max(heaviest_[j], weight);
      }
    }
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t j = 0; j < constraints_; ++j) {
        double const share = s == 0 ? of.share[j] : 1 - of.share[j];
        most_[s].push_back(share * all_[j] * (1 + of.tolerance) + heaviest_[j] / 2);
      }
    cut_ = static_cast<std::ptrdiff_t>(cut_of(*of.graph, now));
  }

  /// True if it has become better.
  bool pass() {
    begin();
    double least_excess = excess_;
    std::ptrdiff_t least_cut = cut_;
    std::size_t kept = 0, in_vain = 0;
    moved_.clear();
    // A border may have to move by all of its cells before the cut becomes smaller.
    std::size_t const patience = inserted_;
    while (in_vain <= patience) {
      std::uint32_t const cell = next();
      if (cell == none) break;
      move(cell);
      moved_.push_back(cell);
      ++in_vain;
      if (excess_ < least_excess - rounding || (excess_ <= least_excess + rounding && cut_ < least_cut)) {
        least_excess = std::min(excess_, least_excess), least_cut = cut_;
        kept = moved_.size(), in_vain = 0;
      }
    }
    for (std::size_t k = moved_.size(); k > kept; --k) put(moved_[k - 1]);
    cut_ = least_cut;
    return kept > 0;
  }

  /// Excess weight of sides, as a part of the whole.
  double excess() const {
    double sum = 0;
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t j = 0; j < constraints_; ++j) sum += excess_of(s, j, 0);
    return sum;
  }

 private:
  /// Of weights that are parts of the whole.
  static constexpr double rounding = 1e-12;

  std::size_t other(std::size_t side) const { return 1 - side; }

  double excess_of(std::size_t side, std::size_t j, double more) const {
    double const over = weight_[side][j] + more - most_[side][j];
    return over > rounding * all_[j] ? over / all_[j] : 0;
  }
  double excess_after(std::uint32_t cell) const {
    std::size_t const from = now_[cell];
    double sum = 0;
    for (std::size_t j = 0; j < constraints_; ++j) {
      double const weight = of_.weights.of(cell, j);
      sum += excess_of(from, j, -weight) + excess_of(other(from), j, weight);
    }
    return sum;
  }
  bool too_heavy(std::size_t side) const {
    for (std::size_t j = 0; j < constraints_; ++j)
      if (excess_of(side, j, 0) > 0) return true;
    return false;
  }
  /// If no side is too heavy, one may become so by a cell, until another one has come back for it.
  bool may_move(std::uint32_t cell) const {
    std::size_t const from = now_[cell];
    return cells_[from] > of_.least_cells[from] && (!(excess_ > 0) || excess_after(cell) < excess_ - rounding);
  }

  void begin() {
    excess_ = excess();
    inserted_ = 0;
    for (auto& one : buckets_) one.clear();
    std::ranges::fill(waits_, 0);
    for (std::uint32_t c = 0; c < now_.size(); ++c) {
      std::ptrdiff_t across = 0;
      auto const neighbours = of_.graph->of(c);
      for (auto const next : neighbours) across += now_[next] != now_[c] ? 1 : 0;
      gain_[c] = 2 * across - static_cast<std::ptrdiff_t>(neighbours.size());
      if (across > 0 || excess_ > 0) wait(c);
    }
  }
  void wait(std::uint32_t cell) {
    waits_[cell] = waiting, ++inserted_;
    buckets_[now_[cell]].insert(cell, gain_[cell]);
  }
  void drop(std::uint32_t cell) {
    buckets_[now_[cell]].remove(cell, gain_[cell]);
    waits_[cell] = done;
  }

  /// The best cell of a side that may move. Cells that do not help a side that is too heavy are dropped.
  std::uint32_t best_of(std::size_t side) {
    while (true) {
      std::uint32_t const cell = buckets_[side].top();
      if (cell == none || may_move(cell)) return cell;
      if (!(excess_ > 0) || !too_heavy(side)) return none;
      drop(cell);
    }
  }
  std::uint32_t next() {
    std::uint32_t const a = best_of(0), b = best_of(1);
    if (a == none || b == none) return a == none ? b : a;
    if (gain_[a] != gain_[b]) return gain_[a] > gain_[b] ? a : b;
    return fuller(0) ? a : b;
  }
  bool fuller(std::size_t side) const {
    double difference = 0;
    for (std::size_t j = 0; j < constraints_; ++j)
      if (all_[j] > 0) difference += (weight_[side][j] - weight_[other(side)][j]) / all_[j] - 2 * share_of(side, j) + 1;
    return difference >= 0;
  }
  double share_of(std::size_t side, std::size_t j) const { return side == 0 ? of_.share[j] : 1 - of_.share[j]; }

  /// Moves it to the other side, without its neighbours.
  void put(std::uint32_t cell) {
    std::size_t const from = now_[cell], to = other(from);
    --cells_[from], ++cells_[to];
    for (std::size_t j = 0; j < constraints_; ++j) {
      double const weight = of_.weights.of(cell, j);
      weight_[from][j] -= weight, weight_[to][j] += weight;
    }
    now_[cell] = static_cast<std::uint32_t>(to);
  }
  void move(std::uint32_t cell) {
    drop(cell);
    cut_ -= gain_[cell];
    put(cell);
    excess_ = excess();
    for (auto const next : of_.graph->of(cell)) {
      std::ptrdiff_t const change = now_[next] == now_[cell] ? -2 : 2;
      if (waits_[next] == waiting) buckets_[now_[next]].remove(next, gain_[next]);
      gain_[next] += change;
      if (waits_[next] == waiting)
        buckets_[now_[next]].insert(next, gain_[next]);
      else if (waits_[next] == 0)
        wait(next);
    }
    gain_[cell] = -gain_[cell];
  }

  static constexpr char waiting = 1, done = 2;

  two_sides const& of_;
  sides& now_;
  std::size_t constraints_;
  std::array<std::vector<double>, 2> weight_, most_;
  std::vector<double> all_, heaviest_;
  std::array<std::size_t, 2> cells_{0, 0};
  std::vector<std::ptrdiff_t> gain_;
  std::vector<char> waits_;  // of each cell: 0, waiting or done
  std::array<gain_buckets, 2> buckets_;
  std::vector<std::uint32_t> moved_;
  std::size_t inserted_ = 0;
  std::ptrdiff_t cut_ = 0;
  double excess_ = 0;
};

}  // namespace

std::size_t cut_of(plan::cell_graph const& graph, sides const& of) {
  std::size_t twice = 0;
  for (std::size_t c = 0; c < graph.cells(); ++c)
    for (auto const next : graph.of(c)) twice += of[c] != of[next] ? 1U : 0U;
  return twice / 2;
}

sides cut_in_order(two_sides const& of, std::vector<std::uint32_t> const& order) {
  std::size_t const n = order.size(), constraints = of.weights.constraints;
  std::vector<double> all(constraints, 0);
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t j = 0; j < constraints; ++j) all[j] += of.weights.of(c, j);
  double share = 0, weighing = 0;
  for (std::size_t j = 0; j < constraints; ++j)
    if (all[j] > 0) share += of.share[j], weighing += 1;
  auto const weight = [&](std::size_t c) {  // of all that weighs `weighing` together
    if (weighing == 0) return 1.0;
    double sum = 0;
    for (std::size_t j = 0; j < constraints; ++j)
      if (all[j] > 0) sum += of.weights.of(c, j) / all[j];
    return sum;
  };
  double const wanted = weighing > 0 ? share : of.share[0] * static_cast<double>(n);
  sides made(n, 1);
  double sum = 0;
  for (std::size_t k = 0; k + of.least_cells[1] < n; ++k) {
    double const one = weight(order[k]);
    if (k >= of.least_cells[0] && sum + one / 2 > wanted) break;
    sum += one, made[order[k]] = 0;
  }
  return made;
}

double move_border(two_sides const& of, sides& now) {
  border here(of, now);
  while (here.pass()) {
  }
  return here.excess();
}

}  // namespace skel::mapping::partitioning

#include "branch_and_bound.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include <skel/detail/base/stop_condition.hpp>
#include <skel/detail/cost/line_bounds.hpp>

#include "completions.hpp"

namespace skel::mapping::detail {
namespace {

/// Relative width of a row's throughput that is narrow enough for bounds.
inline constexpr double row_gap = 1e-3;
/// Stations in the rows of the second step.
inline constexpr std::size_t short_row = 3;
/// Rows of more states than this are bounded by the longest part within it.
inline constexpr double most_row_states = 60'000;
/// The search ends, as if out of time, when it has made this many rows: about half a gigabyte.
inline constexpr std::size_t most_rows = 10'000'000;

/// Planes that are placed before the search begins.
inline constexpr std::size_t root_planes = 20;
/// Planes in all: each may be tested with every placement.
inline constexpr std::size_t most_planes = 1000;
/// A placement with a throughput this share below all planes gets a plane of its own, at the cost of enclosing eight
/// such placements. Between 0.001 and 0.01 eight stages on eight hosts take 20 % longer at most.
inline constexpr double far_below = 0.003;
/// A node of so many placements is replaced by those that no plane excludes: some milliseconds.
inline constexpr double most_completions = 300'000;
/// Planes tested for a child: the best ones of its parent, beside the one priced for the parent.
inline constexpr std::size_t child_planes = 2;

struct node {
  double bound = 0;
  std::uint32_t parent = 0, choice = 0;
  std::uint16_t depth = 0;  // stages placed
  std::uint16_t step = 0;   // of its bounds
};

class search {
 public:
  search(placement_tables const& tables, placement_space const& space, host_symmetry const& symmetry,
         cost::line_solver& solver, supporting_planes* planes, ranking& found, std::function<bool()> const& out_of_time)
      : tables_(tables),
        space_(space),
        symmetry_(symmetry),
        solver_(solver),
        found_(found),
        out_of_time_(out_of_time),
        planes_(planes) {
    order_stages();
    base_.hosts.resize(tables.stages());
    base_.count.assign(tables.hosts(), 0);
    auto const& stages = tables.problem().program.stages;
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (!stages[i].at.empty())
        for (auto h : space.choices[i].front()) ++base_.count[h];
  }

  search_outcome run() {
    search_outcome result;
    pool_.push_back({tables_.root_bound(), 0, 0, 0, 2});
    place_planes();
    open_.push({pool_.front().bound, 0, 0});
    result.complete = true;
    while (!open_.empty()) {
      auto const top = open_.top();
      if (!wanted(top.bound)) break;
      if (out_of_time_() || pool_.size() > most_rows) {
        result.complete = false;
        break;
      }
      open_.pop();
      try {
        work_on(top.id);
      } catch (stopped const&) {
        open_.push({pool_[top.id].bound, top.depth, top.id});
        result.complete = false;
        break;
      }
    }
    result.evaluated = evaluated_;
    result.bound = found_.best();
    if (!result.complete)
      for (; !open_.empty(); open_.pop()) result.bound = std::max(result.bound, open_.top().bound);
    return result;
  }

 private:
  struct entry {
    double bound;
    std::uint32_t depth, id;
    bool operator<(entry const& other) const {
      return bound != other.bound ? bound < other.bound : depth != other.depth ? depth < other.depth : id > other.id;
    }
  };
  /// Best first, deeper rows before shallower ones.
  class open_list {
   public:
    bool empty() const { return list_.empty(); }
    void push(entry const& one) {
      list_.push_back(one);
      std::push_heap(list_.begin(), list_.end());
    }
    entry const& top() const { return list_.front(); }
    void pop() {
      std::pop_heap(list_.begin(), list_.end());
      list_.pop_back();
    }
    std::size_t size() const { return list_.size(); }

   private:
    std::vector<entry> list_;
  };

  void order_stages() {
    auto const& stages = tables_.problem().program.stages;
    std::size_t first = 0;
    for (std::size_t i = 0; i < stages.size(); ++i)
      if (stages[i].work > stages[first].work) first = i;
    order_.push_back(first);
    for (auto last = first + 1; order_.size() < stages.size();) {
      bool const left = first > 0 && (last == stages.size() || stages[first - 1].work > stages[last].work);
      order_.push_back(left ? --first : last++);
    }
  }

  double enough() const { return found_.best() * (1 - tie_tolerance); }
  bool wanted(double bound) const { return bound > 0 && bound >= enough(); }

  partial_placement placed(std::uint32_t id) const {
    auto part = base_;
    auto const depth = pool_[id].depth;
    for (auto at = id; pool_[at].depth > 0; at = pool_[at].parent) {
      auto const i = order_[pool_[at].depth - 1u];
      part.hosts[i] = space_.choices[i][pool_[at].choice];
      if (tables_.problem().program.stages[i].at.empty())
        for (auto h : part.hosts[i]) ++part.count[h];
    }
    if (depth > 0) {
      auto const [low, high] = std::minmax_element(order_.begin(), order_.begin() + depth);
      part.first = *low;
      part.last = *high + 1;
    }
    return part;
  }

  /// Least exact throughput of rows of at most `width` stations of the line.
  double row_bound(cost::line const& row, std::size_t width, double gap) {
    double bound = std::numeric_limits<double>::infinity();
    auto const count = std::min(width, row.stations.size());
    for (std::size_t first = 0; first + count <= row.stations.size() && wanted(bound); ++first)
      bound = std::min(bound, solver_.enclose(cost::sub_line(row, first, count), gap, enough()).upper);
    return bound;
  }

  /// The most stations with which all rows stay within the limit of states.
  std::size_t widest_row(cost::line const& row) const {
    for (auto width = row.stations.size(); width > 1; --width) {
      double most = 0;
      for (std::size_t first = 0; first + width <= row.stations.size(); ++first)
        most = std::max(most, cost::count_states(cost::sub_line(row, first, width)));
      if (most <= most_row_states) return width;
    }
    return 1;
  }

  /// The line with mean times between those of two others: `share` of the way from the first.
  static cost::line blend(cost::line from, cost::line const& to, double share) {
    auto const mean = [&](double a, double b) { return 1 / ((1 - share) / a + share / b); };
    for (std::size_t i = 0; i < from.stations.size(); ++i) {
      auto& rate = from.stations[i].workers.front().rate;
      rate = mean(rate, to.stations[i].workers.front().rate);
    }
    for (std::size_t i = 0; i < from.moves.size(); ++i) from.moves[i] = mean(from.moves[i], to.moves[i]);
    return from;
  }

  /// Planes at the best known placement, and from there by conditional gradients towards the mixture of placements with
  /// the least time per item. Steps 2 / (k + 3).
  /// Source: Frank, Wolfe 1956, Naval Research Logistics Quarterly 3:95-110.
  void place_planes() {
    if (!planes_ || found_.empty()) {
      planes_ = nullptr;
      return;
    }
    auto const& problem = tables_.problem();
    auto at =
        cost::relax(cost::make_line(problem.program, found_.winner().placement, problem.platform, problem.options));
    auto const nothing = placed(0);
    for (std::size_t k = 0; k < root_planes && !out_of_time_(); ++k) {
      try {
        planes_->touch(at, solver_);
      } catch (stopped const&) {
        break;
      }
      auto const mixture = planes_->price_newest(nothing, 1 / found_.best());
      pool_.front().bound = std::min(pool_.front().bound, planes_->bound(nothing, 0));
      if (mixture.stations.empty()) break;  // no placement is better than the best known
      at = blend(at, mixture, 2 / (static_cast<double>(k) + 3));
    }
    if (planes_->size() == 0)
      planes_ = nullptr;
    else
      completions_.emplace(tables_, *planes_);
  }

  /// Bounds a node by the planes, then by its best plane with renewed prices. False when the node is not wanted.
  bool bound_by_planes(std::uint32_t id, partial_placement const& part) {
    auto& bound = pool_[id].bound;
    bound = std::min(bound, planes_->bound(part, enough()));
    if (!wanted(bound)) return false;
    near_ = planes_->close_bound(part, 1 / found_.best());
    bound = std::min(bound, near_->bound);
    return wanted(bound);
  }

  /// The same for a placement. False also when it is no longer the most promising one.
  bool bound_placement(std::uint32_t id, partial_placement const& part) {
    std::vector<plan::host_id> where;
    for (auto const& stage : part.hosts) where.push_back(stage.front());
    auto& bound = pool_[id].bound;
    bound = std::min(bound, planes_->bound(where, enough()));
    return wanted(bound) && !put_back(id);
  }

  bool put_back(std::uint32_t id) {
    if (open_.empty() || pool_[id].bound >= open_.top().bound) return false;
    open_.push({pool_[id].bound, pool_[id].depth, id});
    return true;
  }

  void work_on(std::uint32_t id) {
    auto const part = placed(id);
    bool const whole = pool_[id].depth == order_.size();
    near_.reset();
    if (planes_ && whole && !bound_placement(id, part)) return;
    if (planes_ && !whole && pool_[id].depth > 0 && !bound_by_planes(id, part)) return;
    if (planes_) pool_[id].step = 2;  // rows bound less than planes and cost more
    while (pool_[id].step < 2) {
      auto const step = ++pool_[id].step;
      auto const row = relaxed_line(tables_, part, enough());
      if (row.stations.empty()) return;
      auto const width = step == 1 ? short_row : widest_row(row);
      bool const useful = step == 1 ? row.stations.size() > 1 : width > short_row && !whole;
      if (!useful) continue;
      pool_[id].bound = std::min(pool_[id].bound, row_bound(row, width, row_gap));
      if (!wanted(pool_[id].bound) || put_back(id)) return;
    }
    if (whole)
      solve({part.hosts}, pool_[id].bound);
    else if (planes_ && placements_left(pool_[id].depth) <= most_completions)
      complete(id, part);
    else
      expand(id, part);
  }

  /// Number of placements that agree with a node of this depth.
  double placements_left(std::size_t depth) const {
    double product = 1;
    for (auto k = depth; k < order_.size(); ++k) product *= static_cast<double>(space_.choices[order_[k]].size());
    return product;
  }

  /// Solves a placement with no more throughput than `bound`.
  void solve(plan::placement const& where, double bound) {
    auto const& problem = tables_.problem();
    auto const line = cost::make_line(problem.program, where, problem.platform, problem.options);
    ++evaluated_;
    if (double const upper = solver_.enclose(line, row_gap, enough()).upper; upper < enough()) {
      if (planes_ && upper < bound * (1 - far_below) && planes_->size() < most_planes)
        planes_->touch(cost::relax(line), solver_);
      return;
    }
    found_.add(symmetry_.simplest(where), solver_.throughput(line));
  }

  /// Replaces a node by its placements.
  void complete(std::uint32_t id, partial_placement const& part) {
    auto const depth = pool_[id].depth;
    auto const order = std::span(order_).subspan(depth);
    double const inherited = pool_[id].bound;
    std::vector<plan::host_id> one(1), last;  // last: the placement that was found last
    std::vector<std::uint32_t> path(order.size() + 1, id);
    auto const may = [&](plan::host_id h, std::vector<std::size_t> const& count) {
      one[0] = h;
      return symmetry_.canonical(one, count);
    };
    completions_->for_each(part, order, enough(), may, [&](std::span<plan::host_id const> hosts, double bound) {
      bound = std::min(bound, inherited);
      auto k = static_cast<std::size_t>(std::mismatch(last.begin(), last.end(), hosts.begin()).first - last.begin());
      for (; k < hosts.size(); ++k) {
        bool const single = space_.choices[order[k]].size() == 1;
        path[k + 1] = static_cast<std::uint32_t>(pool_.size());
        pool_.push_back({bound, path[k], single ? 0 : static_cast<std::uint32_t>(hosts[k]),
                         static_cast<std::uint16_t>(depth + k + 1), 0});
      }
      last.assign(hosts.begin(), hosts.end());
      open_.push({bound, pool_.back().depth, path.back()});
    });
  }

  void expand(std::uint32_t id, partial_placement part) {
    auto const depth = pool_[id].depth;
    auto const i = order_[depth];
    bool const pinned = !tables_.problem().program.stages[i].at.empty();
    if (depth == 0) part.first = part.last = i;
    part.first = std::min(part.first, i);
    part.last = std::max(part.last, i + 1);
    double const inherited = pool_[id].bound;
    for (std::uint32_t choice = 0; choice < space_.choices[i].size(); ++choice) {
      auto const& hosts = space_.choices[i][choice];
      if (hosts.size() > 1 && out_of_time_()) throw stopped("placement: the search was ended within a node");
      if (!pinned && !symmetry_.canonical(hosts, part.count)) continue;
      part.hosts[i] = hosts;
      if (!pinned)
        for (auto h : hosts) ++part.count[h];
      double bound = std::min(inherited, quick_bound(tables_, part));
      if (planes_ && wanted(bound))
        bound = std::min(bound, planes_->bound(part, enough(), child_planes, near_ ? &near_->closest : nullptr));
      if (wanted(bound) && room_for_the_rest(tables_, part, found_.best())) {
        auto const child = static_cast<std::uint32_t>(pool_.size());
        pool_.push_back({bound, id, choice, static_cast<std::uint16_t>(depth + 1), 0});
        open_.push({bound, depth + 1u, child});
      }
      if (!pinned)
        for (auto h : hosts) --part.count[h];
    }
  }

  placement_tables const& tables_;
  placement_space const& space_;
  host_symmetry const& symmetry_;
  cost::line_solver& solver_;
  ranking& found_;
  std::function<bool()> const& out_of_time_;
  std::vector<std::size_t> order_;
  partial_placement base_;
  std::vector<node> pool_;
  open_list open_;
  std::size_t evaluated_ = 0;
  supporting_planes* planes_;
  std::optional<completions> completions_;
  std::optional<supporting_planes::node_bound> near_;  // of the node that is worked on
};

}  // namespace

search_outcome branch_and_bound(placement_tables const& tables, placement_space const& space,
                                host_symmetry const& symmetry, cost::line_solver& solver, supporting_planes* planes,
                                ranking& found, std::function<bool()> const& out_of_time) {
  return search(tables, space, symmetry, solver, planes, found, out_of_time).run();
}

}  // namespace skel::mapping::detail

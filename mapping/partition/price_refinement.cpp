#include "price_refinement.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace skel::mapping::partitioning {
namespace {

/// x^(2^doublings) and its root by products and square roots alone, which are the same on every machine.
double power(double x, int doublings) {
  for (int k = 0; k < doublings; ++k) x *= x;
  return x;
}
double root(double x, int doublings) {
  x = std::max(x, 0.0);
  for (int k = 0; k < doublings; ++k) x = std::sqrt(x);
  return x;
}

/// Norms in turn. That of 16 of 200 equal numbers is 1.4 times the largest: all of them become smaller. That of 256
/// makes two parts, one four times as fast as the other, right to 0.5 % of the best.
constexpr std::array norms_in_turn{4, 6, 8};

/// Times of which the largest counts: of parts in a phase, of ports, of uplinks.
class peak {
 public:
  explicit peak(std::size_t many) : times_(many, 0) {}

  double time(std::size_t which) const { return times_[which]; }
  void set(std::size_t which, double seconds) { times_[which] = seconds; }
  void begin(int doublings) {
    doublings_ = doublings;
    unit_ = times_.empty() ? 0 : *std::ranges::max_element(times_);
    sum_ = 0;
    for (auto const one : times_) sum_ += scaled(one);
  }
  double norm() const { return unit_ * root(sum_, doublings_); }
  /// The norm if two of them change.
  double norm(std::size_t a, double with_a, std::size_t b, double with_b) const {
    return unit_ * root(sum_ - scaled(times_[a]) - scaled(times_[b]) + scaled(with_a) + scaled(with_b), doublings_);
  }
  void change(std::size_t which, double seconds) {
    sum_ += scaled(seconds) - scaled(times_[which]);
    times_[which] = seconds;
  }
  double largest() const { return times_.empty() ? 0 : *std::ranges::max_element(times_); }

 private:
  double scaled(double seconds) const { return unit_ > 0 ? power(seconds / unit_, doublings_) : 0; }

  std::vector<double> times_;
  double unit_ = 0, sum_ = 0;
  int doublings_ = 0;
};

/// A move of one cell, as changes of the figures of two parts and of their clusters.
struct changes {
  std::size_t from = 0, to = 0;
  double faces_from = 0, faces_to = 0;                  // of the parts
  double cluster_faces_from = 0, cluster_faces_to = 0;  // of their clusters; 0 if these are the same
};

class priced_parts {
 public:
  priced_parts(plan::cell_graph const& graph, plan::cell_weights const& weights, cost::mesh::part_hosts const& on,
               std::vector<std::uint32_t>& part_of)
      : graph_(graph),
        weights_(weights),
        on_(on),
        part_of_(part_of),
        phases_(on.phases, peak(on.parts())),
        ports_(on.parts()),
        uplinks_(on.clusters()),
        of_port_(on.parts(), 0),
        of_uplink_(on.clusters(), 0),
        cells_(on.parts(), 0),
        beside_(on.parts(), 0),
        norms_(on.phases, 0) {
    auto const counted = plan::figures_of(graph, {on.parts(), part_of, {}}, weights, on.cluster_of);
    auto const update = cost::mesh::update_of(on, counted);
    auto const each = [](double seconds, std::size_t faces, double otherwise) {
      return faces > 0 ? seconds / static_cast<double>(faces) : otherwise;
    };
    behind_ = std::numeric_limits<double>::infinity();
    for (std::size_t p = 0; p < on.parts(); ++p) {
      cells_[p] = counted.cells[p];
      double overlaps = 0;
      for (std::size_t j = 0; j < on.phases; ++j) {
        phases_[j].set(p, on.seconds[p * on.phases + j] * counted.weights[p * on.phases + j]);
        if (on.overlaps[j] != 0) overlaps += phases_[j].time(p);
      }
      behind_ = std::min(behind_, overlaps * each(static_cast<double>(counted.inner[p]), counted.cells[p], 0));
      ports_.set(p, update.port[p]);
      of_port_[p] = each(update.port[p], counted.faces[p], on.port[on.cluster_of[p]]);
    }
    for (std::size_t c = 0; c < counted.cluster_faces.size(); ++c) {
      uplinks_.set(c, update.uplink[c]);
      of_uplink_[c] = each(update.uplink[c], counted.cluster_faces[c], on.uplink[c]);
    }
    latency_ = update.last() - std::max(ports_.largest(), uplinks_.largest());
    auto const time = cost::mesh::time_of(on, counted);
    seconds_ = time.communication - time.hidden;
    for (auto const one : time.phases) seconds_ += one;
  }

  /// Time of an iteration as it is, even if it does not fit in memory.
  double seconds() const { return seconds_; }

  /// One pass over all cells, by a norm: forward or back, as a border moves by many cells in one direction only.
  void pass(int doublings, bool forward) {
    for (auto& one : phases_) one.begin(doublings);
    ports_.begin(doublings), uplinks_.begin(doublings);
    double now = smooth();
    for (std::size_t k = 0; k < part_of_.size(); ++k) {
      std::size_t const c = forward ? k : part_of_.size() - 1 - k;
      std::size_t const from = part_of_[c];
      if (cells_[from] < 2) continue;
      changes best;
      double least = now * (1 - least_gain);
      look_beside(c);
      for (auto const to : found_) {
        if (to == from || static_cast<double>(cells_[to] + 1) > on_.most_cells[to]) continue;
        auto const change = change_of(c, from, to);
        if (double const then = smooth_after(c, change); then < least) least = then, best = change;
      }
      for (auto const part : found_) beside_[part] = 0;
      if (best.from == best.to) continue;
      move(c, best);
      now = smooth();
    }
  }

 private:
  /// Differences below are those of rounding.
  static constexpr double least_gain = 1e-12;

  double joined(double port, double uplink) const {
    double waits_for_nothing = 0, overlaps = 0;
    for (std::size_t j = 0; j < on_.phases; ++j) (on_.overlaps[j] != 0 ? overlaps : waits_for_nothing) += norms_[j];
    double const exchange = on_.updates * (latency_ + std::max(uplink, port));
    return waits_for_nothing + overlaps + (on_.asynchronous ? std::max(0.0, exchange - behind_) : exchange) +
           on_.allreduces * on_.all_reduce;
  }
  double smooth() {
    for (std::size_t j = 0; j < on_.phases; ++j) norms_[j] = phases_[j].norm();
    return joined(ports_.norm(), uplinks_.norm());
  }
  double smooth_after(std::size_t cell, changes const& of) {
    for (std::size_t j = 0; j < on_.phases; ++j)
      norms_[j] = phases_[j].norm(of.from, lighter(cell, of.from, j), of.to, heavier(cell, of.to, j));
    double const port = ports_.norm(of.from, ports_.time(of.from) + of_port_[of.from] * of.faces_from, of.to,
                                    ports_.time(of.to) + of_port_[of.to] * of.faces_to);
    std::size_t const a = on_.cluster_of[of.from], b = on_.cluster_of[of.to];
    double const uplink = a == b ? uplinks_.norm()
                                 : uplinks_.norm(a, uplinks_.time(a) + of_uplink_[a] * of.cluster_faces_from, b,
                                                 uplinks_.time(b) + of_uplink_[b] * of.cluster_faces_to);
    return joined(port, uplink);
  }
  double lighter(std::size_t cell, std::size_t part, std::size_t j) const {
    return std::max(0.0, phases_[j].time(part) - on_.seconds[part * on_.phases + j] * weights_.of(cell, j));
  }
  double heavier(std::size_t cell, std::size_t part, std::size_t j) const {
    return phases_[j].time(part) + on_.seconds[part * on_.phases + j] * weights_.of(cell, j);
  }

  /// Parts of the cell's neighbours, and how many of these each has.
  void look_beside(std::size_t cell) {
    found_.clear();
    for (auto const next : graph_.of(cell))
      if (beside_[part_of_[next]]++ == 0) found_.push_back(part_of_[next]);
  }
  changes change_of(std::size_t cell, std::size_t from, std::size_t to) const {
    auto const all = static_cast<double>(graph_.of(cell).size());
    // Faces to the own part become faces of a border; those to other parts are no longer this part's.
    changes made{.from = from,
                 .to = to,
                 .faces_from = 2 * static_cast<double>(beside_[from]) - all,
                 .faces_to = all - 2 * static_cast<double>(beside_[to])};
    if (on_.cluster_of[from] == on_.cluster_of[to]) return made;
    double in_from = 0, in_to = 0;
    for (auto const part : found_) {
      if (on_.cluster_of[part] == on_.cluster_of[from]) in_from += static_cast<double>(beside_[part]);
      if (on_.cluster_of[part] == on_.cluster_of[to]) in_to += static_cast<double>(beside_[part]);
    }
    made.cluster_faces_from = 2 * in_from - all, made.cluster_faces_to = all - 2 * in_to;
    return made;
  }
  void move(std::size_t cell, changes const& of) {
    for (std::size_t j = 0; j < on_.phases; ++j) {
      double const less = lighter(cell, of.from, j), more = heavier(cell, of.to, j);
      phases_[j].change(of.from, less), phases_[j].change(of.to, more);
    }
    ports_.change(of.from, ports_.time(of.from) + of_port_[of.from] * of.faces_from);
    ports_.change(of.to, ports_.time(of.to) + of_port_[of.to] * of.faces_to);
    if (std::size_t const a = on_.cluster_of[of.from], b = on_.cluster_of[of.to]; a != b) {
      uplinks_.change(a, uplinks_.time(a) + of_uplink_[a] * of.cluster_faces_from);
      uplinks_.change(b, uplinks_.time(b) + of_uplink_[b] * of.cluster_faces_to);
    }
    --cells_[of.from], ++cells_[of.to];
    part_of_[cell] = static_cast<std::uint32_t>(of.to);
  }

  plan::cell_graph const& graph_;
  plan::cell_weights const& weights_;
  cost::mesh::part_hosts const& on_;
  std::vector<std::uint32_t>& part_of_;
  std::vector<peak> phases_;
  peak ports_, uplinks_;
  // As at the beginning: time of a face at a port, or at an uplink. Wait of an update beside the fullest of these, and
  // the part of all updates that no part sees. Time of an iteration.
  std::vector<double> of_port_, of_uplink_;
  double latency_ = 0, behind_ = 0, seconds_ = 0;
  std::vector<std::size_t> cells_, beside_;
  std::vector<std::uint32_t> found_;
  std::vector<double> norms_;
};

}  // namespace

void move_by_price(plan::cell_graph const& graph, plan::cell_weights const& weights, cost::mesh::part_hosts const& on,
                   std::vector<std::uint32_t>& part_of) {
  constexpr double worth_two_passes = 1e-4;  // a hundredth of the finer tolerance of partition_settings
  auto best = part_of;
  double least = std::numeric_limits<double>::infinity();
  for (auto const doublings : norms_in_turn) {
    part_of = best;
    double before = std::numeric_limits<double>::infinity();
    while (true) {
      // New figures, without the rounding errors of sums.
      double const seconds = priced_parts(graph, weights, on, part_of).seconds();
      if (seconds < least) least = seconds, best = part_of;
      if (!(seconds < before * (1 - worth_two_passes))) break;
      before = seconds;
      for (bool const forward : {true, false}) priced_parts(graph, weights, on, part_of).pass(doublings, forward);
    }
  }
  part_of = std::move(best);
}

}  // namespace skel::mapping::partitioning

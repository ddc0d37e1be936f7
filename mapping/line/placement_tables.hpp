#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include <skel/detail/cost/line.hpp>
#include <skel/detail/mapping/placement_space.hpp>

namespace skel::mapping::detail {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
/// The least time of a stage or move [s].
inline constexpr double shortest = 1 / cost::fastest_rate;

/// Times of a problem as tables, and their bounds on incomplete placements.
class placement_tables {
 public:
  explicit placement_tables(placement_problem const& problem);

  std::size_t stages() const { return problem_->program.stages.size(); }
  std::size_t hosts() const { return hosts_; }
  placement_problem const& problem() const { return *problem_; }
  bool fixed_share() const { return problem_->options.sharing == cost::share::fixed; }

  /// Time of stage i on a host that it has for itself [s], > 0.
  double service(std::size_t i, plan::host_id h) const { return service_[i * hosts_ + h]; }
  /// Time of move i (0: first, N: last) between two hosts; only one of them counts for the first and last move.
  /// Infinite if there is no path.
  double move(std::size_t i, plan::host_id from, plan::host_id to) const;
  /// Mean over the pairs, as make_line() takes it.
  double move(std::size_t i, std::vector<plan::host_id> const& from, std::vector<plan::host_id> const& to) const;
  /// Least time of move i that ends (starts) on a host, over all hosts on the other side.
  double least_in(std::size_t i, plan::host_id h) const { return least_in_[i * hosts_ + h]; }
  double least_out(std::size_t i, plan::host_id h) const { return least_out_[i * hosts_ + h]; }
  /// Least time of move i between any hosts.
  double least_move(std::size_t i) const { return least_[i]; }

  /// No placement has a higher throughput: all the work over all the speed, and the stages one by one.
  double root_bound() const;

 private:
  /// Moving so many bytes from a host of a cluster to another host [s].
  double between(std::size_t from, std::size_t to, double bytes) const {
    return between_[from * local_.size() + to].time(bytes);
  }

  placement_problem const* problem_;
  std::size_t hosts_;
  std::vector<double> service_, ends_;        // ends_: first and last move, per host
  std::vector<platform::link> between_;       // per pair of clusters
  std::vector<double> local_;                 // per cluster
  std::vector<double> least_in_, least_out_;  // per move and host
  std::vector<double> least_;                 // per move
};

/// A placement of some stages, in a row, with its bounds on all placements that agree with it.
struct partial_placement {
  std::size_t first = 0, last = 0;                ///< stages first .. last - 1 are placed
  std::vector<std::vector<plan::host_id>> hosts;  ///< per stage; empty where it is not placed
  std::vector<std::size_t> count;                 ///< workers per host, those of pinned stages always included

  bool has(std::size_t i) const { return i >= first && i < last; }
};

/// Upper bound on the throughput of every placement that agrees with `where`, by closed forms. Placed stations have the
/// most share that they can have. The others are each on its best host; they slow its workers, and these slow them.
/// O(stages * hosts).
double quick_bound(placement_tables const& tables, partial_placement const& where);

/// True if the stages that are left can be spread so that no station bound falls below `throughput`. (Fixed share.)
bool room_for_the_rest(placement_tables const& tables, partial_placement const& where, double throughput);

/// A line whose exact throughput bounds every placement that agrees (by the coupling of cost/line_bounds.hpp). It has
/// the placed stages with shares as counted so far, or full rates under dynamic share. On either side it has stages
/// that are not placed, up to the next one that may become a farm: each on its best host, with its fastest moves. It
/// bounds only placements of at least the throughput `enough`: it leaves out hosts where one more stage would make
/// another too slow. Without stations when no host is left for a stage.
cost::line relaxed_line(placement_tables const& tables, partial_placement const& where, double enough);

}  // namespace skel::mapping::detail

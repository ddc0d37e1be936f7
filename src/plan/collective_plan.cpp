#include <skel/detail/plan/collective_plan.hpp>

#include <algorithm>

#include <skel/detail/base/contract.hpp>
#include <skel/detail/base/error.hpp>
#include <skel/detail/plan/schedule.hpp>

namespace skel::plan {
namespace {

using neighbours = stripe_trees::neighbours;

/// Steps of one rank on a route, segment by segment.
class route_steps {
 public:
  route_steps(grid_route const& route, collective_problem problem, std::size_t rank)
      : route_(route), trees_(route.trees), rank_(rank) {
    problem.segment = route.segment;
    segments_ = cut(problem);
    std::size_t const clusters = route.trees.clusters.size();
    SKEL_EXPECTS(problem.ranks == trees_.ranks());
    mine_.work_bytes = problem.bytes;
    std::size_t const different = trees_.period(static_cast<std::size_t>(segments_.count));
    for (std::size_t k = 0; k < different; ++k) near_.push_back(trees_.of(rank, k));
    mine_.windows.assign(clusters + 1, 0);
    if (!route.inside_window.empty()) mine_.windows[0] = route.inside_window[trees_.cluster_of(rank)];
    if (rank == route.trees.root && route.root_window > 0) mine_.windows[0] = route.root_window;
    for (std::size_t c = 0; c < route.edge_window.size(); ++c) mine_.windows[c + 1] = route.edge_window[c];
    mine_.strands_ahead = route.ahead;
  }

  rank_schedule broadcast(collective_problem const& problem) {
    SKEL_EXPECTS(problem.root == route_.trees.root);
    if (rank_ == problem.root) mine_.load.push_back({0, 0, problem.bytes});
    mine_.unload.push_back({0, 0, problem.bytes});
    for_each_segment([&](std::uint64_t k) { down(k); });
    return std::move(mine_);
  }

  rank_schedule reduce(collective_problem const& problem) {
    SKEL_EXPECTS(problem.root == route_.trees.root);
    mine_.load.push_back({0, 0, problem.bytes});
    if (rank_ == problem.root) mine_.unload.push_back({0, 0, problem.bytes});
    for_each_segment([&](std::uint64_t k) { up(k); });
    return std::move(mine_);
  }

  rank_schedule allreduce(collective_problem const& problem) {
    bool const exchanges = route_.how == grid_route::scheme::exchange;
    if (exchanges) {  // a place for each cluster
      mine_.work_bytes = route_.trees.clusters.size() * problem.bytes;
      here_ = trees_.cluster_of(rank_) * problem.bytes;
      vector_ = problem.bytes;
    }
    mine_.load.push_back({0, here_, problem.bytes});
    mine_.unload.push_back({0, 0, problem.bytes});
    for_each_segment([&](std::uint64_t k) {
      up(k);
      if (exchanges) exchange(k);
      down(k);
    });
    return std::move(mine_);
  }

 private:
  /// Each is a strand.
  template <class Do>
  void for_each_segment(Do&& act) {
    for (std::uint64_t k = 0; k < segments_.count; ++k) {
      mine_.strands.push_back(static_cast<std::uint32_t>(mine_.steps.size()));
      act(k);
    }
  }
  byte_range part(std::uint64_t k, std::uint64_t place = 0) const {
    return {.first = place + k * segments_.bytes, .bytes = k + 1 == segments_.count ? segments_.last : segments_.bytes};
  }
  neighbours const& near(std::uint64_t k) const { return near_[k % near_.size()]; }
  bool within(stripe_trees::neighbour const& other) const {
    return route_.how == grid_route::scheme::tree || other.lane == 0;
  }
  void send(stripe_trees::neighbour const& to, byte_range what) {
    mine_.add(step::action::send, to.rank, 0, what);
    mine_.steps.back().lane = static_cast<std::uint16_t>(to.lane);
  }

  void down(std::uint64_t k) {
    neighbours const& all = near(k);
    if (all.has_parent && within(all.parent)) mine_.add(step::action::receive, all.parent.rank, 0, part(k));
    for (auto const& child : all.children)
      if (within(child)) send(child, part(k));
  }

  /// Waits last for the child that takes longest.
  void up(std::uint64_t k) {
    neighbours const& all = near(k);
    for (std::size_t i = all.children.size(); i-- > 0;)
      if (within(all.children[i])) mine_.add(step::action::combine, all.children[i].rank, 0, part(k, here_));
    if (all.has_parent && within(all.parent)) send(all.parent, part(k, here_));
  }

  /// In the root's cluster the root has its cluster's operands, whichever the relay of a broadcast is.
  std::uint32_t speaker(std::size_t cluster, std::uint64_t k) const {
    return cluster == trees_.root_cluster() ? route_.trees.root : trees_.relay(cluster, static_cast<std::size_t>(k));
  }
  /// From each cluster's speaker to all others; each begins with those behind it, so that not all go for one. Then all
  /// combine in the order of the clusters: everybody groups alike, so that sums that round are equal everywhere.
  void exchange(std::uint64_t k) {
    std::size_t const here = trees_.cluster_of(rank_), clusters = route_.trees.clusters.size();
    if (rank_ != speaker(here, k)) return;
    for (std::size_t i = 1; i < clusters; ++i) {
      std::size_t const c = (here + i) % clusters;
      send({speaker(c, k), static_cast<std::uint32_t>(c + 1)}, part(k, here_));
    }
    for (std::size_t i = clusters - 1; i > 0; --i) {
      std::size_t const c = (here + i) % clusters;
      mine_.add(step::action::receive, speaker(c, k), 0, part(k, c * vector_));
    }
    for (std::size_t c = 1; c < clusters && part(k).bytes > 0; ++c) {
      mine_.add(step::action::merge, rank_, 0, part(k));
      mine_.ranges.push_back(part(k, c * vector_));  // not one with the first, even where they touch
      mine_.steps.back().ranges = 2;
    }
  }

  grid_route const& route_;
  stripe_trees trees_;
  std::size_t rank_;
  segmentation segments_;
  std::vector<neighbours> near_;  // by segment
  rank_schedule mine_;
  std::uint64_t here_ = 0, vector_ = 0;  // of an exchange: where the operand of this rank's cluster is, and its length
};

}  // namespace

rank_schedule steps_of(collective_plan const& plan, collective_problem const& problem, std::size_t rank) {
  SKEL_EXPECTS(rank < problem.ranks);
  if (plan.route) {
    collective_problem what = problem;
    if (plan.operation == collective::barrier) what.bytes = 0;
    route_steps steps(*plan.route, what, rank);
    switch (plan.operation) {
      case collective::broadcast:
        return steps.broadcast(what);
      case collective::reduce:
        return steps.reduce(what);
      default:  // a barrier is an allreduction of nothing
        SKEL_EXPECTS(plan.operation == collective::allreduce || plan.operation == collective::barrier);
        return steps.allreduce(what);
    }
  }
  collective_problem with = problem;
  with.segment = plan.segment, with.radix = plan.radix;
  collective_algorithm const& algorithm = algorithm_named(plan.operation, plan.algorithm);
  if (algorithm.rounds != nullptr) return steps_of(*algorithm.rounds, with, rank);
  return std::move(algorithm.make(with).ranks[rank]);
}

order operands_of(collective_plan const& plan) {
  return plan.route ? order::shuffled : algorithm_named(plan.operation, plan.algorithm).operands;
}

}  // namespace skel::plan
